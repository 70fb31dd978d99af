// SPDX-License-Identifier: Apache-2.0
import FarewellSQL
import Testing

@Suite("LISTEN and NOTIFY")
struct PostgreSQLListeningTests {
    @Test("one session's notification reaches another, also after its connection was lost")
    func hears() async throws {
        try await TestDatabase.withPostgreSQL { database in
            let channel = "work \"done\""
            var heard = database.notifications(
                on: channel, backoff: SQLBackoff(sleep: { _ in await Task.yield() }, random: { 0 })
            ).makeAsyncIterator()
            let ready = try await heard.next()
            #expect(ready == SQLNotification(channel: channel, payload: ""))
            try await say("one", channel, database)
            let one = try await heard.next()
            #expect(one?.payload == "one")
            try await database.withConnection { connection in
                _ = try await connection.run(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE 'LISTEN%'
                    """)
            }
            let again = try await heard.next()
            #expect(again == SQLNotification(channel: channel, payload: ""))
            try await say("two ü", channel, database)
            let two = try await heard.next()
            #expect(two?.payload == "two ü")
        }
    }

    private func say(_ payload: String, _ channel: String, _ database: PostgreSQLDatabase) async throws {
        try await database.withConnection {
            _ = try await $0.run("SELECT pg_notify($1, $2)", .text(channel), .text(payload))
        }
    }
}
