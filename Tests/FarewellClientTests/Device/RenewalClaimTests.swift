// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import Testing

@testable import FarewellClient

@Suite("Decisions about a session")
struct RenewalClaimTests {
    static let now = Date(timeIntervalSince1970: 1_000)

    static func session(_ access: String = "a", id: String = "s", expiresIn: TimeInterval = 60, life: TimeInterval = 60) -> DeviceSession {
        DeviceSession(
            id: id, user: DeviceUser(id: "u"), accessToken: Token(access), refreshToken: Token("r"),
            expiresAt: now.addingTimeInterval(expiresIn), lifetime: life)
    }

    @Test("SE-3 the record alone decides which process renews")
    func claims() {
        let held = Self.session()
        func decide(_ session: DeviceSession?, nonce: String? = nil, until: TimeInterval? = nil, asker: Int32 = 8) -> RenewalClaim {
            let renewal = nonce.map {
                SessionRecord.Renewal(nonce: $0, until: until.map { Self.now.addingTimeInterval($0) }, asker: asker)
            }
            return RenewalClaim.decide(
                SessionRecord(generation: 4, session: session, renewal: renewal), held: held, now: Self.now, nonce: "new",
                asker: 7, isAlive: { $0 != 6 })
        }
        func claimed(_ nonce: String) -> RenewalClaim {
            .claimed(
                SessionRecord(
                    generation: 5, session: held, renewal: .init(nonce: nonce, until: Self.now.addingTimeInterval(15), asker: 7)))
        }
        #expect(RenewalClaim.decide(nil, held: held, now: Self.now, nonce: "new", asker: 7, isAlive: { _ in true }) == .newer)
        #expect(decide(nil) == .newer)
        #expect(decide(Self.session("b")) == .newer)
        #expect(decide(Self.session(id: "t")) == .newer)
        #expect(decide(held) == claimed("new"))
        #expect(decide(held, nonce: "old") == claimed("old"), "an answer was lost: the same is asked again")
        #expect(decide(held, nonce: "old", until: 15) == .wait)
        #expect(decide(held, nonce: "old", until: 15.004) == .wait, "the asking process has read the clock a moment later")
        #expect(decide(held, nonce: "old", until: 15, asker: 6) == claimed("old"), "the asking process was killed")
        #expect(decide(held, nonce: "old", until: 0) == claimed("old"), "the asking process will not come back")
        #expect(decide(held, nonce: "old", until: 1_000) == claimed("old"), "the clock was turned back meanwhile")
    }

    @Test("SE-3 a session is fresh, ageing, stale in this order, whatever its lifetime", arguments: [1.0, 10, 60, 3_600, 86_400])
    func freshness(_ life: TimeInterval) {
        var seen: [SessionFreshness] = []
        for step in stride(from: life, through: -1, by: -life / 1_000) {
            let session = Self.session(expiresIn: step, life: life)
            let freshness = SessionFreshness.of(session, at: Self.now)
            if seen.last != freshness { seen.append(freshness) }
            #expect((SessionFreshness.untilAgeing(session, at: Self.now) == 0) == (freshness != .fresh))
        }
        #expect(seen == [.fresh, .ageing, .stale])
    }

    @Test("the back-off after failures grows to at most a minute, with random jitter")
    func backoff() {
        func delays(_ chance: Double) -> [Double] {
            (1...10).map { RetryPolicy.calls.delay(afterFailures: $0, chance: chance) / .seconds(1) }
        }
        #expect(delays(0) == [0.5, 1, 2, 4, 8, 16, 30, 30, 30, 30])
        #expect(delays(1) == [1, 2, 4, 8, 16, 32, 60, 60, 60, 60])
    }

    @Test("C16: the server's time continues whatever happens to the device's clock")
    func serverTime() {
        let time = VirtualTime()
        var server = ServerTime()
        time.deviceError.withLock { $0 = 500 }
        #expect(server.now(time.environment()) == VirtualTime.start.addingTimeInterval(500), "nothing better is known")
        server.learn(nil, at: time.elapsed)
        server.learn(Self.now, at: time.elapsed)
        time.pass(.seconds(7))
        time.deviceError.withLock { $0 = -9_999 }
        #expect(server.now(time.environment()) == Self.now.addingTimeInterval(7))
    }

    @Test("an HTTP date is read, and no other text")
    func dates() {
        #expect(HTTPDate.seconds("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
        let bads = [
            "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 08:49 GMT", "1994-11-06",
            "Sun, 06 Nov \(Int.max) 08:49:37 GMT", "Sun, \(Int.max) Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 \(Int.max):49:37 GMT",
            "Sun, 06 Nov 1994 08:\(Int.max):37 GMT", "Sun, 06 Nov 1994 08:49:\(Int.max) GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
        ]
        for bad in bads {
            #expect(HTTPDate.seconds(bad) == nil)
        }
    }
}
