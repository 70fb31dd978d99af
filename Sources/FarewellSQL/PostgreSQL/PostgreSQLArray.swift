// SPDX-License-Identifier: Apache-2.0
import CLibPQ
import Farewell
import Foundation

/// One-dimensional arrays in text form (PostgreSQL manual, 8.15.6): `{1,NULL,"a \"quoted\" text"}`, and in binary form,
/// which the server reads without looking at each character (`array_recv` in its source).
enum PostgreSQLArray {
    static func encode(_ elements: [SQLValue]) throws -> String {
        var text: [UInt8] = [UInt8(ascii: "{")]
        for (place, element) in elements.enumerated() {
            if place > 0 { text.append(UInt8(ascii: ",")) }
            try append(element, to: &text)
        }
        text.append(UInt8(ascii: "}"))
        return String(decoding: text, as: UTF8.self)
    }

    /// The type and the bytes of an array whose elements are all of one kind, or null; `nil` if it goes as text.
    ///
    /// - Parameter isText: Whether texts are meant as texts: in binary form the server converts nothing.
    static func binary(_ elements: [SQLValue], isText: Bool) -> (type: Oid, bytes: [UInt8])? {
        let kinds: (array: Oid, element: Oid)
        switch elements.first(where: { !$0.isNull }) {
        case .uuid: kinds = (2951, 2950)
        case .integer: kinds = (1016, 20)
        case .bytes: kinds = (1001, 17)
        case .text where isText: kinds = (1009, 25)
        default: return nil
        }
        var bytes: [UInt8] = []
        let hasNull = elements.contains(where: \.isNull)
        for number in [1, hasNull ? 1 : 0, UInt32(kinds.element), UInt32(elements.count), 1] {
            append(number, to: &bytes)
        }
        for element in elements {
            switch (element, kinds.element) {
            case (.null, _): append(.max, to: &bytes)
            case (.uuid(let uuid), 2950): withUnsafeBytes(of: uuid.uuid) { append($0, to: &bytes) }
            case (.integer(let number), 20): withUnsafeBytes(of: number.bigEndian) { append($0, to: &bytes) }
            case (.bytes(let content), 17): content.withUnsafeBytes { append($0, to: &bytes) }
            case (.text(var text), 25):
                // The text form reports a NUL.
                guard !text.containsNul else { return nil }
                text.withUTF8 { append(UnsafeRawBufferPointer($0), to: &bytes) }
            default: return nil
            }
        }
        return (kinds.array, bytes)
    }

    private static func append(_ number: UInt32, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    private static func append(_ content: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
        append(UInt32(content.count), to: &bytes)
        bytes.append(contentsOf: content)
    }

    /// `nil` when it is not a one-dimensional array that counts from 1.
    static func decode(_ text: UnsafeBufferPointer<UInt8>, of type: PostgreSQLType) -> SQLValue? {
        guard text.count >= 2, text.first == UInt8(ascii: "{"), text.last == UInt8(ascii: "}") else { return nil }
        let content = UnsafeBufferPointer(rebasing: text[1..<(text.count - 1)])
        guard !content.isEmpty else { return .array([]) }
        var elements: [SQLValue] = []
        var word: [UInt8] = []
        var wasQuoted = false
        var isQuoted = false
        var index = 0
        func finish() {
            let isNull = !wasQuoted && word.count == 4 && word.elementsEqual("NULL".utf8)
            elements.append(isNull ? .null : word.withUnsafeBufferPointer { PostgreSQLText.decode($0, as: type) })
            word.removeAll(keepingCapacity: true)
            wasQuoted = false
        }
        while index < content.count {
            let byte = content[index]
            switch byte {
            case UInt8(ascii: "\\") where index + 1 < content.count:
                index += 1
                word.append(content[index])
            case UInt8(ascii: "\""):
                isQuoted.toggle()
                wasQuoted = true
            case UInt8(ascii: ",") where !isQuoted: finish()
            case UInt8(ascii: "{") where !isQuoted: return nil
            default: word.append(byte)
            }
            index += 1
        }
        finish()
        return .array(elements)
    }

    private static func append(_ value: SQLValue, to text: inout [UInt8]) throws {
        switch value {
        case .null: text += "NULL".utf8
        case .array:
            throw FarewellError("sql.0A000", .ours, "Only one-dimensional arrays can be sent.")
        default:
            text.append(UInt8(ascii: "\""))
            var element = try PostgreSQLText.encode(value)
            element.withUTF8 { bytes in
                guard let start = bytes.baseAddress, bytes.count > 0 else { return }
                let isPlain = memchr(start, 0x22, bytes.count) == nil && memchr(start, 0x5C, bytes.count) == nil
                guard !isPlain else { return text.append(contentsOf: bytes) }
                for byte in bytes {
                    if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { text.append(UInt8(ascii: "\\")) }
                    text.append(byte)
                }
            }
            text.append(UInt8(ascii: "\""))
        }
    }
}
