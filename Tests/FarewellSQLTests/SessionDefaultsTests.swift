// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellSQL
import Testing

@Suite("The defaults of a role or a database")
struct SessionDefaultsTests {
    /// Lends a database whose sessions begin with other settings than PostgreSQL's.
    private func withDefaults(_ isPooled: Bool, _ use: (PostgreSQLDatabase) async throws -> Void) async throws {
        try await TestDatabase.withPostgreSQL { database in
            let answer = try await database.withConnection { try await $0.run("SELECT current_database()::text") }
            let name = try #require(answer.scalar?.text)
            let defaults = [
                "default_transaction_isolation = serializable", "synchronous_commit = off", "array_nulls = off",
                "standard_conforming_strings = off",
            ]
            let script = defaults.map { "ALTER DATABASE \(name) SET \($0)" }.joined(separator: "; ")
            try await SchemaPostgreSQLTests.run(script, database)
            let other = try PostgreSQLDatabase(
                url: TestDatabase.serverAddress(database: name),
                configuration: PostgreSQLConfiguration(
                    maximumConnections: 1, connectionWait: TestDatabase.longestWait, pooled: isPooled))
            do {
                try await use(other)
            } catch {
                await other.close()
                throw error
            }
            await other.close()
        }
    }

    @Test(
        "OP-5 a limit of time for statements lowers a role's or database's longer limit, and leaves a shorter one",
        arguments: [false, true])
    func statementTimeout(isPooled: Bool) async throws {
        try await TestDatabase.withPostgreSQL { database in
            let answer = try await database.withConnection { try await $0.run("SELECT current_database()::text") }
            let name = try #require(answer.scalar?.text)
            for (own, seen) in [("0", "1min"), ("2h", "1min"), ("1500ms", "1500ms"), ("1min", "1min")] {
                try await SchemaPostgreSQLTests.run("ALTER DATABASE \(name) SET statement_timeout = '\(own)'", database)
                let limited = try PostgreSQLDatabase(
                    url: TestDatabase.serverAddress(database: name),
                    configuration: PostgreSQLConfiguration(
                        maximumConnections: 1, connectionWait: TestDatabase.longestWait, statementTimeout: .seconds(60),
                        pooled: isPooled))
                let found = try? await limited.transaction { try await $0.run("SHOW statement_timeout").scalar }
                await limited.close()
                #expect(found == .text(seen), "\(own)")
            }
        }
    }

    @Test(
        "SQL-13 a role's or database's short limits for idle sessions end neither a pooled connection nor a transaction",
        arguments: [false, true])
    func idleness(isPooled: Bool) async throws {
        try await TestDatabase.withPostgreSQL { database in
            let answer = try await database.withConnection { try await $0.run("SELECT current_database()::text") }
            let name = try #require(answer.scalar?.text)
            let now = try await database.withConnection { try await $0.run(Self.idleSession) }
            let isNew = now.scalar?.text != nil
            for (own, seen) in [("5s", "30s"), ("0", "0"), ("2min", "2min")] {
                // The second exists since PostgreSQL 14.
                let settings = ["idle_in_transaction_session_timeout"] + (isNew ? ["idle_session_timeout"] : [])
                let script = settings.map { "ALTER DATABASE \(name) SET \($0) = '\(own)'" }
                try await SchemaPostgreSQLTests.run(script.joined(separator: "; "), database)
                let other = try PostgreSQLDatabase(
                    url: TestDatabase.serverAddress(database: name),
                    configuration: PostgreSQLConfiguration(
                        maximumConnections: 1, connectionWait: TestDatabase.longestWait, pooled: isPooled))
                let found = try? await other.transaction { connection in
                    let inside = try await connection.run("SHOW idle_in_transaction_session_timeout").scalar
                    return (inside, try await connection.run(Self.idleSession).scalar)
                }
                await other.close()
                #expect(found?.0 == .text(seen), "\(own)")
                // A pooler decides itself how long its sessions idle.
                #expect(!isNew || found?.1 == .text(isPooled ? own : "0"), "\(own)")
            }
        }
    }

    private static let idleSession = SQLStatement("SELECT current_setting('idle_session_timeout', true)")

