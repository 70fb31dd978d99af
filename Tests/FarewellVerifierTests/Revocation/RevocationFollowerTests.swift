// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import Foundation
import Testing

@testable import FarewellVerifier

@Suite("The follower of the revocation feed")
struct RevocationFollowerTests {
    /// A server's answers to successive requests; after that it is silent.
    final class Script: RevocationStreaming {
        enum Line: Sendable {
            case says(String)
            case ends
            case refuses(Int)
            case isSilent
        }

        private let state: Guarded<(lines: [[Line]], cursors: [String?])>

        init(_ lines: [[Line]]) { state = Guarded((lines, [])) }

        var cursors: [String?] { state.withLock { $0.cursors } }

        func follow(after cursor: String?, receive: @Sendable ([UInt8]) throws -> Void) async throws {
            let lines = state.withLock { state in
                state.cursors.append(cursor)
                return state.lines.isEmpty ? [.isSilent] : state.lines.removeFirst()
            }
            for line in lines {
                switch line {
                case .says(let text): try receive(Array(text.utf8))
                case .ends: return
                case .refuses(let status): throw RevocationFeedRefusal(status: status)
                case .isSilent: try await ContinuousClock().sleep(for: .seconds(3600))
                }
            }
        }
    }

    let time = ManualTime()
    var list: RevocationList { RevocationList(retention: .seconds(3600), environment: time.environment) }

    private static func entry(_ cursor: Int, session: String) -> String {
        let data = #"{"cursor":\#(cursor),"issuer":"i","session_id":"\#(session)","subject":"u","revoked_at":1790000000,"before":null}"#
        return "id: \(cursor)\ndata: \(data)\n\n"
    }

    private static let current = "event: current\ndata: {}\n\n"

    private func token(_ session: String) -> VerifiedToken {
        VerifiedToken(
            person: IssuedSubject(issuer: "i", subject: "u"), sessionID: session, issuedAt: Trial.now, expiresAt: Trial.now, claims: [:])
    }

    @Test("SE-9 sessions in the feed are refused, and after a break the follower continues at its position, with growing pauses")
    func resumes() async throws {
        let script = Script([
            [.says(Self.entry(1, session: "a")), .says(": heartbeat\n\n"), .says("id: 2\nda"), .ends],
            [.refuses(503)], [.refuses(503)],
            [.says(Self.entry(2, session: "b"))],
        ])
        let list = list
        let follower = RevocationFollower(script, into: list, environment: time.environment)
        #expect(follower.freshness == FeedFreshness(state: .connecting, age: nil, cursor: nil, unreadableEvents: 0))
        let running = Task { await follower.run() }
        // A break of a healthy feed, then two failures: a tenth of a second, then twice and four times as much, by chance 0.5.
        for wait in [75, 150, 300, 75] as [Int] {
            try await time.sleeper(until: time.passed + .milliseconds(wait))
            time.advance(by: .milliseconds(wait))
        }
        try await eventually { script.cursors.count >= 5 }
        #expect(script.cursors == [nil, "1", "1", "1", "2"])
        #expect(list.isRevoked(token("a")) && list.isRevoked(token("b")) && !list.isRevoked(token("c")))
        running.cancel()
        await running.value
        #expect(follower.freshness.cursor == "2")
    }

    @Test("a silent feed counts as broken, and is reported as lost")
    func silence() async throws {
        let script = Script([[.says(Self.entry(1, session: "a") + Self.current), .isSilent]])
        let follower = RevocationFollower(script, into: list, silence: .seconds(45), environment: time.environment)
        let running = Task { await follower.run() }
        try await eventually { follower.freshness.state == .following }
        #expect(follower.freshness.cursor == "1" && follower.freshness.age == .zero)
        try await time.sleeper(until: .seconds(45))
        time.advance(by: .seconds(45))
        try await eventually { follower.freshness.state == .lost }
        #expect(follower.freshness.age == .seconds(45))
        running.cancel()
        await running.value
    }

    @Test("SE-9 nothing counts as known before the whole backlog is read, at the start and after a break")
    func backlog() async throws {
        let script = Script([
            [.says(": follow\n\n"), .says(Self.entry(1, session: "a")), .ends],
            [.says(Self.current), .says(": beat\n\n"), .ends], [.says(Self.entry(2, session: "b")), .isSilent],
        ])
        let list = list
        let follower = RevocationFollower(script, into: list, silence: .seconds(45), environment: time.environment)
        let running = Task { await follower.run() }
        try await time.sleeper(until: time.passed + .milliseconds(75))
        #expect(follower.freshness.state == .lost && follower.freshness.age == nil && list.isRevoked(token("a")))
        time.advance(by: .milliseconds(75))
        try await eventually { list.age != nil }
        try await time.sleeper(until: time.passed + .milliseconds(75))
        time.advance(by: .milliseconds(75))
        try await eventually { follower.freshness.cursor == "2" }
        #expect(follower.freshness.state == .catchingUp && follower.freshness.age == .milliseconds(75))
        #expect(script.cursors == [nil, "1", "1"] && list.isRevoked(token("b")))
        running.cancel()
        await running.value
    }

    @Test("an unreadable entry is counted and skipped; a server that forgot the position sends everything again")
    func unreadable() async throws {
        let script = Script([
            [
                .says("id: 1\ndata: {\"issuer\":\"i\"}\n\nid: 2\ndata: nonsense\n\nevent: later\ndata: {}\nid: 3\n\n"),
                .says(Self.entry(4, session: "b")), .ends,
            ],
            [.refuses(410)],
        ])
        let list = list
        let follower = RevocationFollower(script, into: list, environment: time.environment)
        let running = Task { await follower.run() }
        for wait in [75, 150] as [Int] {
            try await time.sleeper(until: time.passed + .milliseconds(wait))
            time.advance(by: .milliseconds(wait))
        }
        try await eventually { script.cursors.count >= 3 }
        #expect(script.cursors.prefix(3) == [nil, "4", nil])
        #expect(follower.freshness.unreadableEvents == 2 && list.count == 1 && list.isRevoked(token("b")))
        running.cancel()
        await running.value
    }

    @Test(
        "an entry names a session, or a user with an optional instant; anything else is refused",
        arguments: [
            (#"{"issuer":"i","session_id":"S","subject":"u","revoked_at":1,"before":9}"#, RevokedTokens.Scope.session("S")),
            (
                #"{"issuer":"i","session_id":null,"subject":"u","revoked_at":1.5,"before":2.25}"#,
                .subject("u", before: .init(timeIntervalSince1970: 2.25))
            ),
            (#"{"issuer":"i","subject":"u","revoked_at":1}"#, .subject("u", before: nil)),
            (#"{"issuer":"i","session_id":7,"subject":"u","revoked_at":1}"#, nil),
            (#"{"issuer":"i","session_id":null,"revoked_at":1}"#, nil),
            (#"{"issuer":"","session_id":"S","revoked_at":1}"#, nil), (#"{"issuer":"i","session_id":"S"}"#, nil),
            (#"{"issuer":"i","subject":"u","revoked_at":1,"before":"x"}"#, nil), ("[]", nil), ("", nil),
            (#"{"issuer":"i","issuer":"j","session_id":"S","revoked_at":1}"#, nil),
        ] as [(String, RevokedTokens.Scope?)])
    func entries(data: String, scope: RevokedTokens.Scope?) {
        #expect(RevocationEvent.tokens(data)?.scope == scope)
    }
}
