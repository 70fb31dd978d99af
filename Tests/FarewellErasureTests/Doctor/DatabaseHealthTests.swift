// SPDX-License-Identifier: Apache-2.0

import FarewellErasure
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
}
