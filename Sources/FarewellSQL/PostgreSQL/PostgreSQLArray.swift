// SPDX-License-Identifier: Apache-2.0
import Farewell

/// One-dimensional arrays in text form (PostgreSQL manual, 8.15.6): `{1,NULL,"a \"quoted\" text"}`.
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
                let isPlain = !bytes.contains { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
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
