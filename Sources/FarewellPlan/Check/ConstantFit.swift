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

/// Whether a keyed hash, which is hexadecimal text or made into a UUID, can be stored in a column.
enum HashFit {
    static func fits(_ column: SchemaColumn) -> Bool {
        guard column.labels == nil else { return false }
        let length = column.maximumLength ?? .max
        return column.kind == .uuid || column.kind == .text && length >= PlanCheck.shortestHash
    }
}

/// Whether an expression reads what a row has and yields what a column takes.
struct ExpressionFit {
    let table: SchemaTable
    let dialect: SQLDialect
    let hints: NameHints

    /// The kind of an expression's value, as far as it can be known.
    private enum Yield {
        case text(length: Int?)
        case integer, number, unknown
        case kind(SchemaColumn.Kind)
    }

    func problems(_ expression: ColumnExpression, into column: SchemaColumn) -> [String] {
        var problems: [String] = []
        let yield = yield(expression, &problems)
        guard problems.isEmpty else { return problems }
        if let labels = column.labels {
            let type = Shown.line(column.type, limit: 60)
            return isAmong(labels, expression) ? [] : ["it may yield a value that is not a label of \(type)"]
        }
        let isKind: (SchemaColumn.Kind) -> Bool = { $0 == column.kind || column.kind == .other }
        switch yield {
        case .text(let length):
            if ![.text, .json, .bytes, .other].contains(column.kind) {
                problems.append("it yields text, the column is \(Shown.line(column.type, limit: 60))")
            } else if let greatest = column.maximumLength, length.map({ $0 > greatest }) ?? true {
                problems.append(
                    "it may yield more than the column's \(greatest) characters; use left(…, \(greatest))")
            }
        case .integer:
            if !isKind(.integer), !isKind(.number), !isKind(.text) {
                problems.append("it yields a number, the column is \(Shown.line(column.type, limit: 60))")
            }
        case .number:
            if !isKind(.number), !isKind(.integer), !isKind(.text) {
                problems.append("it yields a number, the column is \(Shown.line(column.type, limit: 60))")
            }
        case .kind(let kind):
            if !isKind(kind), !isKind(.text) {
                problems.append("it yields another type than the column's \(Shown.line(column.type, limit: 60))")
            }
        case .unknown:
            break
        }
        return problems
    }

    private func yield(_ expression: ColumnExpression, _ problems: inout [String]) -> Yield {
        switch expression {
        case .column(let name):
            guard let column = table[name] else {
                let hint = hints.hint(name, in: table.columns.map(\.name))
                problems.append("the table has no column \(Shown.name(name))\(hint)")
                return .unknown
            }
            return yield(column)
        case .text(let text): return .text(length: text.unicodeScalars.count)
        case .integer(let number):
            // PostgreSQL is handed numbers as its `integer`.
            if dialect.hasColumnTypes, Int32(exactly: number) == nil {
                problems.append("\(number) is too large for an integer of PostgreSQL")
            }
            return .integer
        case .call(let function, let arguments):
            let yields = arguments.map { yield($0, &problems) }
            return call(function, arguments, yields, &problems)
        }
    }

    /// Whether an expression yields nothing but labels of an enum, or null.
    private func isAmong(_ labels: [String], _ expression: ColumnExpression) -> Bool {
        switch expression {
        case .column(let name): (table[name]?.labels).map { Set($0).isSubset(of: labels) } ?? false
        case .text(let text): labels.contains(text)
        case .call(.coalesce, let arguments): arguments.allSatisfy { isAmong(labels, $0) }
        case .integer, .call: false
        }
    }

    private func yield(_ column: SchemaColumn) -> Yield {
        switch column.kind {
        case .text: .text(length: column.maximumLength)
        case .integer: .integer
        case .number: .number
        case .other: .unknown
        case .boolean, .uuid, .timestamp, .json, .bytes, .array: .kind(column.kind)
        }
    }

    private func call(
        _ function: ColumnExpression.Function, _ arguments: [ColumnExpression], _ yields: [Yield],
        _ problems: inout [String]
    ) -> Yield {
        switch function {
        case .left:
            guard arguments.count == 2, case .integer(let count) = arguments[1], count >= 0 else {
                problems.append("left takes a whole number that is not negative")
                return .text(length: nil)
            }
            return .text(length: count)
        case .lower, .upper:
            guard let first = yields.first, case .text(let length) = first else { return .text(length: nil) }
            return .text(length: length)
        case .concat:
            var sum: Int? = 0
            for yield in yields {
                guard case .text(let length?) = yield, let before = sum else {
                    sum = nil
                    break
                }
                let (total, isTooLong) = before.addingReportingOverflow(length)
                sum = isTooLong ? nil : total
            }
            return .text(length: sum)
        case .year, .length:
            if function == .year, case .kind(let kind) = yields.first ?? .unknown, kind != .timestamp {
                problems.append("year takes a date")
            }
            return .integer
        case .round:
            if case .text = yields.first ?? .unknown { problems.append("round takes a number") }
            return .number
        case .coalesce:
            return yields.first ?? .unknown
        }
    }
}
