// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Farewell
import Foundation
import Glibc
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

    @Test(
        "OP-1 the end of a lost connection leaves the next one watched, which has got the number of its socket",
        .timeLimit(.minutes(5)))
    func sameNumber() async throws {
        let watcher = SocketWatcher()
        let (bytes, received) = AsyncStream.makeStream(of: UInt8.self)
        let lost = try Self.pair()
        let former = watcher.named(lost.own)
        #expect(watcher.watch(former) { _, _ in })
        // libpq closes it by itself when the server ends the connection, and the system gives its number to the next.
        let other = try Self.pair()
        try #require(dup2(other.own, lost.own) == lost.own)
        let next = watcher.named(lost.own)
        #expect(next != former)
        #expect(
            watcher.watch(next) { _, _ in
                var byte: UInt8 = 0
                if read(next.descriptor, &byte, 1) == 1 { received.yield(byte) }
            })
        watcher.unwatch(former)
        #expect(!watcher.setWriting(former, true) && watcher.setWriting(next, false))
        var sent: UInt8 = 7
        try #require(write(other.peer, &sent, 1) == 1)
        #expect(await bytes.first { _ in true } == 7)
        watcher.unwatch(next)
        for descriptor in [lost.own, lost.peer, other.own, other.peer] { close(descriptor) }
    }

    private static func pair() throws -> (own: Int32, peer: Int32) {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        return (ends[0], ends[1])
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
