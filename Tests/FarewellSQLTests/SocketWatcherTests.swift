// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Farewell
import Foundation
import Testing

@testable import FarewellSQL

@Suite("The holder of a connection")
struct SocketWatcherTests {
    /// Whether this thread is one of those that wait for the database's sockets. They are handed out by turns.
    private static func isHosted(by database: PostgreSQLDatabase) -> Bool {
        (0..<ProcessInfo.processInfo.activeProcessorCount).contains { _ in database.watchers.next().isCurrent }
    }

    @Test("work runs on the thread that receives its answers from the start, and so do child tasks")
    func threads() async throws {
        try await TestDatabase.withPostgreSQL { database in
            try await database.withConnection { connection in
                // An answer that is there before it is waited for changes nothing.
                try await connection.run("SELECT pg_sleep(0.2)")
                #expect(Self.isHosted(by: database))
                async let child = Self.isHosted(by: database)
                #expect(await child)
            }
        }
    }

    @Test("the holder may hold other connections meanwhile, of this database and of another")
    func nested() async throws {
        try await TestDatabase.withPostgreSQL { first in
            try await TestDatabase.withPostgreSQL { second in
                try await first.withConnection { outer in
                    _ = try await outer.pipeline([SQLStatement("BEGIN"), SQLStatement("SELECT pg_sleep(0.2)")])
                    try await first.withConnection { try await $0.expect("SELECT 1", gives: [[.integer(1)]]) }
                    try await second.withConnection { try await $0.expect("SELECT 2", gives: [[.integer(2)]]) }
                    _ = try await outer.pipeline([SQLStatement("COMMIT"), SQLStatement("SELECT pg_sleep(0.2)")])
                    #expect(Self.isHosted(by: first))
                }
            }
        }
    }

    @Test("closing a database leaves no thread behind")
    func ends() async throws {
        let address = try TestDatabase.serverAddress()
        let before = try Self.count()
        for _ in 0..<200 {
            let database = try PostgreSQLDatabase(url: address)
            try await database.withConnection { _ = try await $0.run("SELECT 1") }
            await database.close()
        }
        // A thread ends a moment after its watcher.
        while try Self.count() > before + 100 { await Task.yield() }
    }

    private static func count() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
    }
}
#endif
