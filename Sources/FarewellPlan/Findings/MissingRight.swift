// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// A right on a table that the connected role lacks, in words and as the statement that grants it.
struct MissingRight {
    private let right: String
    let table: TableName
    private let role: String
    private let dialect: SQLDialect

    /// - Parameter right: One of the table's missing rights: `usage` of its schema, `select`, `update` or `delete`.
    init(_ right: String, on table: TableName, in schema: Schema) {
        self.right = right
        self.table = table
        role = schema.role.name
        dialect = schema.dialect
    }

    /// `The role app`
    var who: String { role.isEmpty ? "This role" : "The role \(Shown.name(role))" }

    /// `use this schema`, `delete here`
    var act: String { right == "usage" ? "use this schema" : "\(right) here" }

    /// The same where no table precedes it: `use the schema app`.
    var actByName: String { isOfSchema ? "use the schema \(Shown.name(table.schema ?? ""))" : act }

    /// Whether all tables of the schema lack it.
    var isOfSchema: Bool { right == "usage" }

    /// `USAGE ON SCHEMA "app"`, `DELETE ON "app"."notes"`
    var grant: String {
        let word = Shown.line(right, limit: 20).uppercased()
        guard right == "usage" else {
            return "\(word) ON " + [table.schema, table.name].compactMap(\.self).map(quoted).joined(separator: ".")
        }
        return "\(word) ON SCHEMA \(quoted(table.schema ?? ""))"
    }

    var remedy: String { "Grant it: GRANT \(grant) TO \(role.isEmpty ? "…" : quoted(role))." }

    private func quoted(_ name: String) -> String { Shown.line(dialect.quoted(name), limit: 160) }
}
