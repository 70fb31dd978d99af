// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Testing

@Suite("Keys and triggers work in every session of Farewell")
struct KeyEnforcementTests {
    private static let asked = "SELECT current_setting('session_replication_role')"

    @Test("SQL-02 SQL-20 a database whose sessions start with session_replication_role = replica is used with origin, also after DISCARD")
    func replica() async throws {
        try await TestDatabase.withPostgreSQL { database in
            let answer = try await database.withConnection { try await $0.run("SELECT current_database()::text") }
            let name = try #require(answer.scalar?.text)
            try await SchemaPostgreSQLTests.run("ALTER DATABASE \(name) SET session_replication_role = replica", database)
            let other = try PostgreSQLDatabase(
                url: TestDatabase.serverAddress(database: name), configuration: .init(maximumConnections: 1))
            for _ in 1...2 {
                try await other.withConnection { connection in
                    #expect(try await connection.run(SQLStatement(Self.asked)).scalar == .text("origin"))
                    try await connection.run("DISCARD ALL")
                    #expect(try await connection.run(SQLStatement(Self.asked)).scalar == .text("replica"))
                }
            }
            await other.close()
        }
    }

    @Test("SQL-02 a role without the right to set it is refused with the reason")
    func refused() async throws {
        let name = "farewell_role_\(UInt64.random(in: .min ... .max))"
        try await TestDatabase.withPostgreSQL { database in
            let answer = try await database.withConnection { try await $0.run("SELECT current_database()::text") }
            let catalog = try #require(answer.scalar?.text)
            try await SchemaPostgreSQLTests.run(
                "CREATE ROLE \(name) LOGIN; ALTER ROLE \(name) SET session_replication_role = replica", database)
            let other = try PostgreSQLDatabase(url: TestDatabase.serverAddress(database: catalog, user: name))
            let error = await #expect(throws: FarewellError.self) {
                try await other.withConnection { _ = try await $0.run("SELECT 1") }
            }
            #expect(error?.code == "sql.keys-off" && error?.family == .yoursToFix)
            #expect(error?.remedy?.contains("RESET session_replication_role") == true)
            await other.close()
            try await SchemaPostgreSQLTests.run("DROP ROLE \(name)", database)
        }
    }

    @Test("SQL-02 SQLite enforces keys and checks whatever the library's defaults, and triggers do not recurse")
    func sqlite() async throws {
        try await TestDatabase.withSQLite { database in
            try await database.withConnection { connection in
                for (pragma, value) in [
                    ("foreign_keys", 1), ("ignore_check_constraints", 0), ("recursive_triggers", 0),
                    ("defer_foreign_keys", 0),
                ] {
                    try await connection.expect("PRAGMA \(pragma)", gives: [[.integer(Int64(value))]])
                }
            }
        }
    }
}
