// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// SQLite: whether a key of the database from a column of numbers refers to texts that are equal as numbers. `7` and
/// `07` are two rows, but a row that refers to `7` is deleted with `07` (`CASCADE`), or keeps `07` from being deleted.
package struct NumberKeyProbe {
    /// `nil` on another database.
    private let context: CheckContext?
    /// The most texts that are counted.
    private static let most: Int64 = 1000

    package init(_ plan: Plan, _ schema: Schema) {
        context = schema.dialect.hasColumnTypes ? nil : CheckContext(plan, schema)
    }

    package func findings(on connection: any SQLConnection) async throws -> [Finding] {
        guard let context else { return [] }
        var findings: [Finding] = []
        for table in context.map.listed {
            for key in context.map.keys(of: table.name).map(\.key)
            where key.isPaired && key.columns.count == 1 && context.isErased(key.target) {
                guard let target = context.map[key.target], table[key.columns[0]]?.kind.isNumeric == true,
                    target[key.targetColumns[0]]?.kind == .text
                else { continue }
                let refused = try await connection.run(statement(key, in: table)).scalar?.integer ?? 0
                guard refused > 0 else { continue }
                findings.append(finding(refused, key, in: table))
            }
        }
        return findings
    }

    private func finding(_ refused: Int64, _ key: ForeignKey, in table: SchemaTable) -> Finding {
        let place = Shown.name(ColumnName(key.target, key.targetColumns[0]).description)
        let number = refused == Self.most ? "\(refused) or more" : "\(refused)"
        let values = refused == 1 ? "value of \(place) equals" : "values of \(place) equal"
        let which = refused == 1 ? "is" : "are"
        return Finding(
            "key.number-of-text", .warning, table: table.name, column: key.columns[0],
            "\(number) \(values) a number of this column and \(which) written otherwise, like 07 beside 7. By the key, "
                + "SQLite takes the two for one: the erasure of such a row would delete rows of another user, or be "
                + "refused, and parks.",
            remedy: "Declare this column as text, so that its values are compared as they are written.")
    }

    private func statement(_ key: ForeignKey, in table: SchemaTable) -> SQLStatement {
        let dialect = SQLDialect.sqlite
        let (number, text) = (dialect.quoted(key.columns[0]), dialect.quoted(key.targetColumns[0]))
        return SQLStatement(
            "SELECT count(*) FROM (SELECT DISTINCT k.\(text) FROM \(dialect.quoted(table.name.name)) AS t "
                + "JOIN \(dialect.quoted(key.target.name)) AS k ON t.\(number) = k.\(text) "
                + "WHERE typeof(t.\(number)) <> 'text' AND typeof(k.\(text)) = 'text' "
                + "AND CAST(t.\(number) AS TEXT) <> k.\(text) LIMIT \(Self.most))")
    }
}
