// SPDX-License-Identifier: Apache-2.0
import Farewell

/// File names for tables, folders and systems, made of safe characters and each given once.
struct ExportNames {
    private var taken: Set<String> = []

    /// A name that is never empty, has no part with a meaning of its own (`..`, a leading point), names no device of
    /// Windows and ends in no point, which Windows removes; and differs from all before also where upper and lower case
    /// are the same.
    mutating func name(for text: String) -> String {
        var safe = String(
            text.utf8.prefix(120).map { byte -> Character in
                let isSafe = byte.isASCIILetterOrDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
                return isSafe ? Character(Unicode.Scalar(byte)) : "_"
            })
        if safe.isEmpty || safe.first == "." || safe.first == "-" || PortableNames.isDevice(Array(safe.utf8)) {
            safe = "_" + safe
        }
        if safe.last == "." { safe += "_" }
        var name = safe
        var number = 2
        while !taken.insert(name.lowercased()).inserted {
            name = "\(safe)-\(number)"
            number += 1
        }
        return name
    }
}
