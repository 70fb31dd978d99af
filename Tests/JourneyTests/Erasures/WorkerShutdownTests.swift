// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellSQL
import Foundation
import NIOHTTP1
import Subprocess
import Testing

/// A worker on PostgreSQL gets SIGTERM when it is certainly busy: its delete waits for another transaction's lock.
@Suite("Workers that receive a stop request while busy", .serialized)
struct WorkerShutdownTests {
    /// The fate of the lock that the worker waits for.
    enum Lock: String, Sendable, CaseIterable {
        case freed = "freed at once"
        case kept = "kept past the worker's shutdown time"

        /// The worker's shutdown time, in seconds.
        var shutdownTimeout: Int { self == .freed ? 20 : 1 }
    }

    private static let leaving = 8
    private static let batch = 4

    @Test(
        "BX-4 P1 P5 a busy worker that gets SIGTERM ends or hands back its erasures and exits 0, and the next ends all, each once",
        arguments: Lock.allCases)
    func terminated(_ lock: Lock) async throws {
        let people = 0..<Self.leaving
        try await ErasurePlace.with(.postgresql, people: Self.leaving + 2) { place in
            let neighbours = try await place.rows(without: people)
            let everything = try await place.rows(without: [], of: .app)
            let planned = try await place.planned(people)
            try await place.place.serving(place.settings("concurrency: 0")) { server in
                for index in people {
                    let mine = try await place.signIn(index, server)
                    let asked = try await server.ask(
                        .POST, "/v1/erasures", token: mine.access, headers: ["Idempotency-Key": "k"])
                    #expect(asked.status == 202, "\(asked)")
                }
            }
            try await stop(place, lock)
            #expect(try await count(place, "owner IS NOT NULL") == 0, "no worker holds a lease")
            let done = try await count(place, "state = 'done'")
            switch lock {
            case .freed: #expect(done >= Self.batch, "it ended what it had")
            case .kept:
                #expect(done == 0)
                let left = try await place.rows(without: [], of: .app)
                #expect(left == everything, "it released its leases, and no user is half deleted")
            }
            // Like the settings of servers that leave the work to workers.
            let status = try await place.working(place.settings("concurrency: 0")) { _ in
                try await eventually { try await count(place, "state = 'done'") == Self.leaving }
            }
            #expect(status == 0)
            try await place.expectOnce(planned)
            #expect(try await place.rows(without: []) == neighbours)
        }
    }

    /// Lets a worker begin, asks it to stop in the middle of its first batch, and waits until it has.
    private func stop(_ place: ErasurePlace, _ lock: Lock) async throws {
        let settings = "http: {shutdown-timeout: \(lock.shutdownTimeout)}\n" + place.settings("concurrency: 1\nbatch: \(Self.batch)")
        let took = Guarded(Duration.zero)
        let database = try openDatabase(place.place.address)
        let status = try await database.withConnection { connection in
            let holder = try #require(try await connection.run("SELECT pg_backend_pid()").scalar?.integer)
            try await connection.run("BEGIN")
            try await connection.run("LOCK TABLE public.messages IN SHARE MODE")
            let status = try await place.working(settings) { process in
                try await eventually { try await place.query(Self.waiting) != [[.integer(0)]] }
                #expect(try await count(place, "owner IS NOT NULL") == Self.batch)
                let clock = ContinuousClock()
                let asked = clock.now
                kill(process.value, SIGTERM)
                if lock == .freed { try await connection.run("ROLLBACK") }
                try await eventually { try await place.query(Self.connections(but: holder)) == [[.integer(0)]] }
                took.withLock { $0 = clock.now - asked }
            }
            if lock == .kept { try await connection.run("ROLLBACK") }
            return status
        }
        await database.close()
        #expect(status == 0)
        let seconds = took.withLock { $0 }
        // A worker that waited for the lock would never end: it is kept until the worker has ended.
        #expect(seconds < .seconds(120), "\(seconds)")
    }

    private func count(_ place: ErasurePlace, _ condition: String) async throws -> Int {
        Int(try await place.query("SELECT count(*) FROM farewell.erasures WHERE \(condition)").first?.first?.integer ?? -1)
    }

    /// How many wait for the lock.
    private static let waiting = """
        SELECT count(*) FROM pg_locks WHERE relation = 'public.messages'::regclass AND NOT granted \
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        """

    /// The number of connections except the caller's and the lock holder's: the worker, as long as it runs.
    private static func connections(but holder: Int64) -> String {
        """
        SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' \
        AND pid NOT IN (pg_backend_pid(), \(holder))
        """
    }
}
