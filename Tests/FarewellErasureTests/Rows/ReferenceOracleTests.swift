// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

/// The oracle is a model in Swift that knows the owner of every row (`RandomReferences`): after an erasure every cell of every table equals
/// the model, and counts, preview and receipt agree with it.
@Suite("Links that own, refer, list and depend on a condition behave as in a model")
struct ReferenceOracleTests {
    private static let schemas = RandomSchemas(400)

    @Test("PL-2 PL-3 PL-9 in random schemas every cell is as in the model, on both databases")
    func equalsModel() async throws {
        try await Self.schemas.compare("farewell_reference_oracle", Self.compare)
    }

    private static func compare(seed: UInt64, _ server: any SQLDatabase) async throws {
        let random = RandomReferences(seed: seed)
        let subjects: Set<Int> = seed.isMultiple(of: 3) ? [1, 3] : [2]
        if schemas.count == 1 {
            print(random.script(.postgresql, schema: "s").joined(separator: ";\n"))
            print(PlanFile.text(for: random.plan(.postgresql, schema: "s")))
        }
        let schema = "random_\(seed)"
        try await server.withConnection { connection in
            try await connection.run("BEGIN")
            _ = try await connection.pipeline(random.script(.postgresql, schema: schema).map { SQLStatement($0) })
            let dump = try await erase(subjects, random, schema, connection)
            #expect(dump == random.outcome(without: subjects, .postgresql).dump, "PostgreSQL, seed \(seed)")
            try await connection.run("ROLLBACK")
        }
        try await onSQLite(random)
        // An odd number, for what a seed is like goes by whether it is even.
        if seed.isMultiple(of: 15) { try await expectEngine(random, subjects) }
    }

    private static func onSQLite(_ random: RandomReferences) async throws {
        let file = TestFolder.parent.appendingPathComponent("random-\(UUID().uuidString).sqlite")
        defer {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + suffix) }
        }
        let database = try SQLiteDatabase(path: file.path, configuration: SQLiteConfiguration(access: .createIfMissing))
        try await database.withConnection { connection in
            for statement in random.script(.sqlite, schema: "") { try await connection.run(SQLStatement(statement)) }
            try await connection.run("BEGIN IMMEDIATE")
            try await connection.run("PRAGMA defer_foreign_keys = ON")
            let dump = try await erase([2], random, "", connection)
            try await connection.run("COMMIT")
            #expect(dump == random.outcome(without: [2], .sqlite).dump, "SQLite, seed \(random.seed)")
        }
        await database.close()
    }

    /// Runs the program of the plan in the open transaction, checks counts and reading back, and dumps the rest.
    private static func erase(
        _ subjects: Set<Int>, _ random: RandomReferences, _ schema: String, _ connection: any SQLConnection
    ) async throws -> [String] {
        let dialect = connection.dialect
        let live = try await Schema.read(from: connection).ofSmallTables
        let plan = random.plan(dialect, schema: schema)
        let errors = PlanCheck.findings(plan, live).filter { $0.severity == .error }
        #expect(errors.isEmpty, "seed \(random.seed): \(errors)")
        let graph = try RowGraph(plan: plan, schema: live)
        let isAlone = subjects.count == 1 && random.seed.isMultiple(of: 2)
        let program = try RowProgram(graph: isAlone ? graph.aboutOne : graph)
        var values = RowValues(subjects: subjects.sorted().map { .integer(Int64($0)) }, limit: 10_000)
        for capture in program.captures {
            for row in try await capture.statement.ran(values, seed: random.seed, on: connection).rows {
                for (place, column) in capture.columns.enumerated() where !row[place + 1].isNull {
                    values.captured[.init(node: capture.node, column: column), default: []].append(row[place + 1])
                }
            }
        }
        let counted = RowCounts.byPlace(try await program.counts.ran(values, seed: random.seed, on: connection)).filter { $0.value > 0 }
        if dialect == .postgresql, random.seed.isMultiple(of: 4) {
            let whole = RowCounts.byPlace(try await program.exportCounts.ran(values, seed: random.seed, on: connection))
            #expect(whole.filter { $0.value > 0 } == counted, "an export counts the same, seed \(random.seed)")
        }
        let expected = random.outcome(without: subjects, dialect)
        var places = expected.erased.merging(expected.anonymised) { $0 + $1 }
        for (table, rows) in expected.freed { places["\(table) (link only)"] = rows }
        let prefix = schema.isEmpty ? "" : "\(schema)."
        #expect(counted == Dictionary(uniqueKeysWithValues: places.map { (prefix + $0, $1) }), "\(dialect), seed \(random.seed)")
        for statement in program.everything.flatMap(\.statements) { try await statement.ran(values, seed: random.seed, on: connection) }
        for reading in [program.readBack, program.readBackByKeys] {
            let left = try await reading.ran(values, seed: random.seed, on: connection)
            #expect(ReadBack.leftovers(left).isEmpty, "\(dialect), seed \(random.seed)")
        }
        return try await random.dump(connection, schema: schema)
    }

    /// A whole erasure, at once where that may be and in pieces: preview and receipt say what the model does.
    private static func expectEngine(_ random: RandomReferences, _ subjects: Set<Int>) async throws {
        for dialect in SQLDialect.allCases {
            for largeAccount in [20_000, 1] {
                try await EngineFixture.with(dialect, "SELECT 1") { house in
                    try await house.database.withConnection { connection in
                        for statement in random.script(dialect, schema: "house") {
                            try await connection.run(SQLStatement(statement))
                        }
                    }
                    let engine = try await house.engine(random.plan(dialect, schema: "house"))
                    let words = "the engine, \(dialect), seed \(random.seed), large from \(largeAccount) rows on"
                    let one = random.outcome(without: [2], dialect)
                    let preview = try await engine.preview("2")
                    #expect(preview.erased == one.erased.values.reduce(0, +), "\(words)")
                    let options = ErasureOptions(largeAccount: largeAccount, residue: .leave)
                    let outcomes = try await engine.erase(subjects.sorted().map { "\($0)" }, options: options)
                    let left = try await house.database.withConnection { try await random.dump($0, schema: "house") }
                    let expected = random.outcome(without: subjects, dialect)
                    #expect(outcomes.map(\.word) == subjects.map { _ in "done" }, "\(words): \(outcomes)")
                    #expect(left == expected.dump, "\(words)")
                    guard subjects == [2] else { return }
                    let receipt = outcomes.first?.receipt
                    let anonymised = expected.anonymised.merging(expected.freed, uniquingKeysWith: +)
                    #expect(receipt?.erased == expected.erased && receipt?.anonymised == anonymised, "\(words)")
                }
            }
        }
    }
}
