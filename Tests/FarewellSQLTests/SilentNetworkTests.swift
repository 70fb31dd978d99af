// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import Testing

@testable import FarewellSQL

@Suite("PostgreSQL behind a network that falls silent")
struct SilentNetworkTests {
    /// Lends two databases that are one: by way of the relay, with a single connection, and directly.
    private static func with(
        pooled: Bool? = nil,
        _ use: (_ relay: StallingRelay, _ relayed: PostgreSQLDatabase, _ direct: PostgreSQLDatabase) async throws -> Void
    ) async throws {
        try await TestDatabase.withPostgreSQL { direct in
            let name = try await direct.withConnection { try await $0.run("SELECT current_database()").scalar?.text }
            let address = try TestDatabase.serverAddress(database: name)
            var parts = try #require(URLComponents(string: address))
            let port = try #require(parts.port)
            let relay = try StallingRelay(to: UInt16(port))
            parts.host = "127.0.0.1"
            parts.port = Int(relay.port)
            let url = try #require(parts.string)
            let relayed = try PostgreSQLDatabase(
                url: url,
                configuration: PostgreSQLConfiguration(
                    maximumConnections: 1, connectionWait: TestDatabase.longestWait, connectTimeout: TestDatabase.longestWait,
                    pooled: pooled))
            try await use(relay, relayed, direct)
            await relayed.close()
        }
    }

    @Test("a cancelled statement ends although the server is silent, and the next one has a new connection")
    func statement() async throws {
        try await Self.with { relay, relayed, direct in
            let running =
                "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND state = 'active' "
                + "AND pid <> pg_backend_pid() AND datname = current_database()"
            let task = Task { try await relayed.withConnection { try await $0.run("SELECT pg_sleep(600)") } }
            try await direct.withConnection { connection in
                while try await connection.run(SQLStatement(running)).scalar != .integer(1) {}
            }
            relay.stall()
            task.cancel()
            let lost = await #expect(throws: FarewellError.self) { try await task.value }
            #expect(lost?.code == "sql.08006" && lost?.family == .tryAgain)
            relay.goOn()
            try await relayed.withConnection { try await $0.expect("SELECT 1", gives: [[.integer(1)]]) }
        }
    }

    @Test("a transaction that cannot be rolled back delays no caller: the pool abandons its connection")
    func transaction() async throws {
        try await Self.with { relay, relayed, _ in
            let (begun, say) = AsyncStream.makeStream(of: Void.self)
            let (never, end) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                try await relayed.withConnection { connection in
                    try await connection.run("BEGIN")
                    say.yield()
                    for await _ in never {}
                    try await connection.run("COMMIT")
                }
            }
            for await _ in begun { break }
            relay.stall()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            end.finish()
            relay.goOn()
            try await relayed.withConnection { try await $0.expect("SELECT 1", gives: [[.integer(1)]]) }
        }
    }

    @Test("OP-5 a silent server is an obstacle long before a call's limit, and none once it answers; the connection is replaced")
    func obstacle() async throws {
        try await Self.with { relay, relayed, _ in
            #expect(try await relayed.obstacle() == nil)
            relay.stall()
            let looks = Guarded(0)
            let silence = ServerSilence(looks: 40, looksForConnection: 40, looksAgain: 2) {
                looks.withLock { $0 += 1 }
                try await ContinuousClock().sleep(for: .milliseconds(5))
            }
            #expect(try await relayed.obstacle(silence) == WriteObstacle.silent)
            #expect(looks.withLock { $0 } >= 40)
            // No connection is left, and none can be opened: nothing has been heard meanwhile.
            looks.withLock { $0 = 0 }
            #expect(try await relayed.obstacle(silence) == WriteObstacle.silent)
            #expect(looks.withLock { $0 } < 40)
            relay.goOn()
            try await relayed.withConnection { try await $0.expect("SELECT 1", gives: [[.integer(1)]]) }
            #expect(try await relayed.obstacle() == nil)
        }
    }

    @Test("OP-5 a server that answers others is busy and no obstacle, however long a look waits for its connection")
    func busy() async throws {
        try await Self.with { _, relayed, _ in
            let looks = Guarded(0)
            let (begun, say) = AsyncStream.makeStream(of: Void.self)
            let (rounds, round) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let silence = ServerSilence(looks: 10, looksForConnection: 10, looksAgain: 10) {
                looks.withLock { $0 += 1 }
                for await _ in rounds { break }
                try Task.checkCancellation()
            }
            let busy = Task {
                try await relayed.withConnection { connection in
                    say.finish()
                    // The only connection is heard, and not free, for much longer than a silence lasts.
                    while looks.withLock({ $0 }) < 50 {
                        try await connection.run("SELECT 1")
                        round.yield()
                    }
                }
            }
            for await _ in begun {}
            #expect(try await relayed.obstacle(silence) == nil)
            #expect(looks.withLock { $0 } >= 50)
            try await busy.value
        }
    }

    @Test("OP-5 connections that are all in use are named as the cause, not the database: it is not asked meanwhile")
    func allInUse() async throws {
        try await Self.with { _, relayed, _ in
            let silence = ServerSilence(looks: 3, looksForConnection: 3, looksAgain: 1) {
                try await ContinuousClock().sleep(for: .milliseconds(5))
            }
            let causes = try await relayed.withConnection { _ in
                try await [relayed.obstacle(silence), relayed.obstacle(silence)]
            }
            #expect(causes == [WriteObstacle.allInUse, WriteObstacle.allInUse])
            #expect(!relayed.hearing.isSilent)
            #expect(try await relayed.obstacle() == nil)
        }
    }

    @Test("OP-1 OP-5 behind a pooler, a silence is not blamed on the database alone", arguments: [true, false])
    func pooler(_ isKnown: Bool) async throws {
        try await Self.with(pooled: isKnown) { relay, relayed, _ in
            let silence = ServerSilence(looks: 3, looksForConnection: 3, looksAgain: 1) {
                try await ContinuousClock().sleep(for: .milliseconds(5))
            }
            try await relayed.withConnection { _ in }
            relay.stall()
            let silent = isKnown ? WriteObstacle.silentPooler : WriteObstacle.silent
            // The connection that is asked, and then one that is being opened.
            for _ in 1...2 { #expect(try await relayed.obstacle(silence) == silent) }
            relay.goOn()
            try await relayed.withConnection { try await $0.expect("SELECT 1", gives: [[.integer(1)]]) }
        }
    }

    @Test("a silently lost peer is noticed, unless the address disables the check")
    func keepalives() async throws {
        let named = "keepalives_idle=77&keepalives=1"
        for (query, idle) in [(nil, 30), (named, 77)] as [(String?, Int32)] {
            let address = try PostgreSQLAddress(TestDatabase.serverAddress(query: query))
            let configuration = PostgreSQLConfiguration()
            let server = try await BlockingWork.run { try address.connect(configuration) }
            let connection = PostgreSQLConnection(
                server: server, watcher: SocketWatcher(), configuration: configuration)
            #expect(Self.option(SOL_SOCKET, SO_KEEPALIVE, of: server.socket) != 0)
            #if os(Linux)
            #expect(Self.option(Int32(IPPROTO_TCP), TCP_KEEPIDLE, of: server.socket) == idle)
            #expect(Self.option(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, of: server.socket) == 120_000)
            #endif
            connection.end()
        }
    }

    private static func option(_ level: Int32, _ name: Int32, of socket: Int32) -> Int32 {
        var value: Int32 = -1
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(socket, level, name, &value, &length) == 0 ? value : -1
    }
}
