// SPDX-License-Identifier: Apache-2.0
import Farewell

extension SQLDialect {
    /// A call of a function of the plan's expressions in SQL.
    package func call(_ function: ColumnExpression.Function, _ values: [String]) -> String {
        let list = values.joined(separator: ", ")
        let first = values.first ?? "NULL"
        let second = values.count > 1 ? values[1] : "0"
        switch (function, self) {
        case (.left, .postgresql): return "left(\(first)::text, \(second))"
        case (.left, .sqlite): return "substr(\(first), 1, \(second))"
        case (.lower, _): return "lower(\(first))"
        case (.upper, _): return "upper(\(first))"
        case (.length, _): return "length(\(first))"
        case (.coalesce, _): return values.count == 1 ? first : "coalesce(\(list))"
        case (.concat, .postgresql): return "concat(\(list))"
        case (.concat, .sqlite): return "(" + values.map { "coalesce(\($0), '')" }.joined(separator: " || ") + ")"
        case (.year, .postgresql): return "extract(year FROM \(first)::timestamptz)::integer"
        case (.year, .sqlite): return "CAST(strftime('%Y', \(first)) AS INTEGER)"
        case (.round, .postgresql): return "round(\(first)::numeric, \(second))"
        case (.round, .sqlite): return "round(\(first) * pow(10, \(second))) / pow(10, \(second))"
        }
    }
}
