// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

/// The oracle is a second database of the same rows, in which every owning link is a cascading key. An export must hold the
/// rows that its keys delete, without the keys of people who stay and without what these people wrote. Of other rows it
/// must show the values that then name no row.
@Suite("An export contains the values that PostgreSQL's keys would delete and empty")
struct ExportOracleTests {
    @Test("EX-1 EX-2 an export reads every cell of the subject and no cell of another user, in random schemas")
    func equalsKeys() async throws {
        let server = try await TestPostgreSQL.database(named: "farewell_export")
        for seed in UInt64(1)...150 { try await Self.compare(seed, server) }
        await server.close()
    }

    private static func compare(_ seed: UInt64, _ server: any SQLDatabase) async throws {
        let random = RandomDatabase.rich(seed: seed)
        let subject = SQLValue.integer(seed.isMultiple(of: 3) ? 1 : 2)
        let schema = "export_\(seed)"
        let expected = try await server.withConnection { connection in
            try await connection.run("BEGIN")
            _ = try await connection.pipeline(
                random.script(.allCascade, .postgresql, schema: schema).map { SQLStatement($0) })
            let before = try await random.dump(connection, schema: schema)
            try await connection.run(
                SQLStatement("DELETE FROM \(connection.dialect.quoted(schema)).people WHERE id = $1", [subject]))
            let after = try await random.dump(connection, schema: schema)
            var lines = readable(minus(before, after), of: random)
            for index in random.tables.indices {
                lines += try await dangling(index, of: random, schema, connection)
            }
            try await connection.run("ROLLBACK")
            return lines.sorted()
        }
        let found = try await server.withConnection { connection in
            try await connection.run("BEGIN")
            _ = try await connection.pipeline(
                random.script(.asDrawn, .postgresql, schema: schema).map { SQLStatement($0) })
            let lines = try await exported(subject, random, schema, connection)
            try await connection.run("ROLLBACK")
            return lines
        }
        #expect(found == expected, "PostgreSQL, seed \(seed)")
        guard seed.isMultiple(of: 5) else { return }
        try await EngineFixture.with(.sqlite, "SELECT 1") { fixture in
            let lines = try await fixture.database.withConnection { connection in
                for text in random.script(.asDrawn, .sqlite, schema: "") { try await connection.run(SQLStatement(text)) }
                try await connection.run("BEGIN")
                return try await exported(subject, random, "", connection)
            }
            #expect(lines == expected, "SQLite, seed \(seed)")
        }
    }

    /// The rows that are gone, each without the values that are another person's.
    private static func readable(_ lines: [String], of random: RandomDatabase) -> [String] {
        let rows = lines.compactMap { line -> Row? in
            guard let table = random.tables.firstIndex(where: { line.hasPrefix("\($0.name): ") }) else { return nil }
            let columns = random.tables[table].columns + (random.tables[table].constraints.contains(.generated) ? ["twice"] : [])
            let values = line.dropFirst(random.tables[table].name.count + 2).split(separator: " ").map(String.init)
            return Row(table: table, columns: columns, values: Dictionary(zip(columns, values), uniquingKeysWith: { $1 }))
        }
        #expect(rows.count == lines.count)
        let gone = Set(rows.map { row in [row.table] + random.tables[row.table].key.map { Int(row.values[$0] ?? "") ?? -1 } })
        return rows.map { row in
            let shown = row.columns.map { row.shows($0, gone, random) ? row.values[$0] ?? "-" : "-" }
            return "\(random.tables[row.table].name): " + shown.joined(separator: " ")
        }
    }

    /// A row that is gone.
    private struct Row {
        let table: Int
        let columns: [String]
        let values: [String: String]

