// SPDX-License-Identifier: Apache-2.0
import FarewellSQL
import FarewellTesting
import Testing

@Suite("Both databases keep the promises of the database interface")
struct SQLDatabaseTests {
    @Test("a database conforms", arguments: TestDatabase.allCases, SQLDatabaseConformance.cases)
    func conforms(_ database: TestDatabase, _ promise: SQLDatabaseConformance.Case) async throws {
        try await promise.run { try await database.with($0) }
    }
}
