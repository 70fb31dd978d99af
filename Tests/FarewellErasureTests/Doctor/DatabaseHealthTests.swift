// SPDX-License-Identifier: Apache-2.0

@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("The findings of the doctor about a database")
struct DatabaseHealthTests {
    @Test("an unwritable SQLite file or folder gives an error before any erasure")
    func unwritable() async throws {
        try await EngineFixture.with(.sqlite, "CREATE TABLE users (id integer PRIMARY KEY)") { fixture in
            let schema = try await Schema.read(from: fixture.database)
            func writing(_ isWritable: @escaping @Sendable (String) -> Bool) async throws -> DatabaseHealth.Fact? {
                let health = DatabaseHealth(fixture.database, isWritable: isWritable)
                return try await health.facts(schema: schema, now: { Date(timeIntervalSince1970: 0) })
                    .first { $0.name == "writing" }
            }
            let file = fixture.folder + "/fixture.sqlite"
            #expect(try await writing { $0 != file }?.verdict == .bad)
            #expect(try await writing { $0 == file }?.text.contains("folder") == true)
            #expect(try await writing { _ in true }?.verdict == .good)
        }
    }

    @Test("SQL-13 doctor warns of limits of time that are too short for an erasure, and names each")
    func limits() async throws {
        #expect(SessionLimits(limits: ["lock_timeout": 0, "statement_timeout": 60_000]).fact == nil)
        let fact = SessionLimits(limits: ["lock_timeout": 5, "statement_timeout": 3, "transaction_timeout": 90_000]).fact
        #expect(fact?.verdict == .warning && fact?.text.contains("lock_timeout = 5 ms, statement_timeout = 3 ms") == true)
        #expect(fact?.text.contains("transaction_timeout") == false)
        try await EngineFixture.with(.postgresql, "CREATE TABLE users (id integer PRIMARY KEY)") { fixture in
            let found = try await fixture.database.withConnection { try await SessionLimits.read(on: $0).limits }
            #expect(found["lock_timeout"] != nil && found["statement_timeout"] != nil)
        }
    }
}
