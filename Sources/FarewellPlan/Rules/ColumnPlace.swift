// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// A column that has a rule, with the facts that a check of the rule needs.
struct ColumnPlace {
    let entry: TablePlan
    let table: SchemaTable
    let column: SchemaColumn
    /// Whether it is of a key that refers to another table.
    let isReferring: Bool
    let dialect: SQLDialect
    let hints: NameHints

    static let correct = "Correct the column's rule."

    /// The column's type, safe to show.
    var type: String { Shown.line(column.type, limit: 60) }

    /// The remedy for a column that refers to another table's key, which cannot become a hash.
    var keyRemedy: String {
        column.isNullable
            ? "Use null."
            : "Make the column nullable and use null, or use {constant: …} with the key of a row that stays."
    }

    /// That rows would be the same in a column that must be unique.
    var collision: Finding? { ConstantCollision(entry: entry, table: table).finding(at: column.name) }

    func finding(_ code: Finding.Code, _ message: String, _ remedy: String) -> Finding {
        Finding(code, .error, table: table.name, column: column.name, message, remedy: remedy)
    }

    /// `: sad, glad`; nothing for an enum that has no labels yet.
    static func list(_ labels: [String]) -> String {
        labels.isEmpty ? "" : ": " + Shown.line(labels.joined(separator: ", "), limit: 200)
    }
}
