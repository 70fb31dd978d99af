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
    @Test("BX-1 BX-3 no row is left and no neighbour's row changes, in random schemas on both databases")
    func equalsCascade() async throws {
        try await RandomSchemas(500).compare("farewell_oracle", Self.compare)
    }

    private static func compare(seed: UInt64, _ server: any SQLDatabase) async throws {
        let random = RandomDatabase(seed: seed)
        let subjects: [Int64] = seed.isMultiple(of: 3) ? [1, 3] : [2]
        let schema = "random_\(seed)"
        let expected = try await random.leftByKeys(of: subjects, schema, on: server)
        let postgres = try await random.dump(.asDrawn, schema, on: server) { connection in
            try await erase(subjects.map(SQLValue.integer), random, schema, connection)
        }
        #expect(postgres == expected, "PostgreSQL, seed \(seed)")
        let sqlite = try await random.erasedOnSQLite(subjects) { try await erase([.integer($0)], random, "", $1) }
        #expect(sqlite == expected, "SQLite, seed \(seed)")
        // An odd number, for what a seed is like goes by whether it is even.
        if seed.isMultiple(of: 25) { try await random.expectEngine(toLeave: expected, without: subjects) }
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
        let counted = RowCounts.byPlace(try await program.counts.ran(values, seed: random.seed, on: connection))
        if let tellings = program.countingDeletes {
            var told: [String: Int] = [:]
            for telling in tellings {
                let place = graph.nodes[telling.node].place
                for row in try await telling.statement.ran(values, seed: random.seed, on: connection).rows {
                    #expect(subjects.contains { $0.text == row[0].text }, "seed \(random.seed), \(place)")
                    told[place, default: 0] += Int(row[1].integer ?? 0)
                }
            }
            #expect(told == counted.filter { $0.value > 0 }, "BX-2 deletes tell whose rows went, seed \(random.seed)")
        } else {
            for statement in program.everything.flatMap(\.statements) {
                try await statement.ran(values, seed: random.seed, on: connection)
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
