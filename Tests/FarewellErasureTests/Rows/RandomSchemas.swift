// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
@testable import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

/// The random schemas of an oracle test. `FAREWELL_RANDOM_SCHEMAS=100000 swift test …` tries more, and `FAREWELL_RANDOM_SEED` begins with
/// another seed.
struct RandomSchemas {
    let count: Int
    let first: UInt64

    /// - Parameter count: How many an ordinary run tries.
    init(_ count: Int) {
        let settings = ProcessInfo.processInfo.environment
        self.count = settings["FAREWELL_RANDOM_SCHEMAS"].flatMap(Int.init) ?? count
        first = settings["FAREWELL_RANDOM_SEED"].flatMap(UInt64.init) ?? 1
    }

    /// Compares each schema, two at a time, on a PostgreSQL database of its own.
    func compare(_ name: String, _ body: @escaping @Sendable (_ seed: UInt64, any SQLDatabase) async throws -> Void) async throws {
        let server = try await TestPostgreSQL.database(named: name, preparedStatements: 0)
        print("random schemas: \(count) from seed \(first)")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<2 {
                group.addTask {
                    for offset in stride(from: lane, to: count, by: 2) { try await body(first + UInt64(offset), server) }
                }
            }
            try await group.waitForAll()
        }
        await server.close()
    }
}

extension RandomDatabase {
    /// A whole erasure, at once where that is possible and in pieces, leaves the expected rows on both databases.
    func expectEngine(toLeave expected: [String], without subjects: [Int64]) async throws {
        for (dialect, largeAccount) in [(SQLDialect.postgresql, 20_000), (.postgresql, 1), (.sqlite, 20_000), (.sqlite, 1)] {
            try await EngineFixture.with(dialect, "SELECT 1") { fixture in
                try await fixture.database.withConnection { connection in
                    for statement in script(.asDrawn, dialect, schema: "house") {
                        try await connection.run(SQLStatement(statement))
                    }
                }
                let engine = try await fixture.engine(plan(dialect, schema: "house"))
                let options = ErasureOptions(largeAccount: largeAccount, residue: .leave)
                let outcomes = try await engine.erase(subjects.map { "\($0)" }, options: options)
                let left = try await fixture.database.withConnection { try await dump($0, schema: "house") }
                let words = "the engine, \(dialect), seed \(seed), large from \(largeAccount) rows on"
                #expect(outcomes.map(\.word) == subjects.map { _ in "done" }, "\(words): \(outcomes)")
                #expect(left == expected, "\(words)")
            }
        }
    }

    /// The rows that are left on PostgreSQL when keys that cascade have deleted the subjects and other statements have
    /// followed.
    func leftByKeys(
        of subjects: [Int64], _ schema: String, on server: any SQLDatabase, then following: [String] = []
    ) async throws -> [String] {
        try await dump(.allCascade, schema, on: server) { connection in
            let people = connection.dialect.quoted(schema) + ".people"
            for subject in subjects {
                try await connection.run(SQLStatement("DELETE FROM \(people) WHERE id = $1", [.integer(subject)]))
            }
            for text in following { try await connection.run(SQLStatement(text)) }
            return try await dump(connection, schema: schema)
        }
    }

    /// Runs a transaction on the tables of a new schema and returns its result. Nothing of the schema stays.
    func dump(
        _ keys: Keys, _ schema: String, on server: any SQLDatabase, _ body: (any SQLConnection) async throws -> [String]
    ) async throws -> [String] {
        try await server.withConnection { connection in
            try await connection.run("BEGIN")
            _ = try await connection.pipeline(script(keys, .postgresql, schema: schema).map { SQLStatement($0) })
            let dump = try await body(connection)
            try await connection.run("ROLLBACK")
            return dump
        }
    }

    /// The rows that are left on SQLite after each subject was erased in a transaction of its own.
    func erasedOnSQLite(
        _ subjects: [Int64], _ erase: @escaping @Sendable (Int64, any SQLConnection) async throws -> [String]
    ) async throws -> [String] {
        let file = TestFolder.parent.appendingPathComponent("random-\(UUID().uuidString).sqlite")
        defer {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + suffix) }
        }
        let database = try SQLiteDatabase(path: file.path, configuration: SQLiteConfiguration(access: .createIfMissing))
        let dump = try await database.withConnection { connection in
            for statement in script(.asDrawn, .sqlite, schema: "") { try await connection.run(SQLStatement(statement)) }
            var dump: [String] = []
            for subject in subjects {
                try await connection.run("BEGIN IMMEDIATE")
                try await connection.run("PRAGMA defer_foreign_keys = ON")
                dump = try await erase(subject, connection)
                try await connection.run("COMMIT")
            }
            return dump
        }
        await database.close()
        return dump
    }
}

extension RowStatement {
    /// Runs it; a refusal is reported with the statement, which holds no value.
    @discardableResult
    func ran(_ values: RowValues, seed: UInt64, on connection: any SQLConnection) async throws -> SQLResult {
        do {
            return try await connection.run(bound(values, dialect: connection.dialect))
        } catch {
            Issue.record("seed \(seed), \(connection.dialect): \(error)\n\(text)")
            throw error
        }
    }
}

extension Schema {
    /// The same, with tables that the database knows as small.
    var ofSmallTables: Schema {
        var schema = self
        for table in schema.tables.indices { schema.tables[table].estimatedRows = 5 }
        return schema
    }
}
