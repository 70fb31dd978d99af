// SPDX-License-Identifier: Apache-2.0

/// Reads JSON in the one way in which all readers agree (RFC 8259, narrowed as in RFC 7493).
///
/// Text that two readers could understand differently is refused. So these are faults: a member that occurs twice,
/// members whose names Unicode treats as equal (é in one character, or in two), text that is not UTF-8, half of a
/// surrogate pair, a control character in a text, a number that is too large, nesting beyond `depth`, and anything
/// after the value.
///
/// Takes time linear in the number of bytes: names are bounded before they are hashed, and so are runs of combining
/// marks (``StreamSafeText``).
package struct StrictJSON: JSONCursor {
    package enum Fault: Error, Hashable {
        case syntax, text, control, number, duplicateMember, alikeMembers, depth
        /// The name of a member is longer than ``longestName`` bytes.
        case name
        /// A text is not stream-safe (``StreamSafeText``).
        case marks
        /// The caller did not want to go on.
        case stopped
    }

    /// The treatment of text with long runs of combining marks, and of long names.
    package enum Marks: Sendable, Hashable {
        /// They are faults. For requests, tokens and keys.
        case refused
        /// Runs are separated (the Stream-Safe Text Process) in names of members, and in texts of more than
        /// ``StreamSafeText/longestIdentifier`` bytes; shorter texts stay as they are. For documents that cannot be
        /// refused: answers of other systems, where a text may name a subject's object, and stored documents.
        case separated
    }

    /// In bytes of UTF-8, without escapes.
    package static let longestName = 256

    /// After how many bytes a reader asks its caller whether to go on: a few milliseconds at most.
    package static let stretch = 16 << 10

    let bytes: [UInt8]
    private let depth: Int
    private let marks: Marks
    private let goesOn: () -> Bool
    var position = 0
    /// Where the caller is asked next.
    private var stop = Self.stretch

    /// - Parameters:
    ///   - depth: The deepest permitted nesting of objects and arrays.
    ///   - goesOn: Asked after every ``stretch``; if it is false, the reader throws `stopped`.
    package static func value(
        _ bytes: [UInt8], depth: Int = 16, marks: Marks = .refused, goesOn: @escaping () -> Bool = { true }
    ) throws(Fault) -> JSONValue {
        var reader = StrictJSON(bytes: bytes, depth: depth, marks: marks, goesOn: goesOn)
        reader.skipSpace()
        let value = try reader.value(at: 0)
        reader.skipSpace()
        guard reader.position == bytes.count else { throw .syntax }
        return value
    }

    private init(bytes: [UInt8], depth: Int, marks: Marks, goesOn: @escaping () -> Bool) {
        self.bytes = bytes
        self.depth = depth
        self.marks = marks
        self.goesOn = goesOn
    }

    @inline(__always)
    private mutating func ask() throws(Fault) {
        guard position >= stop else { return }
        stop = position + Self.stretch
        guard goesOn() else { throw .stopped }
    }

    private mutating func value(at level: Int) throws(Fault) -> JSONValue {
        try ask()
        return switch peek {
        case UInt8(ascii: "{"): try object(at: level + 1)
        case UInt8(ascii: "["): try array(at: level + 1)
        case UInt8(ascii: "\""): .string(try bounded(try string()))
        case UInt8(ascii: "t"): try word("true", .boolean(true))
        case UInt8(ascii: "f"): try word("false", .boolean(false))
        case UInt8(ascii: "n"): try word("null", .null)
        default: try number()
        }
    }

    private mutating func object(at level: Int) throws(Fault) -> JSONValue {
        guard level <= depth else { throw .depth }
        var members: [String: JSONValue] = [:]
        position += 1
        skipSpace()
        if take(UInt8(ascii: "}")) { return .object(members) }
        while true {
            guard peek == UInt8(ascii: "\"") else { throw .syntax }
            let name = try name()
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw .syntax }
            skipSpace()
            let value = try value(at: level)
            if let earlier = members.index(forKey: name) {
                let isSame = ExactText(members[earlier].key) == ExactText(name)
                throw isSame ? Fault.duplicateMember : Fault.alikeMembers
            }
            members[name] = value
            skipSpace()
            if take(UInt8(ascii: "}")) { return .object(members) }
            guard take(UInt8(ascii: ",")) else { throw .syntax }
            skipSpace()
        }
    }

    private mutating func array(at level: Int) throws(Fault) -> JSONValue {
        guard level <= depth else { throw .depth }
        var elements: [JSONValue] = []
        position += 1
        skipSpace()
        if take(UInt8(ascii: "]")) { return .array(elements) }
        while true {
            elements.append(try value(at: level))
            skipSpace()
            if take(UInt8(ascii: "]")) { return .array(elements) }
            guard take(UInt8(ascii: ",")) else { throw .syntax }
            skipSpace()
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(Fault) -> JSONValue {
        try skip(word: word)
        return value
    }
}

// MARK: - Numbers

extension StrictJSON {
    private mutating func number() throws(Fault) -> JSONValue {
        let start = position
        let isWhole = try skipNumber()
        guard position - start <= 64 else { throw .number }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isWhole, let integer = Int64(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else { throw .number }
        return .number(number)
    }
}

// MARK: - Text

extension StrictJSON {
    /// The name of a member, bounded before anything hashes it.
    private mutating func name() throws(Fault) -> String {
        let name = try string()
        guard marks == .refused else { return name.streamSafe }
        guard name.utf8.count <= Self.longestName else { throw .name }
        guard name.isStreamSafe else { throw .marks }
        return name
    }

    private func bounded(_ text: String) throws(Fault) -> String {
        if marks == .separated { return text.boundedIdentifier }
        guard text.isStreamSafe else { throw .marks }
        return text
    }

    private mutating func string() throws(Fault) -> String {
        position += 1
        let start = position
        while let next = peek, next != UInt8(ascii: "\""), next != UInt8(ascii: "\\"), next >= 0x20 {
            position += 1
            try ask()
        }
        if take(UInt8(ascii: "\"")) { return try text(bytes[start..<position - 1]) }
        var unescaped = Array(bytes[start..<position])
        while let next = peek {
            try ask()
            position += 1
            switch next {
            case UInt8(ascii: "\""): return try text(unescaped[...])
            case UInt8(ascii: "\\"): unescaped += try escape()
            case 0x20...: unescaped.append(next)
            default: throw .control
            }
        }
        throw .syntax
    }

    private func text(_ bytes: ArraySlice<UInt8>) throws(Fault) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        // Decoding repairs invalid UTF-8; a repaired text differs from the original.
        let isSame = text.utf8.withContiguousStorageIfAvailable { written in
            bytes.withUnsafeBufferPointer { written.elementsEqual($0) }
        }
        guard isSame ?? text.utf8.elementsEqual(bytes) else { throw .text }
        return text
    }

    /// The character after a backslash, as UTF-8.
    private mutating func escape() throws(Fault) -> [UInt8] {
        guard let kind = peek else { throw .syntax }
        position += 1
        switch kind {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [kind]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0c]
        case UInt8(ascii: "n"): return [0x0a]
        case UInt8(ascii: "r"): return [0x0d]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): break
        default: throw .syntax
        }
        var code = try hexadecimal()
        if (0xd800...0xdbff).contains(code), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) {
            let low = try hexadecimal()
            guard (0xdc00...0xdfff).contains(low) else { throw .text }
            code = 0x10000 + (code - 0xd800) << 10 + (low - 0xdc00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw .text }
        return Array(String(Character(scalar)).utf8)
    }
}
