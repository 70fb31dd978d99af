// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys

/// Names for the copies of files, which every system can hold: a name that is fit for that stays as it is, and two
/// names stay two also where upper and lower case are the same.
struct PortableNames {
    /// By the hash of a path as it is compared: the hash of the original path that has it. Hashes, because there may be
    /// millions of files; two that are the same by chance only number a name.
    private var taken: [Int: Int] = [:]
    private static let longest = 255

    /// The path of a copy, below the folder of all copies; always the same for the same path.
    mutating func path(of original: [FileName]) -> [FileName] {
        var (compared, source) = (0, 0)
        var path: [FileName] = []
        for name in original {
            source = Self.hash(source, name.raw)
            let text = Self.portable(name.raw)
            var (candidate, number) = (text, 1)
            var key = Self.hash(compared, Self.folded(candidate))
            while let other = taken[key], other != source {
                number += 1
                candidate = Self.numbered(text, number)
                key = Self.hash(compared, Self.folded(candidate))
            }
            taken[key] = source
            compared = key
            path.append(FileName(candidate) ?? name)
        }
        return path
    }

    /// A name as systems compare it where upper and lower case are the same: `Σ`, `σ` and `ς` are one there, and so are
    /// `ẞ`, `ß` and `ss`: in capitals `ß` is `SS`, and `ẞ` is not.
    private static func folded(_ name: String) -> String { name.lowercased().uppercased().lowercased() }

    private static func hash(_ parent: Int, _ value: some Hashable) -> Int {
        var hasher = Hasher()
        hasher.combine(parent)
        hasher.combine(value)
        return hasher.finalize()
    }

    /// A name with its unfit bytes percent-encoded: control characters, those that Windows forbids, and bytes that are
    /// not UTF-8; also the last one where it is a point or a space, and the first one of a device's name.
    static func portable(_ bytes: [UInt8]) -> String {
        var name = ""
        var rest = bytes[...]
        let isDevice = isDevice(bytes)
        while let first = rest.first {
            let length = characterLength(first)
            let character = String(validating: rest.prefix(length), as: UTF8.self)
            let isLast = rest.count == 1 && (first == UInt8(ascii: ".") || first == UInt8(ascii: " "))
            if let character, isFit(character), !isLast, !(isDevice && rest.count == bytes.count) {
                name += character
                rest = rest.dropFirst(length)
            } else {
                // The bytes of one character that is not fit, or one byte that is none.
                let count = character == nil ? 1 : length
                for byte in rest.prefix(count) { name += "%" + [byte].hexadecimal.uppercased() }
                rest = rest.dropFirst(count)
            }
        }
        return name.utf8.count > longest ? cut(name, to: longest - 1) + "~" : name
    }

    private static func characterLength(_ first: UInt8) -> Int {
        switch first {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }

    private static func isFit(_ character: String) -> Bool {
        character.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "<", ">", ":", "\"", "\\", "|", "?", "*": false
            default: scalar.properties.generalCategory != .control
            }
        }
    }

    /// Whether Windows takes the name for a device, whatever ending it has.
    static func isDevice(_ bytes: [UInt8]) -> Bool {
        var stem = Array(bytes.prefix { $0 != UInt8(ascii: ".") })
        while stem.last == UInt8(ascii: " ") { stem.removeLast() }
        let text = String(decoding: stem, as: UTF8.self).uppercased()
        if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(text) { return true }
        guard text.hasPrefix("COM") || text.hasPrefix("LPT"), text.count == 4 else { return false }
        return text.last.map { "0123456789¹²³".contains($0) } ?? false
    }

    /// `photo.jpg` becomes `photo-2.jpg`.
    private static func numbered(_ name: String, _ number: Int) -> String {
        let point = name.lastIndex(of: ".").flatMap { $0 == name.startIndex ? nil : $0 } ?? name.endIndex
        let ending = name[point...].utf8.count > 20 ? "" : String(name[point...])
        let tail = "-\(number)" + ending
        return cut(ending.isEmpty ? name : String(name[..<point]), to: longest - tail.utf8.count) + tail
    }

    private static func cut(_ name: String, to most: Int) -> String {
        var scalars = name.unicodeScalars
        while String(scalars).utf8.count > most { scalars.removeLast() }
        return String(scalars)
    }
}
