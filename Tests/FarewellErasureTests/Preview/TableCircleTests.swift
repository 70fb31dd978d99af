// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

/// Rows of one table of a circle are found through all the others. A statement for each table would search the whole circle each time.
@Suite("Tables that lead to each other, and tables that lead there")
struct TableCircleTests {
    /// Each table of the circle names the next by a key of two columns and by one column, and the first names a user. Each of as many
    /// other tables names one of the circle, and sometimes a user and the table before. Each user has a row in each table.
    private static func tables(_ count: Int, _ dialect: SQLDialect = .postgresql) -> String {
        let types = ["integer", "uuid", "bigint"]
        func key(_ table: Int, _ person: Int) -> String {
            table % 3 == 1 ? "'00000000-0000-0000-0000-00000000000\(person)'" : "\(person)"
        }
        var lines = ["CREATE TABLE people (id integer PRIMARY KEY);", "INSERT INTO people VALUES (1), (2);"]
        var (later, links): ([String], [String]) = ([], [])
        for table in 0..<count {
            let (own, next, target) = (types[table % 3], types[(table + 1) % count % 3], "c\((table + 1) % count)")
            let keys = [
                "FOREIGN KEY (next_part, next) REFERENCES \(target) (part, id)", "FOREIGN KEY (other) REFERENCES \(target) (id)",
            ]
            let columns = [
                "part integer", "id \(own) UNIQUE", "next_part integer", "next \(next)", "other \(next)",
                "owner integer\(table == 0 ? " REFERENCES people (id)" : "")", "PRIMARY KEY (part, id)",
            ]
            // SQLite adds no key to a table, and lets a key name a table that does not exist yet.
            let all = columns.filter { table == 0 || !$0.hasPrefix("owner") } + (dialect == .sqlite ? keys : [])
            lines.append("CREATE TABLE c\(table) (\(all.joined(separator: ", ")));")
            if dialect == .postgresql { later += keys.map { "ALTER TABLE c\(table) ADD \($0);" } }
            for person in [1, 2] {
                let (id, next) = (key(table, person), key((table + 1) % count, person))
                later.append("INSERT INTO c\(table) (part, id) VALUES (7, \(id));")
                links.append("UPDATE c\(table) SET next_part = 7, next = \(next), other = \(next) WHERE id = \(id);")
                if table == 0 { links.append("UPDATE c0 SET owner = \(person) WHERE id = \(id);") }
            }
        }
        lines += later + links
        for table in 0..<count {
            let (hasOwner, hasBefore) = (!table.isMultiple(of: 2), table % 3 != 0)
            let before = hasBefore ? ", before integer NOT NULL REFERENCES f\(table - 1) (id)" : ""
            let owner = hasOwner ? ", owner integer NOT NULL REFERENCES people (id)" : ""
            let circle = "c \(types[table % 3]) NOT NULL REFERENCES c\(table) (id)"
            lines.append("CREATE TABLE f\(table) (id integer PRIMARY KEY, \(circle)\(before)\(owner));")
            for person in [1, 2] {
                let others = [hasBefore, hasOwner].filter(\.self).map { _ in ", \(person)" }.joined()
                lines.append("INSERT INTO f\(table) VALUES (\(person), \(key(table, person))\(others));")
            }
        }
        return lines.joined(separator: "\n")
    }

    @Test(
        "PL-8 the keys of tables that lead to each other are read by one query, and are those that each table's own query finds",
        arguments: SQLDialect.allCases)
    func captured(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables(9, dialect)) { fixture in
            let prepared = try await fixture.engine(try await fixture.plan()).prepared
            for people in dialect == .postgresql ? [1, 2] : [1] {
                let program = prepared.program(for: people)
                let query = try #require(program.captureQueries.first { $0.captures.count > 1 })
                let read = Set(query.captures.map { program.graph.nodes[$0.node].table.name })
                #expect(read.isSuperset(of: (0..<9).map { fixture.name("c\($0)") }), "\(read)")
                let values = RowValues(subjects: (1...people).map { .integer(Int64($0)) }, limit: 100)
                try await fixture.database.withConnection { connection in
                    let answers = query.answers(in: try await connection.run(query.statement.bound(values, dialect: dialect)))
                    #expect(answers.count == query.captures.count)
                    for (capture, answer) in zip(query.captures, answers) {
                        let alone = try await connection.run(capture.statement.bound(values, dialect: dialect)).rows
                        #expect(answer.rows.count == people && Set(answer.rows) == Set(alone), "\(capture.node): \(answer.rows)")
                    }
                }
            }
        }
    }

    @Test("PL-8 one user's rows in a circle of tables, and in tables that lead there, are kept in mind and erased by one statement each")
    func erased() async throws {
        try await EngineFixture.with(.postgresql, Self.tables(9)) { fixture in
            let engine = try await fixture.engine(try await fixture.plan())
            let program = engine.prepared.programForOne
            let circle = (0..<9).map { "\(fixture.name("c\($0)"))" }
            let (counters, single) = (try #require(program.rowCounters), try #require(program.singleTransaction))
            // The circle with its followers; the user. Before them the counters are read.
            #expect(counters.statements.count == 3, "\(counters.statements.map(\.text))")
            let values = RowValues(subjects: [.integer(1)], limit: 100)
            let left = try await fixture.database.withConnection { connection in
                try await connection.run("BEGIN")
                for statement in single.keeping { try await connection.run(statement.bound(values, dialect: .postgresql)) }
                let left = try await connection.run(single.readBack.bound(values, dialect: .postgresql))
                try await connection.run("ROLLBACK")
                return ReadBack.leftovers(left)
            }
            #expect(Set(left.keys).isSuperset(of: circle) && left.values.allSatisfy { $0 == 1 }, "\(left)")
            let preview = try await engine.preview("1")
            #expect(preview.erased == 19 && preview.blockers.isEmpty, "\(preview.erased)")
            let receipt = try #require(try await engine.erase(["1"]).first?.receipt)
            #expect(receipt.isComplete && receipt.totals.erased == 19, "\(receipt.totals)")
            let rows = try await fixture.everything().mapValues(\.count)
            #expect(rows.count >= 19 && rows.values.allSatisfy { $0 == 1 }, "\(rows)")
        }
    }

    @Test("PL-8 twice as many tables in a circle, with twice as many that lead there, make the statements of an erasure twice as long")
    func sizes() async throws {
        let (few, many) = (try await size(8), try await size(16))
        #expect(many < few * 14 / 5, "\(few) bytes, then \(many)")
    }

    private func size(_ count: Int) async throws -> Int {
        var size = 0
        try await EngineFixture.with(.postgresql, Self.tables(count)) { fixture in
            let graph = try RowGraph(plan: try await fixture.plan(), schema: try await Schema.read(from: fixture.database))
            let program = try RowProgram(graph: graph.aboutOne)
            let single = try #require(program.singleTransaction)
            let statements = program.captureQueries.map(\.statement) + [program.counts] + single.keeping
            size = (statements + (program.rowCounters?.statements ?? [])).reduce(0) { $0 + $1.text.utf8.count }
        }
        return size
    }
}
