// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Testing

/// Roles belong to the whole server, so each test makes its own and drops it.
@Suite("The rights and visible objects of the connected role")
struct SchemaRightsTests {
    @Test("missing rights are named, table by table")
    func rights() async throws {
        try await Self.withRole { name, owner, other in
            try await SchemaPostgreSQLTests.run(
                """
                CREATE SCHEMA hidden; CREATE TABLE hidden.t (a int); GRANT ALL ON hidden.t TO \(name);
                CREATE TABLE nothing (a int); CREATE TABLE half (a int); GRANT SELECT, DELETE ON half TO \(name);
                CREATE TABLE every (a int); GRANT ALL ON every TO \(name);
                CREATE MATERIALIZED VIEW seen AS SELECT 1 AS a; GRANT SELECT ON seen TO \(name)
                """, owner)
            let seen = try await Schema.read(from: other)
            #expect(seen.role == SchemaRole(name: name, bypassesRowSecurity: false))
            let missing = Dictionary(uniqueKeysWithValues: seen.tables.map { ($0.name.name, $0.missingRights) })
            #expect(
                missing == [
                    "t": ["usage"], "nothing": ["select", "update", "delete"], "half": ["update"], "every": [],
                    "seen": [],
                ])
            let whole = try await Schema.read(from: owner)
            #expect(whole.tables.allSatisfy { $0.missingRights.isEmpty })
            #expect(whole.fingerprint == seen.fingerprint && whole.differences(to: seen).isEmpty)
        }
    }

    @Test("the catalog reads whether row security hides rows from this role: owner, forced, bypass")
    func rowSecurity() async throws {
        try await Self.withRole { name, owner, other in
            try await SchemaPostgreSQLTests.run(
                """
                CREATE TABLE off (a int); CREATE TABLE plain (a int); CREATE TABLE own (a int);
                CREATE TABLE forced (a int);
                ALTER TABLE plain ENABLE ROW LEVEL SECURITY; ALTER TABLE own ENABLE ROW LEVEL SECURITY;
                ALTER TABLE forced ENABLE ROW LEVEL SECURITY; ALTER TABLE forced FORCE ROW LEVEL SECURITY;
                ALTER TABLE own OWNER TO \(name); ALTER TABLE forced OWNER TO \(name);
                GRANT ALL ON plain, off TO \(name)
                """, owner)
            let tables = try await Schema.read(from: other).tables
            let security = Dictionary(uniqueKeysWithValues: tables.map { ($0.name.name, $0.rowSecurity) })
            #expect(
                security == [
                    "off": RowSecurity(), "plain": RowSecurity(isEnabled: true, appliesToRole: true),
                    "own": RowSecurity(isEnabled: true),
                    "forced": RowSecurity(isEnabled: true, isForced: true, appliesToRole: true),
                ])
            try await SchemaPostgreSQLTests.run("ALTER ROLE \(name) BYPASSRLS", owner)
            let bypassing = try await Schema.read(from: other)
            #expect(bypassing.role.bypassesRowSecurity)
            #expect(bypassing.tables.allSatisfy { !$0.rowSecurity.appliesToRole })
        }
    }

    private static func withRole(
        _ use: (_ name: String, _ owner: PostgreSQLDatabase, _ other: PostgreSQLDatabase) async throws -> Void
    ) async throws {
        let name = "farewell_role_\(UInt64.random(in: .min ... .max))"
        try await TestDatabase.withPostgreSQL { owner in
            try await SchemaPostgreSQLTests.run("CREATE ROLE \(name) LOGIN", owner)
            let answer = try await owner.withConnection { try await $0.run("SELECT current_database()::text") }
            let database = try #require(answer.scalar?.text)
            let other = try PostgreSQLDatabase(url: TestDatabase.serverAddress(database: database, user: name))
            do {
                try await use(name, owner, other)
            } catch {
                await other.close()
                try? await SchemaPostgreSQLTests.run("DROP OWNED BY \(name) CASCADE; DROP ROLE \(name)", owner)
                throw error
            }
            await other.close()
            try await SchemaPostgreSQLTests.run("DROP OWNED BY \(name) CASCADE; DROP ROLE \(name)", owner)
        }
    }
}
