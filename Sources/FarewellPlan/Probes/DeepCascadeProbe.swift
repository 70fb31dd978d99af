// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// SQLite: whether rows of a table refer to each other in chains that a cascade cannot follow to the end.
package struct DeepCascadeProbe {
    /// `nil` on another database.
    private let context: CheckContext?
    /// The most rows that a cascade of SQLite passes, one after the other (`SQLITE_MAX_TRIGGER_DEPTH`).
    private static let deepest: Int64 = 1000
    /// The most rows that are followed in each table.
    private static let most = 200_000

    package init(_ plan: Plan, _ schema: Schema) {
        context = schema.dialect.hasColumnTypes ? nil : CheckContext(plan, schema)
    }

    package func findings(on connection: any SQLConnection) async throws -> [Finding] {
        guard let context else { return [] }
        var findings: [Finding] = []
        for (entry, table) in context.entries where entry.rule.erasesRows {
            for key in context.map.keys(of: table.name).map(\.key)
            where key.target == table.name && key.onDelete == .cascade && key.isPaired {
                let found = try await connection.run(statement(key, in: table)).scalar?.integer ?? 0
                guard found > Self.deepest else { continue }
                findings.append(
                    Finding(
                        "key.deep-cascade", .warning, table: table.name, column: key.columns.first,
                        "Rows of this table refer to each other by this key in a chain of more than "
                            + "\(Self.deepest) rows. SQLite refuses a cascade along such a chain, so the erasure of "
                            + "its first rows would park.",
                        remedy: "Set the key to null in every 500th row of the chain, or declare it without ON DELETE "
                            + "CASCADE."))
            }
        }
        return findings
    }

    /// The length of the longest chain, depth first, so that a long one is found early.
    private func statement(_ key: ForeignKey, in table: SchemaTable) -> SQLStatement {
        let dialect = SQLDialect.sqlite
        let rows = dialect.quoted(table.name.name)
        let places = key.columns.indices
        let names = places.map { "k\($0)" }.joined(separator: ", ")
        let values = key.targetColumns.map { "t." + dialect.quoted($0) }.joined(separator: ", ")
        let isFirst = key.columns.map { "t.\(dialect.quoted($0)) IS NULL" }.joined(separator: " OR ")
        let follows = places.map { "t.\(dialect.quoted(key.columns[$0])) = d.k\($0)" }.joined(separator: " AND ")
        return SQLStatement(
            "WITH RECURSIVE d (\(names), n) AS (SELECT \(values), 1 FROM \(rows) AS t WHERE \(isFirst) UNION ALL "
                + "SELECT \(values), d.n + 1 FROM d JOIN \(rows) AS t ON \(follows) WHERE d.n <= \(Self.deepest) "
                + "ORDER BY \(places.count + 1) DESC LIMIT \(Self.most)) SELECT max(n) FROM d")
    }
}
