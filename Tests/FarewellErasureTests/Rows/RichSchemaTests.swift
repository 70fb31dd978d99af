// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

/// The same oracle for schemas with conditions and references: a polymorphic link is a cascading key over a generated column there, and a
/// column that only names a subject is emptied once that subject is deleted.
@Suite("A plan with conditions and references changes the rows that PostgreSQL's keys would change")
struct RichSchemaTests {
    private static let count = ProcessInfo.processInfo.environment["FAREWELL_RANDOM_SCHEMAS"].flatMap(Int.init) ?? 1_000
    private static let first = ProcessInfo.processInfo.environment["FAREWELL_RANDOM_SEED"].flatMap(UInt64.init) ?? 1

    @Test("PL-2 PL-3 in random schemas an erasure deletes only the subject's rows and empties only the subject's names")
    func equalsKeys() async throws {
        let server = try await TestPostgreSQL.database(named: "farewell_rich")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<2 {
                group.addTask {
                    for offset in stride(from: lane, to: Self.count, by: 2) {
                        try await Self.compare(seed: Self.first + UInt64(offset), server)
                    }
                }
            }
            try await group.waitForAll()
        }
        await server.close()
    }

    private static func compare(seed: UInt64, _ server: any SQLDatabase) async throws {
        let random = RandomDatabase.rich(seed: seed)
        let subjects: [Int64] = seed.isMultiple(of: 3) ? [1, 3] : [2]
        let schema = "rich_\(seed)"
        let expected = try await server.withConnection { connection in
            try await connection.run("BEGIN")
            _ = try await connection.pipeline(
                random.script(.allCascade, .postgresql, schema: schema).map { SQLStatement($0) })
            let people = connection.dialect.quoted(schema) + ".people"
            for subject in subjects {
                try await connection.run(SQLStatement("DELETE FROM \(people) WHERE id = $1", [.integer(subject)]))
            }
            for text in random.emptyings(schema: schema) { try await connection.run(SQLStatement(text)) }
            let dump = try await random.dump(connection, schema: schema)
            try await connection.run("ROLLBACK")
            return dump
        }
        let found = try await server.withConnection { connection in
            try await connection.run("BEGIN")
            _ = try await connection.pipeline(
                random.script(.asDrawn, .postgresql, schema: schema).map { SQLStatement($0) })
            let dump = try await erase(subjects, random, schema, connection)
            try await connection.run("ROLLBACK")
            return dump
        }
        #expect(found == expected, "PostgreSQL, seed \(seed)")
        if seed.isMultiple(of: 8) {
            #expect(try await onSQLite(random, subjects) == expected, "SQLite, seed \(seed)")
        }
        // An odd number, for what a seed is like goes by whether it is even.
        if seed.isMultiple(of: 105) { try await expectEngine(toLeave: expected, of: random, without: subjects) }
    }

    /// A whole erasure leaves on either database what the keys leave, at once and in pieces.
    private static func expectEngine(
        toLeave expected: [String], of random: RandomDatabase, without subjects: [Int64]
    ) async throws {
        for (dialect, largeAccount) in [(SQLDialect.postgresql, 20_000), (.postgresql, 1), (.sqlite, 20_000), (.sqlite, 1)] {
            try await EngineFixture.with(dialect, "SELECT 1") { fixture in
                try await fixture.database.withConnection { connection in
                    for statement in random.script(.asDrawn, dialect, schema: "house") {
                        try await connection.run(SQLStatement(statement))
                    }
                }
                let engine = try await fixture.engine(random.plan(dialect, schema: "house"))
                let options = ErasureOptions(largeAccount: largeAccount, residue: .leave)
                let outcomes = try await engine.erase(subjects.map { "\($0)" }, options: options)
                let left = try await fixture.database.withConnection { try await random.dump($0, schema: "house") }
                let words = "the engine, \(dialect), seed \(random.seed), large from \(largeAccount) rows on"
                #expect(outcomes.map(\.word) == subjects.map { _ in "done" }, "\(words): \(outcomes)")
                #expect(left == expected, "\(words)")
            }
        }
    }

    private static func onSQLite(_ random: RandomDatabase, _ subjects: [Int64]) async throws -> [String] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("rich-\(UUID().uuidString).sqlite")
        defer {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + suffix) }
        }
        let database = try SQLiteDatabase(path: file.path, configuration: SQLiteConfiguration(access: .createIfMissing))
        let dump = try await database.withConnection { connection in
            for statement in random.script(.asDrawn, .sqlite, schema: "") {
                try await connection.run(SQLStatement(statement))
            }
            var dump: [String] = []
            for subject in subjects {
                try await connection.run("BEGIN IMMEDIATE")
                try await connection.run("PRAGMA defer_foreign_keys = ON")
                dump = try await erase([subject], random, "", connection)
                try await connection.run("COMMIT")
            }
            return dump
        }
        await database.close()
        return dump
    }

    private static func erase(
        _ subjects: [Int64], _ random: RandomDatabase, _ schema: String, _ connection: any SQLConnection
    ) async throws -> [String] {
        let live = try await Schema.read(from: connection)
        let graph = try RowGraph(plan: random.plan(connection.dialect, schema: schema), schema: live)
        let isAlone = subjects.count == 1 && random.seed.isMultiple(of: 2)
        let program = try RowProgram(graph: isAlone ? graph.aboutOne : graph)
        let values = RowValues(subjects: subjects.map(SQLValue.integer), limit: 10_000)
        for statement in program.everything.flatMap(\.statements) {
            do {
                _ = try await connection.run(statement.bound(values, dialect: connection.dialect))
            } catch {
                Issue.record("seed \(random.seed), \(connection.dialect): \(error)\n\(statement.text)")
                throw error
            }
        }
        let left = try await connection.run(program.readBack.bound(values, dialect: connection.dialect))
        #expect(ReadBack.leftovers(left).isEmpty, "seed \(random.seed)")
        return try await random.dump(connection, schema: schema)
    }
}
