// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// What a plan itself writes into one column of rows that stay. Such a value names nobody, however it reads.
package struct WrittenValue: Sendable {
    private let rule: ColumnRule
    private let column: SchemaColumn

    /// `nil` where the plan writes nothing into the column.
    package init?(_ name: String, in entry: TablePlan, of table: SchemaTable) {
        guard entry.rule.rowsStay, let column = table[name],
            let rule = entry.columns.first(where: { ExactText($0.name) == ExactText(name) })?.rule, rule.changesValue
        else { return nil }
        self.rule = rule
        self.column = column
    }

    /// Whether a text is the rule's constant, or reads as one of the rule's hashes. Expressions are asked by SQL.
    package func isWritten(_ text: String) -> Bool { rule.kind.isWritten(text, in: column) }

    /// What the rule's expression makes of a row `t`, with its parameters from `$1` on; `nil` for any other rule.
    ///
    /// A value that the expression makes of its own row was written by the plan, or the plan would not change it.
    package func expression(in table: SchemaTable, _ dialect: SQLDialect) throws -> SQLStatement? {
        var build = RowStatementBuilder(dialect: dialect)
        let text = try rule.kind.computed(ColumnAssignment(dialect: dialect, table: table), &build)
        return text.map { build.statement($0).bound(RowValues(subjects: []), dialect: dialect) }
    }
}
