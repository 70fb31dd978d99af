// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

extension ErasureEngine {
    /// Chooses subjects for a rehearsal: first some who have rows in the tables that name them, then any.
    ///
    /// - Returns: Keys as text, at most `number` of them; fewer if there are fewer subjects.
    public func sampleSubjects(_ number: Int) async throws -> [String] {
        let (graph, resolver) = (prepared.program.graph, SubjectResolver(prepared: prepared))
        let build = RowStatementBuilder(dialect: graph.dialect)
        let questions = graph.nodes.flatMap { node in
            // A list holds several keys, and names no subject as it is.
            let edges = node.links.filter { $0.isDirect && $0.link.path.isEmpty && $0.link.list == nil }
            return edges.filter { _ in node.index != graph.root }.map { edge in
                let column = "t.\(build.quoted(edge.link.columns[0]))"
                var values: [SQLValue] = []
                let conditions = edge.link.condition.parts.map { part in
                    if part.isNull { return " AND t.\(build.quoted(part.column)) IS NULL" }
                    let marks = part.values.map { value in
                        values.append(.text(value))
                        return graph.dialect.cast("$\(values.count)", as: "text")
                    }
                    let named = graph.dialect.cast("t.\(build.quoted(part.column))", as: "text")
                    return " AND \(named) IN (\(marks.joined(separator: ", ")))"
                }
                let isKey = "\(column) IS NOT NULL\(Self.isText(column, graph.dialect))"
                return SQLStatement(
                    "SELECT \(graph.dialect.cast(column, as: "text")) FROM \(build.rows(of: node.table)) AS t "
                        + "WHERE \(isKey)\(conditions.joined()) LIMIT 1", values)
            }
        }
        let root = graph.nodes[graph.root].table
        let own = "t.\(build.quoted(graph.keyColumn.name))"
        let key = graph.dialect.cast(own, as: "text")
        let chosen = SQLStatement(
            "SELECT \(key) FROM \(graph.subjects(build)) AS t\(Self.part(of: root, number, graph.dialect)) "
                + "WHERE \(own) IS NOT NULL\(Self.isText(own, graph.dialect)) ORDER BY random() LIMIT $1",
            [.integer(Int64(number))])
        let (named, others) = try await database.withConnection { connection in
            let asked = questions.prefix(number * 4)
            return (
                try await connection.pipeline(Array(asked)).compactMap(\.scalar), try await connection.run(chosen).rows
            )
        }
        var seen: Set<SQLValue> = []
        let all = named.prefix((number + 1) / 2) + others.compactMap(\.first) + named.dropFirst((number + 1) / 2)
        return all.compactMap(\.text).filter { text in
            // Bytes that are no UTF-8 are read as this sign, and name no subject.
            guard !text.unicodeScalars.contains("\u{FFFD}"), let key = try? resolver.key(text) else { return false }
            return seen.insert(key.asSubject).inserted
        }.prefix(number).map(\.self)
    }

    /// SQLite: a condition that a text ends nowhere before its end, as at a NUL character.
    private static func isText(_ value: String, _ dialect: SQLDialect) -> String {
        dialect.hasColumnTypes ? "" : " AND instr(CAST(\(value) AS blob), x'00') = 0"
    }

    /// A random part of a large table, so that not all of it is read.
    private static func part(of table: SchemaTable, _ number: Int, _ dialect: SQLDialect) -> String {
        guard dialect.hasTableSamples, let rows = table.estimatedRows, rows > 100_000 else { return "" }
        let share = min(max(Double(number) * 10_000 / Double(rows), 0.01), 100)
        return " TABLESAMPLE SYSTEM (\(share))"
    }
}
