// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

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

    /// Whether an expression yields only labels of an enum, or null.
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
