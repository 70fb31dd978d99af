// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import FarewellSample
import Foundation
import NIOHTTP1
import Testing

@Suite("Through a pooler")
struct CommandPoolerTests {
    /// Compares what the app finds on the pooler's sessions with what it found before Farewell came.
    private static func requireClean(_ address: String, as before: Set<String>, after what: String) async throws {
        let sessions = try await OwnPooler.sessions(at: address)
        #expect(Set(sessions.map(\.state)) == before, "after \(what)")
    }

    @Test(
        "OP-1 OPS-02 every command works through pgbouncer, and nothing remains on its sessions",
        arguments: [OwnPooler.Mode.transaction, .session])
    func commands(_ mode: OwnPooler.Mode) async throws {
        try await OwnPooler.with(mode) { pooler in
            let before = try await pooler.untouched()
            try await CommandPlace.with(
                .postgresql, people: 6, messagesOfOne: 60_000, on: .pooler(pooler)
            ) { place in
                try await Self.requireClean(place.address, as: before, after: "init and decide")
                let (large, others) = (place.people.subjectKey(at: 0), place.neighbour)
                let calls = [
                    ["check"], ["doctor"], ["preview", "--subject", place.person],
                    ["rehearse", "--subject", place.person], ["erase", "--yes", "--subject", place.person],
                    ["erase", "--yes", "--subject", large, "--subject", others], ["status"],
                    ["verify", "--deep", "--subject", large], ["reerase", "--dry-run"], ["audit", "export"], ["fence"],
                ]
                for call in calls {
                    let end = try await place.call(call)
                    #expect(end.status == 0, "\(call[0]): \(end)")
                    if call[0] == "doctor" { #expect(end.output.contains("the connection uses one"), "\(end)") }
                    try await Self.requireClean(place.address, as: before, after: call[0])
                }
                let rows = try await place.rows()
                let isGone = !rows.contains { $0.contains(place.person) || $0.contains(large) || $0.contains(others) }
                #expect(isGone)
            }
        }
    }

    @Test("OP-1 OPS-02 the error names a pooler in statement mode as the cause, and the call is not repeated")
    func statementMode() async throws {
        try await OwnPooler.with(.statement) { pooler in
            try await CommandPlace.with(.postgresql, people: 4) { place in
                let name = try #require(place.address.split(separator: "/").last)
                let through = try TestServer.address(of: String(name), at: pooler.address)
                let end = try await place.farewell(
                    "erase", "--yes", "--subject", place.person, environment: ["FAREWELL_DATABASE_URL": through])
                #expect(end.status == 2 && end.errors.contains("statement mode"), "\(end)")
            }
        }
    }

    @Test("OP-1 OPS-02 servers and workers share sessions with the app, leave nothing in them, and wake by polling")
    func serving() async throws {
        try await OwnPooler.with(.transaction) { pooler in
            let before = try await pooler.untouched()
            try await ErasurePlace.with(.postgresql, people: 4, on: pooler.address) { place in
                let settings = place.settings("concurrency: 0")
                try await place.place.serving(settings) { server in
                    try await place.working(place.settings()) { _ in
                        let mine = try await place.signIn(1, server)
                        let renewed = try await server.refresh(mine.refresh)
                        #expect(renewed.status == 200, "\(renewed)")
                        let gone = try await server.ask(.DELETE, "/me/account", token: mine.access)
                        #expect(gone.status == 200, "\(gone)")
                        #expect(try await !server.isAccepted(mine.access))
                        try await Self.requireClean(place.place.address, as: before, after: "a deletion")
                    }
                }
                #expect(try await place.count(1) == 0)
                try await Self.requireClean(place.place.address, as: before, after: "serve and work")
            }
        }
    }
}
