// SPDX-License-Identifier: Apache-2.0
import Farewell

/// One-dimensional arrays in text form (PostgreSQL manual, 8.15.6): `{1,NULL,"a \"quoted\" text"}`.
enum PostgreSQLArray {
    static func encode(_ elements: [SQLValue]) throws -> String {
        "{" + (try elements.map(element).joined(separator: ",")) + "}"
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

    private static func element(_ value: SQLValue) throws -> String {
        switch value {
        case .null: "NULL"
        case .array:
            throw FarewellError("sql.0A000", .ours, "Only one-dimensional arrays can be sent.")
        default: quoted(try PostgreSQLText.encode(value))
        }
    }

    private static func quoted(_ text: String) -> String {
        var output: [UInt8] = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { output.append(UInt8(ascii: "\\")) }
            output.append(byte)
        }
        output.append(UInt8(ascii: "\""))
        return String(decoding: output, as: UTF8.self)
    }
}
