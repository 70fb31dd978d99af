// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import Testing

@testable import FarewellVerifier

@Suite("Logout tokens and events of issuers")
struct SecurityEventTests {
    private static let logout = "http://schemas.openid.net/event/backchannel-logout"
    private static let caep = "https://schemas.openid.net/secevent/caep/event-type/session-revoked"
    private static let risc = "https://schemas.openid.net/secevent/risc/event-type/"
    private let time = ManualTime()
    private static let empty = JSONValue.object([:])

    private func openID() throws -> Trial { try #require(Trial.all().first { $0.testDescription == "OpenID, PS256" }) }

    private func apple() throws -> Trial { try #require(Trial.all().first { $0.testDescription == "Apple, RS256" }) }

    private func verifier(_ trial: Trial, revocations: RevocationList? = nil) throws -> TokenVerifier {
        try TokenVerifier(
            trusting: [trial.trust(.fixed(ForgedKey.set([trial.key.jwk()]), for: [trial.key.algorithm]))],
            revocations: revocations, fetching: NoNetwork(), environment: time.environment)
    }

    /// A token of events by the key of a trial; `nil` removes a member.
    private func token(_ trial: Trial, type: String, _ changes: [String: JSONValue?]) throws -> String {
        var claims: [String: JSONValue] = [
            "iss": trial.claims["iss"] ?? .null, "aud": trial.claims["aud"] ?? .null, "iat": .integer(Trial.second), "jti": "j-1",
        ]
        for (name, value) in changes { claims[name] = value }
        return try trial.token(trial.header.merging(["typ": .string(type)]) { $1 }, claims)
    }

    private func logoutToken(_ changes: [String: JSONValue?] = [:], type: String = "logout+jwt") throws -> String {
        let good: [String: JSONValue?] = ["sub": "u1", "sid": "s1", "events": .object([Self.logout: Self.empty])]
        return try token(openID(), type: type, good.merging(changes) { $1 })
    }

    private func refusal(_ verifier: TokenVerifier, _ token: String) async -> TokenRefusal? {
        do throws(TokenRefusal) {
            _ = try await verifier.verifyEvent(token)
            return nil
        } catch {
            return error
        }
    }

    @Test("Item 26: a logout token ends the session that it names, once")
    func logoutOnce() async throws {
        let trial = try openID()
        let list = RevocationList(retention: .seconds(86_400), environment: time.environment)
        list.heard()
        let verifier = try verifier(trial, revocations: list)
        _ = try await verifier.verify(trial.token())
        let event = try await verifier.verifyEvent(logoutToken())
        #expect(event.kind == .logout && event.sessionID == "s1" && event.person?.subject == "u1" && !event.isRepeated)
        list.note(try #require(event.revocation))
        await #expect(throws: TokenRefusal.revoked) { try await verifier.verify(trial.token()) }
        #expect(await refusal(verifier, try logoutToken()) == .replayed)
        #expect(try await verifier.verifyEvent(logoutToken(["jti": "j-2"])).id == "j-2")
    }

    @Test("Item 26: a logout token is two minutes old at most, has its type, events, identifier and audience, and no nonce")
    func hostileLogout() async throws {
        let verifier = try verifier(openID())
        let cases: [(String, TokenRefusal, () throws -> String)] = [
            ("of another type", .purpose, { try logoutToken(type: "JWT") }),
            ("called an event", .purpose, { try logoutToken(type: "secevent+jwt") }),
            ("an access token by its type", .purpose, { try logoutToken(type: "at+jwt") }),
            ("without events", .purpose, { try logoutToken(["events": nil]) }),
            ("events that are text", .purpose, { try logoutToken(["events": "x"]) }),
            ("another event", .purpose, { try logoutToken(["events": .object([Self.caep: Self.empty])]) }),
            ("two events", .purpose, { try logoutToken(["events": .object([Self.logout: Self.empty, "x": Self.empty])]) }),
            ("an event that is a word", .purpose, { try logoutToken(["events": .object([Self.logout: "x"])]) }),
            ("with a nonce", .purpose, { try logoutToken(["nonce": "n"]) }),
            ("too old", .time, { try logoutToken(["iat": .integer(Trial.second - 151)]) }),
            ("of the future", .time, { try logoutToken(["iat": .integer(Trial.second + 31)]) }),
            ("expired", .time, { try logoutToken(["exp": .integer(Trial.second - 31)]) }),
            ("without a time", .claims, { try logoutToken(["iat": nil]) }),
            ("without an identifier", .claims, { try logoutToken(["jti": nil]) }),
            ("with an empty identifier", .claims, { try logoutToken(["jti": ""]) }),
            ("about no user", .claims, { try logoutToken(["sub": nil, "sid": nil]) }),
            ("about a number", .claims, { try logoutToken(["sub": 7]) }),
            ("for another audience", .audience, { try logoutToken(["aud": "other"]) }),
            ("for no audience", .audience, { try logoutToken(["aud": nil]) }),
            ("of another issuer", .issuer, { try logoutToken(["iss": "https://evil.example"]) }),
            ("broken", .malformed, { "x" }), ("of a megabyte", .malformed, { String(repeating: "A", count: 1 << 20) }),
            ("without a signature", .signature, { try logoutToken().split(separator: ".").dropLast().joined(separator: ".") + "." }),
        ]
        for (name, reason, make) in cases { #expect(await refusal(verifier, try make()) == reason, "\(name)") }
        #expect(verifier.count.accepted == 0)
        // An access token is no event, and a logout token no access token.
        #expect(await refusal(verifier, try openID().token()) == .purpose)
        await #expect(throws: TokenRefusal.purpose) { try await verifier.verify(logoutToken()) }
    }

    @Test("Item 27: CAEP and RISC events are read as items 1 to 10 demand, and a second copy is reported as repeated")
    func events() async throws {
        let trial = try openID()
        let verifier = try verifier(trial)
        let me: JSONValue = .object(["format": "iss_sub", "iss": trial.claims["iss"] ?? .null, "sub": "u1"])
        func event(_ uri: String, _ changes: [String: JSONValue?], in details: JSONValue = Self.empty) throws -> String {
            try token(trial, type: "secevent+jwt", ["events": .object([uri: details])].merging(changes) { $1 })
        }
        let session = try await verifier.verifyEvent(
            event(Self.caep, ["jti": "1", "sub_id": .object(["format": "complex", "user": me, "session": .object(["id": "s1"])])]))
        #expect(session.kind == .sessionRevoked && session.revocation?.scope == .session("s1"))
        let purged = try event(Self.risc + "account-purged", ["jti": "2"], in: .object(["subject": me]))
        let first = try await verifier.verifyEvent(purged)
        #expect(first.kind == .accountPurged && first.revocation?.scope == .subject("u1", before: nil) && !first.isRepeated)
        time.advance(by: .seconds(3600))
        let again = try await verifier.verifyEvent(purged)
        #expect(again.isRepeated && again.revocation == first.revocation, "doing it twice is harmless")
        let other = try await verifier.verifyEvent(event("https://example.org/unknown", ["jti": "3", "sub": "u1"]))
        #expect(other.kind == .other && other.revocation == nil)
        let theirs: JSONValue = .object(["format": "iss_sub", "iss": "https://other.example", "sub": "u1"])
        #expect(await refusal(verifier, try event(Self.risc + "account-purged", ["jti": "4", "sub_id": theirs])) == .issuer)
        // A value that is no text, or no name at all, is no issuer.
        let nameless: JSONValue = .object(["format": "iss_sub", "iss": .null, "sub": "u1"])
        #expect(await refusal(verifier, try event(Self.risc + "account-purged", ["jti": "8", "sub_id": nameless])) == .issuer)
        #expect(await refusal(verifier, try event(Self.caep, ["jti": "5", "aud": "other", "sub": "u1"])) == .audience)
        #expect(await refusal(verifier, try event(Self.logout, ["jti": "6", "sub": "u1"])) == .purpose)
        #expect(await refusal(verifier, try event(Self.caep, ["jti": "7", "sub_id": .object(["format": "email"])])) == .claims)
    }

    @Test("Item 27: Apple's server notifications are read by Apple's rules only")
    func appleEvents() async throws {
        let trial = try apple()
        let verifier = try verifier(trial)
        func written(_ type: String, id: String) throws -> String {
            let text = #"{"type":"\#(type)","sub":"001234.abcdef.0567","event_time":1790000000000}"#
            return try token(trial, type: "JWT", ["jti": .string(id), "events": .string(text)])
        }
        let gone = try await verifier.verifyEvent(written("account-delete", id: "1"))
        #expect(gone.kind == .accountPurged && gone.person?.subject == "001234.abcdef.0567")
        let revoked = try await verifier.verifyEvent(written("consent-revoked", id: "2"))
        #expect(revoked.kind == .consentRevoked)
        #expect(revoked.revocation?.scope == .subject("001234.abcdef.0567", before: Trial.now))
        #expect(try await verifier.verifyEvent(written("email-disabled", id: "3")).revocation == nil)
        for events in ["x", "{}", #"{"type":7,"sub":"s"}"#] as [JSONValue] {
            #expect(await refusal(verifier, try token(trial, type: "JWT", ["events": events])) == .purpose)
        }
        #expect(await refusal(verifier, try token(trial, type: "logout+jwt", ["events": .object([Self.logout: Self.empty])])) == .purpose)
        #expect(await refusal(verifier, try trial.token()) == .purpose, "an identity token is no event")
    }

    @Test("Item 27: a late notification of Apple ends no token that was issued after its event")
    func lateAppleEvent() async throws {
        let trial = try apple()
        let verifier = try verifier(trial)
        let earlier = Trial.second - 60
        let times: [(member: String, second: Int64)] = [
            (#""event_time":\#(earlier)250,"#, earlier), (#""event_time":\#(earlier),"#, earlier),
            (#""event_time":"\#(earlier)","#, earlier), (#""event_time":\#(earlier).5,"#, earlier), ("", Trial.second),
            (#""event_time":"soon","#, Trial.second), (#""event_time":-1,"#, Trial.second),
            (#""event_time":\#(Trial.second + 60),"#, Trial.second),
        ]
        for (place, (member, second)) in times.enumerated() {
            let text = #"{\#(member)"type":"consent-revoked","sub":"001234"}"#
            let told = try await verifier.verifyEvent(
                token(trial, type: "JWT", ["jti": .string("late-\(place)"), "events": .string(text)]))
            let expected = Date(timeIntervalSince1970: Double(second))
            #expect(told.occurredAt == expected && told.issuedAt == Trial.now)
            #expect(told.revocation?.scope == .subject("001234", before: expected))
        }
    }

    @Test("Item 27: an event of Apple in whole seconds may have happened at their end")
    func appleSecond() {
        let issued = Date(timeIntervalSince1970: 1_790_000_100)
        func isLatest(_ second: TimeInterval, of time: JSONValue) -> Bool {
            let latest = AppleEventTime.latest(of: .object(["event_time": time]), issuedAt: issued)
            return abs(latest.timeIntervalSince1970 - second) < 0.000_5
        }
        #expect(isLatest(1_790_000_000.999, of: .integer(1_790_000_000)))
        #expect(isLatest(1_790_000_000.25, of: .integer(1_790_000_000_250)))
        #expect(isLatest(1_790_000_100.999, of: .integer(1_790_000_200)), "no event is later than its notification")
        #expect(isLatest(1_790_000_100.999, of: "soon"))
    }

    @Test("the memory of events is limited")
    func bounded() {
        var seen = SeenEvents()
        func event(_ number: Int) -> SecurityEvent {
            SecurityEvent(kind: .logout, issuer: "i", id: "\(number)", person: nil, sessionID: "s", issuedAt: Trial.now)
        }
        for number in 0..<150_000 {
            let isNew = seen.see(event(number), at: Trial.now.addingTimeInterval(Double(number) / 10_000), VerifierSettings())
            if !isNew { Issue.record("event \(number) is not new") }
        }
        #expect(seen.count <= 100_000)
        let isNew = seen.see(event(149_999), at: Trial.now.addingTimeInterval(15), VerifierSettings())
        #expect(!isNew)
    }
}
