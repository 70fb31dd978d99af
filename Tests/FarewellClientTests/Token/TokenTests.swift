// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import Testing

@testable import FarewellClient

@Suite("Tokens")
struct TokenTests {
    static let canary = "canary-4711-of-a-token"

    @Test("SE-1 nothing that holds a token shows it, however it is printed")
    func redaction() {
        let token = Token(Self.canary)
        let session = DeviceSession(
            id: "s", user: DeviceUser(id: "u-\(Self.canary)", email: Self.canary), accessToken: token, refreshToken: token,
            signOutTicket: token, expiresAt: .distantFuture, lifetime: 60)
        let holders: [Any] = [
            token, Optional(token) as Any, [token], ["a": token], session, SessionStanding.signedIn(session),
            SessionEvent.signedIn(session), SessionRevocation(ticket: token, scope: .local),
            DeletionIntent(key: "k", ticket: token), ProviderAnswer(session),
            HTTPExchange.Request("GET", URL(filePath: "/"), fields: ["a": Self.canary], body: Data(Self.canary.utf8)),
            HTTPExchange.Answer(status: 200, fields: ["a": Self.canary], body: Data(Self.canary.utf8)),
            SessionRecord(generation: 1, session: session),
            Departure(
                id: "1", sessionID: "s", reason: .byYou,
                course: .signOut(.queued, wipes: nil, SessionRevocation(ticket: token, scope: .local))),
        ]
        for holder in holders {
            var dumped = ""
            dump(holder, to: &dumped)
            for text in ["\(holder)", String(describing: holder), String(reflecting: holder), dumped] {
                #expect(!text.contains(Self.canary), "\(type(of: holder))")
            }
        }
    }

    @Test("SE-1 no accidental print writes a token")
    func notCodable() {
        #expect(!(Token("a") as Any is any Encodable))
        #expect(!(Token("a") as Any is any Decodable))
    }

    @Test("a token lends its text, and compares and is empty as its text does")
    func value() {
        #expect(Token("abc").reveal { $0 } == "abc")
        #expect(Token("abc") == Token("abc") && Token("abc") != Token("abd") && Token("abc") != Token("ab"))
        #expect(Token("").isEmpty && !Token("a").isEmpty)
    }

    @Test("the client reads a record as written, and refuses other data by name")
    func record() async throws {
        let session = DeviceSession(
            id: "s", user: DeviceUser(id: "u", email: "a@example.org", appleUserID: "x"), accessToken: Token("a"),
            refreshToken: Token("r"), signOutTicket: Token("t"), expiresAt: Date(timeIntervalSince1970: 5), lifetime: 9)
        let records = [
            SessionRecord(generation: 1, ending: .expired),
            SessionRecord(
                generation: 2, session: session, renewal: .init(nonce: "n", until: Date(timeIntervalSince1970: 7))),
        ]
        for record in records { #expect(try SessionRecord(decoding: record.encoded()) == record) }
        for bad in ["", "{}", #"{"version":2,"generation":1}"#, #"{"version":1,"generation":\#(Int64.max)}"#, "\u{0}"] {
            #expect(await code { _ = try SessionRecord(decoding: Data(bad.utf8)) } == "device.record-unreadable")
        }
    }

    @Test("every reader gets an equal session, even where the clock is finer than the stored time")
    func fineTime() throws {
        for step in 0..<1_000 {
            let end = Date(timeIntervalSinceReferenceDate: 817_000_000 + Double(step) / Double(1 << 23))
            var session = DeviceSession(
                id: "s", user: DeviceUser(id: "u"), accessToken: Token("a"), refreshToken: Token("r"), expiresAt: end, lifetime: 9)
            let record = SessionRecord(generation: 1, session: session)
            #expect(try SessionRecord(decoding: record.encoded()) == record)
            session.expiresAt = end.addingTimeInterval(0.1)
            let renewed = SessionRecord(generation: 2, session: session)
            #expect(try SessionRecord(decoding: renewed.encoded()) == renewed)
        }
    }

    @Test("each reason of the authority for an ended session appears in the client's words")
    func reasons() {
        let expected: [SessionEnding: SignOutReason] = [
            .signedOut: .byYou, .signedOutElsewhere: .elsewhere, .endedFromList: .elsewhere, .passwordChanged: .elsewhere,
            .tokenReused: .stolenToken, .banned: .refused, .deleted: .accountDeleted, .byAdministrator: .elsewhere,
        ]
        for ending in SessionEnding.allCases { #expect(SignOutReason(ending) == expected[ending]) }
    }
}
