// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
@testable import FarewellServer
import FarewellSessions
import Foundation
import HTTPTypes
import TestFixtures
import Testing

@Suite("Requests whose time limit passes")
struct LateRequestTests {
    /// A server whose requests are late at a place of their work: before a round trip to the database, or in a hash.
    private static func serving(_ clock: LateClock, _ use: @Sendable (ErasureMount) async throws -> Void) async throws {
        var hashing = PasswordWork.live
        let scrypt = hashing.scrypt
        hashing.scrypt = { password, salt, cost in
            clock.reach()
            return try scrypt(password, salt, cost)
        }
        defer { clock.end() }
        try await ErasureMount.with(
            isWorking: .off, pages: PageSettings(),
            changing: { environment, world in
                environment.sleep = { try await clock.pause($0) }
                world.elapsed = { clock.elapsed }
                world.sleep = { try await clock.wait($0) }
            },
            watching: { database in
                WatchedDatabase(database) { statements, end in
                    if end == .cancellable { await clock.reachCancellable() } else { clock.reach() }
                    return statements
                }
            },
            hashing: hashing, use)
    }

    @Test(
        "SC-2 a request whose time limit passes at any place of its work gets 504, and has done all of its work or none",
        arguments: LateRequest.allCases, LateClock.Ending.allCases)
    func late(_ request: LateRequest, _ ending: LateClock.Ending) async throws {
        let clock = LateClock(ending)
        try await Self.serving(clock) { mount in
            var changes: [[String: Int64]] = []
            for place in 1...100 {
                var sender = try await request.sender(mount)
                let before = try await LateRequest.counts(mount)
                clock.arm(place)
                let answer = try await request.send(&sender, mount)
                let isLate = clock.disarm()
                let change = try await LateRequest.counts(mount)
                    .merging(before) { $0 - $1 }.filter { $0.value != 0 }
                guard isLate else {
                    #expect(answer.status == request.status, "\(answer)")
                    #expect(place > 1 && request.writes != change.isEmpty, "\(place) \(change)")
                    #expect(changes.allSatisfy { $0.isEmpty || $0 == change }, "\(change) \(changes)")
                    #expect(!request.writes || changes.contains { ending == .timer ? $0.isEmpty : $0 == change })
                    return
                }
                changes.append(change)
                #expect(answer.status == 504, "place \(place): \(answer)")
                #expect(
                    request.isPage
                        ? answer.headers[.contentType]?.hasPrefix("text/html") == true : answer.code == "request_timeout",
                    "place \(place): \(answer)")
                guard change.isEmpty else { continue }
                let again = try await request.send(&sender, mount)
                #expect(again.status == request.status, "place \(place): \(again)")
            }
            Issue.record("no request in time")
        }
    }
}
