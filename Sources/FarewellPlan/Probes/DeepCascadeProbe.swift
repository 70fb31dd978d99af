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
    ///
    /// A chain begins with a row that refers to no row: its key is null or leads nowhere. Rows that none of these leads
    /// to refer to each other in a circle, such as a root that names itself: their chains begin in any of them, and end
    /// before the row that they begin with.
    private func statement(_ key: ForeignKey, in table: SchemaTable) -> SQLStatement {
        let dialect = SQLDialect.sqlite
        let rows = dialect.quoted(table.name.name)
        let places = key.columns.indices
        func list(_ text: (Int) -> String, _ joint: String = ", ") -> String {
            places.map(text).joined(separator: joint)
        }
        func own(_ place: Int) -> String { "t.\(dialect.quoted(key.targetColumns[place]))" }
        func parent(_ place: Int) -> String { "t.\(dialect.quoted(key.columns[place]))" }
        let names = list { "k\($0)" }
        let values = list(own)
        let isNull = list({ "\(parent($0)) IS NULL" }, " OR ")
        let isParent = list({ "p.\(dialect.quoted(key.targetColumns[$0])) = \(parent($0))" }, " AND ")
        let isFirst = "\(isNull) OR NOT EXISTS (SELECT 1 FROM \(rows) AS p WHERE \(isParent))"
        let follows = list({ "\(parent($0)) = d.k\($0)" }, " AND ")
        let isKnown = list({ "r.k\($0) = \(own($0))" }, " AND ")
        let isStart = list({ "\(own($0)) IS d.s\($0)" }, " AND ")
        let first = "SELECT \(values) FROM \(rows) AS t WHERE \(isFirst)"
        let reached =
            "r (\(names)) AS (\(first) UNION ALL SELECT \(values) FROM r AS d JOIN \(rows) AS t ON \(follows) "
            + "LIMIT \(Self.most))"
        let circles =
            "SELECT \(values) FROM \(rows) AS t WHERE NOT EXISTS (SELECT 1 FROM r WHERE \(isKnown)) "
            + "LIMIT \(Self.deepest)"
        let (starts, start) = (list { "s\($0)" }, list { "d.s\($0)" })
        let next =
            "SELECT \(values), d.n + 1, \(start) FROM d JOIN \(rows) AS t ON \(follows) "
            + "WHERE d.n <= \(Self.deepest) AND NOT (\(isStart))"
        let chains =
            "d (\(names), n, \(starts)) AS (SELECT \(names), 1, \(names) FROM begun UNION ALL \(next) "
            + "ORDER BY \(places.count + 1) DESC LIMIT \(Self.most))"
        let begun = "begun (\(names)) AS (\(first) UNION ALL SELECT * FROM (\(circles)))"
        return SQLStatement("WITH RECURSIVE \(reached), \(begun), \(chains) SELECT max(n) FROM d")
    }
}