        /// Whether the value of a column is the subject's: of a row that names two owners, the person whom it names wrote it.
        func shows(_ column: String, _ gone: Set<[Int]>, _ random: RandomDatabase) -> Bool {
            let (own, personal) = (random.tables[table], random.personal)
            let references = own.references.filter { personal.contains($0.target) }
            func isSet(_ reference: RandomDatabase.Reference) -> Bool {
                reference.columns.allSatisfy { values[$0] != "-" }
                    && reference.condition.map { values[$0.column] == "\($0.value)" } ?? true
            }
            func isGone(_ reference: RandomDatabase.Reference) -> Bool {
                isSet(reference) && gone.contains([reference.target] + reference.columns.map { Int(values[$0] ?? "") ?? -1 })
            }
            let here = references.filter { $0.columns.contains(column) }
            if here.contains(where: isGone) { return true }
            if here.contains(where: { $0.target == 0 && isSet($0) }) { return false }
            let owning = references.filter { !$0.isReference }
            let authors = owning.filter { $0.target == 0 }
            let isAnothers =
                table != 0 && !authors.isEmpty && authors.count < owning.count && authors.contains(where: isSet)
                && !authors.contains(where: isGone)
            return !isAnothers || own.hasPrimaryKey && own.key == [column]
        }
    }

    /// The elements of one list that are not in the other, each as often as it occurs more often.
    private static func minus(_ before: [String], _ after: [String]) -> [String] {
        var left = Dictionary(after.map { ($0, 1) }, uniquingKeysWith: +)
        return before.filter { line in
            guard let count = left[line], count > 0 else { return true }
            left[line] = count - 1
            return false
        }
    }

    /// Rows that are left and name what is gone, each with nothing but the columns that name it.
    private static func dangling(
        _ index: Int, of random: RandomDatabase, _ schema: String, _ connection: any SQLConnection
    ) async throws -> [String] {
        let table = random.tables[index]
        let references = table.references.filter(\.isReference)
        guard !references.isEmpty else { return [] }
        let quoted: (String) -> String = connection.dialect.quoted
        let names = references.map { reference -> (column: String, condition: String) in
            let column = reference.columns[0]
            let target = random.tables[reference.target]
            let kind = reference.condition.map { " AND \($0.column) = \($0.value)" } ?? ""
            return (
                column,
                "\(column) IS NOT NULL\(kind) AND \(column) NOT IN "
                    + "(SELECT \(target.key[0]) FROM \(quoted(schema)).\(quoted(target.name)))"
            )
        }
        let cases = names.map { "CASE WHEN \($0.condition) THEN \($0.column) END" }.joined(separator: ", ")
        let any = names.map { "(\($0.condition))" }.joined(separator: " OR ")
        let result = try await connection.run(
            SQLStatement("SELECT \(cases) FROM \(quoted(schema)).\(quoted(table.name)) WHERE \(any)"))
        return result.rows.map { row in
            "\(table.name) names: "
                + zip(names, row).compactMap { name, value in value.text.map { "\(name.column)=\($0)" } }.sorted()
                .joined(separator: " ")
        }
    }

    private static func exported(
        _ subject: SQLValue, _ random: RandomDatabase, _ schema: String, _ connection: any SQLConnection
    ) async throws -> [String] {
        let live = try await Schema.read(from: connection).ofSmallTables
        let plan = random.plan(connection.dialect, schema: schema)
        let graph = try RowGraph(plan: plan, schema: live)
        let program = try RowProgram(graph: graph.aboutOne)
        let values = RowValues(subjects: [subject], limit: 10_000)
        let counted = try await connection.run(program.exportCounts.bound(values, dialect: connection.dialect)).rows
        let counts = Dictionary(
            counted.map { ($0[0].text ?? "", Int($0[2].integer ?? 0)) }, uniquingKeysWith: +)
        var lines: [String] = []
        for export in RowExport.all(of: plan, in: graph) {
            let rows = Guarded<[[SQLValue]]>([])
            do {
                for statement in [export.rows] + (export.rest.map { [$0] } ?? []) {
                    try await connection.read(statement.bound(values, dialect: connection.dialect)) { piece in
                        rows.withLock { $0 += piece }
                    }
                }
            } catch {
                Issue.record("seed \(random.seed), \(connection.dialect): \(error)\n\(export.rows.text)")
                throw error
            }
            let found = rows.withLock { $0 }
            #expect(found.count == counts[export.place] ?? 0, "seed \(random.seed), \(export.place): counts agree")
            lines += found.map { row in
                guard export.share == .naming else {
                    return "\(export.table.name): " + row.map { $0.text ?? "-" }.joined(separator: " ")
                }
                return "\(export.table.name) names: "
                    + zip(export.columns, row).compactMap { column, value in
                        value.text.map { "\(column.name)=\($0)" }
                    }.sorted().joined(separator: " ")
            }
        }
        return lines.sorted()
    }
}
