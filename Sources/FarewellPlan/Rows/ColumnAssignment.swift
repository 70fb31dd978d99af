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

    /// The assignment, or `nil` if the column's value stays as it is.
    func text(for planned: TablePlan.PlannedColumn, _ build: inout RowStatementBuilder) throws -> String? {
        guard let rule = planned.rule, let column = table[planned.name] else { return nil }
        return try rule.kind.value(for: column, self, &build).map { "\(build.quoted(column.name)) = \($0)" }
    }

    /// Whether a row's value still differs from the rule; `nil` if reading cannot show it.
    func violation(of planned: TablePlan.PlannedColumn, _ build: inout RowStatementBuilder) -> String? {
        guard let rule = planned.rule, let column = table[planned.name] else { return nil }
        return rule.kind.violation(of: "t." + build.quoted(column.name), column, self, &build)
    }

    package func constant(_ text: String, _ column: SchemaColumn, _ build: inout RowStatementBuilder) -> String {
        dialect.castText(build.parameter(.text(text)), as: column.type)
    }

    /// HMAC-SHA-256 of the value as lower-case hex, under a key that dies with the run. PostgreSQL has the
    /// hash but not the construction, so the two padded keys are handed in (RFC 2104).
    func hash(_ column: SchemaColumn, _ build: inout RowStatementBuilder) -> String {
        let name = ColumnName(table.name, column.name)
        let value = "t." + build.quoted(column.name)
        guard dialect.hasHashes else {
            let hash = "farewell_keyed_hash(\(build.parameter(.hashKey(name))), \(value))"
            return column.maximumLength.map { "substr(\(hash), 1, \($0))" } ?? hash
        }
        let inner = build.parameter(.hashPad(name, 0x36))
        let outer = build.parameter(.hashPad(name, 0x5c))
        let bytes = isDistributed ? Self.bytes(of: value) : "convert_to(\(value)::text, 'UTF8')"
        let digest = "sha256(\(outer)::bytea || sha256(\(inner)::bytea || \(bytes)))"
        if column.kind == .uuid { return "CAST(left(encode(\(digest), 'hex'), 32) AS uuid)" }
        let hex = "encode(\(digest), 'hex')"
        return column.maximumLength.map { "left(\(hex), \($0))" } ?? hex
    }

    func cast(_ value: String, _ column: SchemaColumn) -> String {
        dialect.cast(value, as: column.type)
    }

    // MARK: Expressions

    func value(_ expression: ColumnExpression, _ build: inout RowStatementBuilder) throws -> String {
        switch expression {
        case .column(let name):
            guard let column = table[name] else {
                throw FarewellError(
                    "plan.unknown-name", .yoursToFix,
                    "An expression for \(table.name) names a column that the table does not have: \(name).",
                    remedy: "Run farewell check and correct the plan.")
            }
            let value = "t." + build.quoted(name)
            // PostgreSQL has no functions over enums and compares none with text.
            return column.labels == nil ? value : "CAST(\(value) AS text)"
        case .text(let text): return dialect.typed(build.parameter(.text(text)), "text")
        case .integer(let number): return dialect.typed(build.parameter(.integer(number)), "integer")
        case .call(let function, let arguments):
            let values = try arguments.map { try value($0, &build) }
            return isDistributed ? call(function, arguments, values) : dialect.call(function, values)
        }
    }
}
