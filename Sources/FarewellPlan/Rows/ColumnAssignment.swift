// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Writes what becomes of one column of a row that stays: `"city" = NULL`.
package struct ColumnAssignment {
    let dialect: SQLDialect
    let table: SchemaTable

    package init(dialect: SQLDialect, table: SchemaTable) {
        self.dialect = dialect
        self.table = table
    }

    /// The assignment, or `nil` where the column's value stays as it is.
    func text(for planned: TablePlan.PlannedColumn, _ build: inout RowStatementBuilder) throws -> String? {
        guard let rule = planned.rule, let column = table[planned.name] else { return nil }
        let target = build.quoted(column.name)
        switch rule {
        case .retain, .notPersonal: return nil
        case .null: return "\(target) = NULL"
        case .constant(let text): return "\(target) = \(constant(text, column, &build))"
        case .keyedHash: return "\(target) = \(hash(column, &build))"
        case .expression(let expression): return "\(target) = \(cast(try value(expression, &build), column))"
        }
    }

    /// Whether a row still holds something else than the rule says; `nil` where reading cannot tell.
    func violation(of planned: TablePlan.PlannedColumn, _ build: inout RowStatementBuilder) -> String? {
        guard let rule = planned.rule, let column = table[planned.name] else { return nil }
        let target = "t." + build.quoted(column.name)
        switch rule {
        case .null: return "\(target) IS NOT NULL"
        case .constant(let text):
            let differs = dialect == .postgresql ? "IS DISTINCT FROM" : "IS NOT"
            return "\(column.compared(target)) \(differs) \(column.compared(constant(text, column, &build)))"
        case .retain, .notPersonal, .keyedHash, .expression: return nil
        }
    }

    package func constant(_ text: String, _ column: SchemaColumn, _ build: inout RowStatementBuilder) -> String {
        let parameter = build.parameter(.text(text))
        return dialect == .postgresql ? "CAST(\(parameter)::text AS \(column.type))" : parameter
    }

    /// HMAC-SHA-256 of the value as lower-case hex, under a key that dies with the run. PostgreSQL has the
    /// hash but not the construction, so the two padded keys are handed in (RFC 2104).
    private func hash(_ column: SchemaColumn, _ build: inout RowStatementBuilder) -> String {
        let name = ColumnName(table.name, column.name)
        let value = "t." + build.quoted(column.name)
        guard dialect == .postgresql else {
            let hash = "farewell_keyed_hash(\(build.parameter(.hashKey(name))), \(value))"
            return column.maximumLength.map { "substr(\(hash), 1, \($0))" } ?? hash
        }
        let inner = build.parameter(.hashPad(name, 0x36))
        let outer = build.parameter(.hashPad(name, 0x5c))
        let bytes = "convert_to(\(value)::text, 'UTF8')"
        let digest = "sha256(\(outer)::bytea || sha256(\(inner)::bytea || \(bytes)))"
        if column.kind == .uuid { return "CAST(left(encode(\(digest), 'hex'), 32) AS uuid)" }
        let hex = "encode(\(digest), 'hex')"
        return column.maximumLength.map { "left(\(hex), \($0))" } ?? hex
    }

    private func cast(_ value: String, _ column: SchemaColumn) -> String {
        dialect == .postgresql ? "CAST(\(value) AS \(column.type))" : value
    }

    // MARK: Expressions

    private func value(_ expression: ColumnExpression, _ build: inout RowStatementBuilder) throws -> String {
        switch expression {
        case .column(let name):
            guard let column = table[name] else {
                throw FarewellError(
                    "plan.unknown-name", .yoursToFix,
                    "An expression for \(table.name) names a column the table does not have: \(name).",
                    remedy: "Run farewell check and correct the plan.")
            }
            let value = "t." + build.quoted(name)
            // PostgreSQL has no functions over enums and compares none with text.
            return column.labels == nil ? value : "CAST(\(value) AS text)"
        case .text(let text): return typed(build.parameter(.text(text)), "text")
        case .integer(let number): return typed(build.parameter(.integer(number)), "integer")
        case .call(let function, let arguments):
            return try call(function, try arguments.map { try value($0, &build) })
        }
    }

    private func typed(_ parameter: String, _ type: String) -> String {
        dialect == .postgresql ? "\(parameter)::\(type)" : parameter
    }

    private func call(_ function: ColumnExpression.Function, _ values: [String]) throws -> String {
        let list = values.joined(separator: ", ")
        let first = values.first ?? "NULL"
        let second = values.count > 1 ? values[1] : "0"
        switch (function, dialect) {
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
