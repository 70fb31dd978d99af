// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Reads XML without document types, entities of its own, processing instructions inside, or more depth than such
/// answers have.
package struct XMLText {
    private let bytes: [UInt8]
    private var position = 0
    private static let depth = 16

    /// The outermost element.
    ///
    /// - Throws: `ConnectorFault.garbled`.
    package static func read(_ bytes: [UInt8], from system: String) throws -> XMLElement {
        var reader = XMLText(bytes: bytes)
        do {
            return try reader.document()
        } catch is Fault {
            throw ConnectorFault.garbled(system, "its XML cannot be read")
        }
    }

    private struct Fault: Error {}

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func document() throws -> XMLElement {
        skipSpace()
        if take("<?xml") { try skip(past: "?>") }
        skipSpace()
        let root = try element(at: 1)
        skipSpace()
        guard position == bytes.count else { throw Fault() }
        return root
    }

    private mutating func element(at level: Int) throws -> XMLElement {
        guard level <= Self.depth, take("<") else { throw Fault() }
        var element = XMLElement(name: name())
        guard !element.name.isEmpty else { throw Fault() }
        // Attributes are namespaces; they are passed over.
        while let next = peek, next != UInt8(ascii: ">"), next != UInt8(ascii: "/") {
            guard next != UInt8(ascii: "<") else { throw Fault() }
            position += 1
            if next == UInt8(ascii: "\"") || next == UInt8(ascii: "'") { try skip(past: [next]) }
        }
        if take("/>") { return element }
        guard take(">") else { throw Fault() }
        var text: [UInt8] = []
        while true {
            if take("</") {
                guard name() == element.name else { throw Fault() }
                skipSpace()
                guard take(">") else { throw Fault() }
                // White space between elements says nothing.
                element.text = element.children.isEmpty ? try Self.utf8(text) : ""
                return element
            }
            guard let next = peek else { throw Fault() }
            switch next {
            case UInt8(ascii: "<"): element.children.append(try self.element(at: level + 1))
            case UInt8(ascii: "&"): text += try entity()
            default:
                text.append(next)
                position += 1
            }
        }
    }

    private mutating func entity() throws -> [UInt8] {
        let known: [(String, String)] = [
            ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"), ("&quot;", "\""), ("&apos;", "'"),
        ]
        for (written, meant) in known where take(written) { return Array(meant.utf8) }
        guard take("&#") else { throw Fault() }
        let radix = take("x") ? 16 : 10
        let start = position
        while let next = peek, next != UInt8(ascii: ";"), position - start < 8 { position += 1 }
        let digits = String(decoding: bytes[start..<position], as: UTF8.self)
        guard take(";"), let code = UInt32(digits, radix: radix), let scalar = Unicode.Scalar(code) else {
            throw Fault()
        }
        return Array(String(Character(scalar)).utf8)
    }

    /// A name without its namespace.
    private mutating func name() -> String {
        let start = position
        while let next = peek, !" \t\r\n/><=\"'&".utf8.contains(next) { position += 1 }
        let name = String(decoding: bytes[start..<position], as: UTF8.self).streamSafe
        return name.split(separator: ":").last.map(String.init) ?? name
    }

    private static func utf8(_ bytes: [UInt8]) throws -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Fault() }
        return text.boundedIdentifier
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ text: String) -> Bool {
        guard bytes[position...].starts(with: text.utf8) else { return false }
        position += text.utf8.count
        return true
    }

    private mutating func skip(past text: String) throws { try skip(past: Array(text.utf8)) }

    private mutating func skip(past end: [UInt8]) throws {
        while position < bytes.count {
            if bytes[position...].starts(with: end) {
                position += end.count
                return
            }
            position += 1
        }
        throw Fault()
    }

    private mutating func skipSpace() {
        while let next = peek, next == 0x20 || next == 0x0a || next == 0x0d || next == 0x09 { position += 1 }
    }
}
