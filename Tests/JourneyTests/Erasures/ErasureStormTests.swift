// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellSQL
import Foundation
import NIOHTTP1
import Testing

/// Two servers, four workers, one PostgreSQL, and everything that can happen to them.
///
/// Five hundred people leave, a worker is killed every two seconds, one is stopped past its lease, and PostgreSQL is restarted
/// twice; `FAREWELL_TEST_ERASURES=10000` makes it ten thousand.
@Suite("Erasures under heavy load", .serialized)
struct ErasureStormTests {
    private let leaving = ProcessInfo.processInfo.environment["FAREWELL_TEST_ERASURES"].flatMap(Int.init) ?? 500

    @Test(
        "BX-4 P1 P5 F1 F2 F3 F5 servers and workers on one PostgreSQL, killed, stopped, restarted: each user is erased once, others stay"
    )
    func storm() async throws {
        try await OwnServer.with { server in
            try await ErasurePlace.with(.postgresql, people: leaving + 10, on: server.address) { place in
                let neighbours = try await place.rows(without: 0..<leaving)
                let planned = try await place.planned(0..<leaving)
                let fleet = try WorkerFleet(place.place, place.settings("concurrency: 1\nbatch: 4\nlease: 10"))
                let asking = place.settings("concurrency: 0")
                try await place.place.serving(asking) { first in
                    try await place.place.serving(asking) { second in
                        let storm = Storm(place: place, fleet: fleet, server: server, leaving: leaving)
                        try await ask(0..<leaving / 2, of: [first, second], place)
                        try await fleet.run(4) {
                            try await storm.rage { group in
                                group.addTask { try await ask(leaving / 2..<leaving, of: [first, second], place) }
                                group.addTask { try await storm.restart(2) }
                                group.addTask { try await storm.stopPastLease() }
                                group.addTask { try await storm.kill() }
                            }
                        }
                        let seen = storm.seen
                        #expect(seen.kills >= 3 && seen.stops == 1 && seen.restarts == 2, "\(seen)")
                        print("\(leaving) erasures: \(seen), \(fleet.started) workers started")
                    }
                }
                #expect(try await place.rows(without: 0..<leaving) == neighbours)
                #expect(try await place.rows(without: []) == neighbours, "nothing of those who left is left")
                try await place.expectOnce(planned)
            }
        }
    }

    /// Asks for some people's erasures, now here, now there; while the database is away, again under the same key.
    private func ask(_ indexes: Range<Int>, of servers: [RunningServer], _ place: ErasurePlace) async throws {
        for index in indexes {
            let server = servers[index % 2]
            let token = Guarded<String?>(nil)
            try await eventually {
                let found = try? await place.token(index, server)
                token.withLock { $0 = found }
                return found != nil
            }
            try await eventually {
                let answer = try? await server.ask(
                    .POST, "/v1/erasures", token: token.withLock { $0 }, headers: ["Idempotency-Key": "k\(index)"])
                guard let answer, answer.status < 500 else { return false }
                #expect([200, 202].contains(answer.status), "\(answer)")
                return true
            }
        }
    }
}
