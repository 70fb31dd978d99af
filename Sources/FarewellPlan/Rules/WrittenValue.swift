// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// A value that the plan itself writes into one column of rows that stay. It names no subject, whatever its text.
package struct WrittenValue: Sendable {
    private let rule: ColumnRule
    private let column: SchemaColumn

    /// `nil` if the plan writes nothing into the column.
    package init?(_ name: String, in entry: TablePlan, of table: SchemaTable) {
        guard entry.rule.rowsStay, let column = table[name],
            let rule = entry.columns.first(where: { ExactText($0.name) == ExactText(name) })?.rule, rule.changesValue
        else { return nil }
        self.rule = rule
        self.column = column
    }

    /// Whether a text is the rule's constant, or looks like one of the rule's hashes. Expressions are checked by SQL.
    package func isWritten(_ text: String) -> Bool { rule.kind.isWritten(text, in: column) }

    /// The value of the rule's expression for a row `t`, with its parameters from `$1` on; `nil` for any other rule.
    ///
    /// A value that the expression makes of its own row was written by the plan, or the plan would not change it.
    package func expression(in table: SchemaTable, _ dialect: SQLDialect) throws -> SQLStatement? {
        var build = RowStatementBuilder(dialect: dialect)
        let text = try rule.kind.computed(ColumnAssignment(dialect: dialect, table: table), &build)
        return text.map { build.statement($0).bound(RowValues(subjects: []), dialect: dialect) }
    }
}