    @Test(
        "SQL-13 a connection that a limit of the server ended names the setting",
        arguments: [
            ("57P05", "idle_session_timeout"), ("25P03", "idle_in_transaction_session_timeout"),
            ("25P04", "transaction_timeout"),
        ])
    func ended(_ state: String, _ setting: String) {
        let error = PostgreSQLLink.lostError("", state: state)
        #expect(error.message.contains("(\(setting))") && error.remedy?.contains("ALTER ROLE") == true)
        #expect(error.family == .tryAgain && PostgreSQLFailure.family(state) == .tryAgain)
    }

    @Test(
        "SQL-02 PL-5 names of the app's triggers mean the app's tables, not those of the control store",
        arguments: [false, true])
    func searchPath(isPooled: Bool) async throws {
        try await TestDatabase.withPostgreSQL { database in
            let answer = try await database.withConnection { try await $0.run("SELECT current_database()::text") }
            let name = try #require(answer.scalar?.text)
            let script = """
                CREATE SCHEMA farewell; CREATE SCHEMA "Odd, farewell"; CREATE TABLE farewell.events (id int); \
                CREATE TABLE events (id int)
                """
            try await SchemaPostgreSQLTests.run(script, database)
            let role = try await database.withConnection { try await $0.run("SELECT current_user::text").scalar?.text }
            let paths = [
                ("\"$user\", public", role == "farewell" ? "public" : "\"$user\", public"),
                ("farewell, \"$user\", public", "public"), ("public, pg_catalog", "public, pg_catalog"),
                ("\"Odd, farewell\", \"farewell\", public", "\"Odd, farewell\", public"), ("farewell", ""),
            ]
            for (own, seen) in paths {
                try await SchemaPostgreSQLTests.run("ALTER DATABASE \(name) SET search_path = \(own)", database)
                let other = try PostgreSQLDatabase(
                    url: TestDatabase.serverAddress(database: name),
                    configuration: PostgreSQLConfiguration(
                        maximumConnections: 1, connectionWait: TestDatabase.longestWait, pooled: isPooled))
                let found = try? await other.transaction { connection in
                    let path = try await connection.run("SHOW search_path").scalar
                    return (path, try await connection.run("SELECT to_regclass('events')::text").scalar)
                }
                await other.close()
                #expect(found?.0 == .text(seen), "\(own)")
                #expect(seen.isEmpty || found?.1 == .text("events"), "\(own)")
            }
        }
    }

    private static let ours = "read committed, on, on, on"

    private static let look = SQLStatement(
        """
        SELECT current_setting('transaction_isolation') || ', ' || current_setting('synchronous_commit') || ', ' \
        || current_setting('array_nulls') || ', ' || current_setting('standard_conforming_strings')
        """)

    @Test(
        "SQL-02 OP-1 each transaction reads committed data and is answered once it is on disk, whatever the defaults",
        arguments: [false, true])
    func transactions(isPooled: Bool) async throws {
        try await withDefaults(isPooled) { database in
            try await database.withConnection { connection in
                try await connection.run(database.dialect.beginWriting)
                #expect(try await connection.run(Self.look).scalar == .text(Self.ours), "begun by its statement")
                try await connection.run("COMMIT")
                let results = try await connection.pipeline([
                    SQLStatement(database.dialect.beginWriting), Self.look, SQLStatement("COMMIT"),
                ])
                #expect(results[1].scalar == .text(Self.ours), "in a pipeline")
            }
            let seen = try await database.transaction { try await $0.run(Self.look).scalar }
            #expect(seen == .text(Self.ours), "begun by the seam")
            // A pooler's session gets no settings of its own: a single statement has the default's isolation.
            let single = try await database.withConnection { try await $0.run(Self.look).scalar }
            #expect(single == .text(isPooled ? "serializable, on, on, on" : Self.ours), "a single statement")
        }
    }

    @Test("SQL-02 OP-1 a null in an array stays null, and never becomes a text", arguments: [false, true])
    func arrays(isPooled: Bool) async throws {
        try await withDefaults(isPooled) { database in
            let value = SQLStatement("SELECT ($1::text[])[2] IS NULL", [.array([.text("a"), .null, .text("NULL")])])
            let isNothing = try await database.withConnection { try await $0.run(value).scalar }
            #expect(isNothing == .bool(true))
        }
    }
}
