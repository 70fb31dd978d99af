// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

/// PostgreSQL's own cascade is the oracle: a plan with the same links must delete exactly the rows that cascading keys would delete, on a
/// database without them.
@Suite("A plan erases the rows that PostgreSQL's cascade would delete")
struct CascadeOracleTests {
    /// How many random schemas a run tries; a longer run by `FAREWELL_RANDOM_SCHEMAS=100000 swift test …`.
    private static let count = ProcessInfo.processInfo.environment["FAREWELL_RANDOM_SCHEMAS"].flatMap(Int.init) ?? 1_000
    private static let first = ProcessInfo.processInfo.environment["FAREWELL_RANDOM_SEED"].flatMap(UInt64.init) ?? 1

    @Test("BX-1 BX-3 no row is left and no neighbour's row changes, in random schemas on both databases")
    func equalsCascade() async throws {
        let server = try await TestPostgreSQL.database(named: "farewell_oracle")
        print("random schemas: \(Self.count) from seed \(Self.first)")
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
        let random = RandomDatabase(seed: seed)
        let subjects: [Int64] = seed.isMultiple(of: 3) ? [1, 3] : [2]
        let schema = "random_\(seed)"
        let expected = try await server.withConnection { connection in
            try await connection.run("BEGIN")
            _ = try await connection.pipeline(
                random.script(.allCascade, .postgresql, schema: schema).map { SQLStatement($0) })
            let people = connection.dialect.quoted(schema) + ".people"
            for subject in subjects {
                try await connection.run(SQLStatement("DELETE FROM \(people) WHERE id = $1", [.integer(subject)]))
            }
            let dump = try await random.dump(connection, schema: schema)
            try await connection.run("ROLLBACK")
            return dump
        }
        let postgres = try await server.withConnection { connection in
            try await connection.run("BEGIN")
            _ = try await connection.pipeline(
                random.script(.asDrawn, .postgresql, schema: schema).map { SQLStatement($0) })
            let dump = try await erase(subjects.map(SQLValue.integer), random, schema, connection)
            try await connection.run("ROLLBACK")
            return dump
        }
        #expect(postgres == expected, "PostgreSQL, seed \(seed)")
        #expect(try await onSQLite(random, subjects) == expected, "SQLite, seed \(seed)")
        // An odd number, for what a seed is like goes by whether it is even.
        if seed.isMultiple(of: 25) { try await expectEngine(toLeave: expected, of: random, without: subjects) }
    }

    /// A whole erasure, at once where that may be and in pieces, leaves on either database what the cascade leaves.
    private static func expectEngine(
        toLeave expected: [String], of random: RandomDatabase, without subjects: [Int64]
    ) async throws {
        for dialect in SQLDialect.allCases {
            for largeAccount in [20_000, 1] {
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
    }

    private static func onSQLite(_ random: RandomDatabase, _ subjects: [Int64]) async throws -> [String] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("random-\(UUID().uuidString).sqlite")
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
                dump = try await erase([.integer(subject)], random, "", connection)
                try await connection.run("COMMIT")
            }
            return dump
        }
        await database.close()
        return dump
    }

    /// Runs the program of the plan in the open transaction, checks counts and reading back, and dumps the rest. On
    /// PostgreSQL one person meets the program about one and the program about several, schema by schema in turn.
    private static func erase(
        _ subjects: [SQLValue], _ random: RandomDatabase, _ schema: String, _ connection: any SQLConnection
    ) async throws -> [String] {
        let dialect = connection.dialect
        let live = try await Schema.read(from: connection)
        let graph = try RowGraph(plan: random.plan(dialect, schema: schema), schema: live)
        let isAlone = subjects.count == 1 && random.seed.isMultiple(of: 2)
        let program = try RowProgram(graph: isAlone ? graph.aboutOne : graph)
        let values = RowValues(subjects: subjects, limit: 10_000)
        let before = try await random.dump(connection, schema: schema).count
        let counted = RowCounts.byPlace(try await ran(program.counts, values, random, connection))
        if let tellings = program.countingDeletes {
            var told: [String: Int] = [:]
            for telling in tellings {
                let place = graph.nodes[telling.node].place
                for row in try await ran(telling.statement, values, random, connection).rows {
                    #expect(subjects.contains { $0.text == row[0].text }, "seed \(random.seed), \(place)")
                    told[place, default: 0] += Int(row[1].integer ?? 0)
                }
            }
            #expect(told == counted.filter { $0.value > 0 }, "BX-2 deletes tell whose rows went, seed \(random.seed)")
        } else {
            for statement in program.everything.flatMap(\.statements) {
                try await ran(statement, values, random, connection)
            }
        }
        let left = try await connection.run(program.readBack.bound(values, dialect: dialect))
        let after = try await random.dump(connection, schema: schema)
        #expect(ReadBack.leftovers(left).isEmpty, "seed \(random.seed)")
        #expect(
            counted.values.reduce(0, +) == before - after.count, "BX-2 the counts say what went, seed \(random.seed)")
        return after
    }
}

/// Runs one statement; a refusal is reported with the statement, which holds no value.
@discardableResult
private func ran(
    _ statement: RowStatement, _ values: RowValues, _ random: RandomDatabase, _ connection: any SQLConnection
) async throws -> SQLResult {
    do {
        return try await connection.run(statement.bound(values, dialect: connection.dialect))
    } catch {
        Issue.record("seed \(random.seed), \(connection.dialect): \(error)\n\(statement.text)")
        throw error
    }
}
