// SPDX-License-Identifier: Apache-2.0
import Eventually
import FarewellSQL
import FarewellTesting
import Testing

@Suite("A session lent by a pooler")
struct PooledSessionTests {
    private static let pooled = PostgreSQLConfiguration(connectionWait: TestDatabase.longestWait, pooled: true)

    @Test(
        "OP-1 the promises of the database interface hold without prepared statements and session settings",
        arguments: SQLDatabaseConformance.cases)
    func conforms(_ promise: SQLDatabaseConformance.Case) async throws {
        try await promise.run { use in try await TestDatabase.withPostgreSQL(Self.pooled) { try await use($0) } }
    }

    @Test("OP-1 each transaction has our settings, whatever its statements are, and the session has none of them afterwards")
    func settings() async throws {
        var configuration = Self.pooled
        (configuration.maximumConnections, configuration.lockTimeout) = (1, .seconds(7))
        try await TestDatabase.withPostgreSQL(configuration) { database in
            let look = SQLStatement("SELECT current_setting('timezone') || ' ' || current_setting('lock_timeout')")
            try await database.withConnection { connection in
                let own = try await connection.run(look).scalar
                #expect(own == .text("UTC 7s"), "a single statement")
                try await connection.run("BEGIN")
                #expect(try await connection.run(look).scalar == own, "a transaction")
                try await connection.run("SAVEPOINT one")
                try await connection.run("ROLLBACK TO one")
                #expect(try await connection.run(look).scalar == own, "after a savepoint")
                try await connection.run("COMMIT")
                let results = try await connection.pipeline([
                    look, SQLStatement("BEGIN"), look, SQLStatement("COMMIT"), look, SQLStatement("SELECT 1"),
                ])
                #expect(results.count == 6)
                #expect([0, 2, 4].allSatisfy { results[$0].scalar == own }, "each transaction of a pipeline")
                // Alone, such a statement begins without our settings: it shows what the session has.
                let session = try await connection.run(
                    """
                    DO $$ BEGIN
                        IF current_setting('lock_timeout') <> '0' OR EXISTS (SELECT FROM pg_prepared_statements) THEN
                            RAISE EXCEPTION 'left';
                        END IF;
                    END $$
                    """)
                #expect(session.rows.isEmpty)
            }
        }
    }

    @Test("OP-1 where no notification arrives, a listener polls")
    func polls() async throws {
        try await TestDatabase.withPostgreSQL(Self.pooled) { database in
            var looks = database.notifications(
                on: "work", backoff: SQLBackoff(sleep: { _ in await Task.yield() }, random: { 0 })
            ).makeAsyncIterator()
            for _ in 1...3 {
                let look = try await looks.next()
                #expect(look == SQLNotification(channel: "work", payload: ""))
            }
        }
    }

    @Test("OP-1 a listener that polls ends with the task that listens")
    func pollingEnds() async throws {
        final class Kept: Sendable {}
        try await TestDatabase.withPostgreSQL(Self.pooled) { database in
            weak var kept: Kept?
            do {
                let held = Kept()
                kept = held
                // It does not ask whether the task is cancelled.
                let backoff = SQLBackoff(sleep: { [held] _ in withExtendedLifetime(held) {} }, random: { 0 })
                let looks = Task {
                    for try await _ in database.notifications(on: "work", backoff: backoff) { return }
                }
                try await looks.value
            }
            try await eventually { kept == nil }
        }
    }

    @Test("OP-1 pgbouncer=true in the address declares a pooler", arguments: ["", "connect_timeout=9&"])
    func address(_ before: String) async throws {
        for after in ["", "&application_name=mine"] {
            let url = try TestDatabase.serverAddress(query: "\(before)pgbouncer=true\(after)")
            let database = try PostgreSQLDatabase(url: url)
            let hasOwn = try await database.withConnection { $0.hasOwnSession }
            #expect(!hasOwn)
            await database.close()
        }
        let direct = try PostgreSQLDatabase(url: try TestDatabase.serverAddress())
        let hasOwn = try await direct.withConnection { $0.hasOwnSession }
        #expect(hasOwn, "a server that answers by itself is told from a pooler")
        await direct.close()
    }
}
