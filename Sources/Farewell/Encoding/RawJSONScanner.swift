// SPDX-License-Identifier: Apache-2.0

/// Moves over the values of a JSON text (RFC 8259) and checks their syntax. It keeps none of them, and its stack does
/// not grow with their depth: a document of another system may be nested without end.
struct RawJSONScanner: JSONCursor {
    let bytes: ArraySlice<UInt8>
    private let depth: Int
    var position: Int

    static let endOfObject = UInt8(ascii: "}")
    static let endOfArray = UInt8(ascii: "]")

    init(_ bytes: ArraySlice<UInt8>, depth: Int) {
        self.bytes = bytes
        self.depth = depth
        position = bytes.startIndex
    }

    /// The one value of the whole text.
    mutating func whole() throws(StrictJSON.Fault) -> Range<Int> {
        skipSpace()
        let range = try skip(at: 0)
        skipSpace()
        guard position == bytes.endIndex else { throw .syntax }
        return range
    }

    /// Moves behind a value, and returns its place.
    ///
    /// - Parameter level: The number of objects and arrays around it.
    mutating func skip(at level: Int) throws(StrictJSON.Fault) -> Range<Int> {
        let start = position
        // The ends of the objects and arrays that are open here.
        var ends: [UInt8] = []
        while true {
            var isFirst = false
            if let end = try open(at: level + ends.count + 1) {
                ends.append(end)
                isFirst = true
            } else {
                try skipPlain()
            }
            // On to the next value.
            while let end = ends.last {
                if try isNext(before: end, isFirst: isFirst) {
                    if end == Self.endOfObject { _ = try name() }
                    break
                }
                ends.removeLast()
                isFirst = false
            }
            if ends.isEmpty { return start..<position }
        }
    }

    // MARK: Objects and arrays

    /// Moves into the object or array that begins here.
    ///
    /// - Returns: Its end; `nil` if another value begins here.
    mutating func open(at level: Int) throws(StrictJSON.Fault) -> UInt8? {
        let end: UInt8
        switch peek {
        case UInt8(ascii: "{"): end = Self.endOfObject
        case UInt8(ascii: "["): end = Self.endOfArray
        default: return nil
        }
        guard level <= depth else { throw .depth }
        position += 1
        return end
    }

    /// Moves to the next member or element; behind the end if there is none.
    mutating func isNext(before end: UInt8, isFirst: Bool) throws(StrictJSON.Fault) -> Bool {
        skipSpace()
        if take(end) { return false }
        if !isFirst {
            guard take(UInt8(ascii: ",")) else { throw .syntax }
            skipSpace()
        }
        return true
    }

    /// Moves over the name of a member, to its value.
    mutating func name() throws(StrictJSON.Fault) -> Range<Int> {
        guard peek == UInt8(ascii: "\"") else { throw .syntax }
        let name = try string()
        skipSpace()
        guard take(UInt8(ascii: ":")) else { throw .syntax }
        skipSpace()
        return name
    }

    /// The text of a string in its quotes.
    static func text(_ quoted: ArraySlice<UInt8>) throws(StrictJSON.Fault) -> String {
        guard quoted.contains(UInt8(ascii: "\\")) else {
            return String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self).boundedIdentifier
        }
        return try StrictJSON.value(Array(quoted), marks: .separated).string ?? ""
    }

    // MARK: Values without parts

    private mutating func skipPlain() throws(StrictJSON.Fault) {
        switch peek {
        case UInt8(ascii: "\""): _ = try string()
        case UInt8(ascii: "t"): try skip(word: "true")
        case UInt8(ascii: "f"): try skip(word: "false")
        case UInt8(ascii: "n"): try skip(word: "null")
        default: _ = try skipNumber()
        }
    }

    private mutating func string() throws(StrictJSON.Fault) -> Range<Int> {
        let start = position
        position += 1
        while let next = peek, next >= 0x20 {
            position += 1
            switch next {
            case UInt8(ascii: "\""): return start..<position
            case UInt8(ascii: "\\"): try escape()
            default: break
            }
        }
        throw peek == nil ? .syntax : .control
    }

    private mutating func escape() throws(StrictJSON.Fault) {
        guard let kind = peek else { throw .syntax }
        position += 1
        guard kind == UInt8(ascii: "u") else {
            guard "\"\\/bfnrt".utf8.contains(kind) else { throw .syntax }
            return
        }
        _ = try hexadecimal()
    }
}
