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
    @Test("PL-2 PL-3 in random schemas an erasure deletes only the subject's rows and empties only the subject's names")
    func equalsKeys() async throws {
        try await RandomSchemas(500).compare("farewell_rich", Self.compare)
    }

    private static func compare(seed: UInt64, _ server: any SQLDatabase) async throws {
        let random = RandomDatabase.rich(seed: seed)
        let subjects: [Int64] = seed.isMultiple(of: 3) ? [1, 3] : [2]
        let schema = "rich_\(seed)"
        let following = random.emptyings(schema: schema)
        let expected = try await random.leftByKeys(of: subjects, schema, on: server, then: following)
        let found = try await random.dump(.asDrawn, schema, on: server) { connection in
            try await erase(subjects, random, schema, connection)
        }
        #expect(found == expected, "PostgreSQL, seed \(seed)")
        if seed.isMultiple(of: 8) {
            let left = try await random.erasedOnSQLite(subjects) { try await erase([$0], random, "", $1) }
            #expect(left == expected, "SQLite, seed \(seed)")
        }
        // An odd number, for what a seed is like goes by whether it is even.
        if seed.isMultiple(of: 105) { try await random.expectEngine(toLeave: expected, without: subjects) }
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
            try await statement.ran(values, seed: random.seed, on: connection)
        }
        let left = try await connection.run(program.readBack.bound(values, dialect: connection.dialect))
        #expect(ReadBack.leftovers(left).isEmpty, "seed \(random.seed)")
        return try await random.dump(connection, schema: schema)
    }
}
