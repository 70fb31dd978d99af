// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// Whether a constant can be stored in a column.
enum ConstantFit {
    /// Why not, in a few words; `nil` when it fits or nothing can be said about the type.
    static func problem(_ text: String, _ column: SchemaColumn) -> String? {
        if let length = column.maximumLength, text.unicodeScalars.count > length {
            return "it has \(text.unicodeScalars.count) characters, the column takes \(length)"
        }
        if text.unicodeScalars.contains("\0") { return "it contains a NUL character" }
        if let labels = column.labels { return labels.contains(text) ? nil : "it is not one of its labels" }
        switch column.kind {
        case .integer: return Int64(text) == nil ? "it is not a whole number" : nil
        case .number: return Decimal(string: text) == nil || !isNumber(text) ? "it is not a number" : nil
        case .boolean:
            return ["true", "false", "0", "1", "t", "f"].contains(text.lowercased()) ? nil : "it is not true or false"
        case .uuid: return UUID(text: text) == nil ? "it is not a UUID" : nil
        case .timestamp: return isDate(text) ? nil : "it is not a date such as 2000-01-01"
        case .json:
            let value = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
            return value == nil ? "it is not JSON" : nil
        case .array: return text.hasPrefix("{") && text.hasSuffix("}") ? nil : "it is not an array such as {}"
        case .text, .bytes, .other: return nil
        }
    }

    static func isNumber(_ text: String) -> Bool {
        !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isNumber || "+-.eE".contains($0)) }
    }

    private static func isDate(_ text: String) -> Bool {
        let date = text.prefix(10).split(separator: "-", omittingEmptySubsequences: false)
        guard date.count == 3, date[0].count == 4, let month = Int(date[1]), let day = Int(date[2]),
            Int(date[0]) != nil
        else { return false }
        return (1...12).contains(month) && (1...31).contains(day)
    }
}
