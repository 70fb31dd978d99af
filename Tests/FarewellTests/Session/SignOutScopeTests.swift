// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import Testing

@Suite("Sessions and their ends, decided by pure functions")
struct SignOutScopeTests {
    @Test("SO-5 each scope ends its sessions")
    func scopes() {
        let (own, other) = (UUID(), UUID())
        #expect([own, other].map { SignOutScope.local.ends($0, signingOutFrom: own) } == [true, false])
        #expect([own, other].map { SignOutScope.others.ends($0, signingOutFrom: own) } == [false, true])
        #expect([own, other].map { SignOutScope.global.ends($0, signingOutFrom: own) } == [true, true])
        for scope in SignOutScope.allCases { #expect(scope.ends(other, signingOutFrom: nil)) }
    }

    @Test("Item 24: a session ends by inactivity and at its absolute limit, exactly on time")
    func lifetimes() {
        let start = Date(timeIntervalSince1970: 1_763_726_400)
        let lifetime = SessionLifetime(inactivity: .seconds(100), absolute: .seconds(1000))
        let end = lifetime.end(of: start)
        #expect(end == start + 1000)
        func expiry(_ seconds: TimeInterval, refreshed: TimeInterval) -> SessionExpiry? {
            lifetime.expiry(refreshedAt: start + refreshed, notAfter: end, now: start + seconds)
        }
        #expect(expiry(99, refreshed: 0) == nil)
        #expect(expiry(100, refreshed: 0) == .inactivity)
        #expect(expiry(999, refreshed: 950) == nil)
        #expect(expiry(1000, refreshed: 950) == .absolute)
        #expect(expiry(1000, refreshed: 0) == .absolute)
        let endless = SessionLifetime(inactivity: nil, absolute: nil)
        #expect(endless.end(of: start) == nil && endless.idleSince(start) == nil)
        #expect(endless.expiry(refreshedAt: start, notAfter: nil, now: .distantFuture) == nil)
    }

    @Test(
        "a ban's duration is read as Go writes it",
        arguments: [
            ("none", BanDuration.none), ("24h", .lasting(.seconds(86_400))), ("1h30m", .lasting(.seconds(5400))),
            ("1.5h", .lasting(.seconds(5400))), ("90s", .lasting(.seconds(90))), ("250ms", .lasting(.milliseconds(250))),
            ("", nil), ("24", nil), ("h", nil), ("-1h", nil), ("1d", nil), ("0s", nil), ("1e99h", nil), ("nan", nil),
            ("1h ", nil), ("٣h", nil), ("99999999999h", nil), ("None", nil),
        ] as [(String, BanDuration?)])
    func bans(text: String, expected: BanDuration?) {
        #expect(BanDuration(text) == expected)
    }

    @Test(
        "an e-mail address has one spelling, and an invalid one is refused",
        arguments: [
            (" Anna@Example.ORG ", "anna@example.org"), ("a@b", "a@b"), ("ü@exämple.org", "ü@exämple.org"), ("", nil),
            ("a", nil), ("@b", nil), ("a@", nil), ("a@b@c", nil), ("a@b..c", nil), ("a b@c", nil), ("a\u{0}@b", nil),
            ("a@-b.org", nil), ("<a@b>", nil), ("a\r\n@b.org", nil), (String(repeating: "a", count: 65) + "@b.org", nil),
            ("a@" + String(repeating: "b.", count: 130) + "org", nil), ("a\u{202E}b@c.org", nil),
            ("JOSE\u{301}@exa\u{308}mple.org", "jos\u{E9}@ex\u{E4}mple.org"), ("\u{C9}va@a.org", "\u{E9}va@a.org"),
            ("a\u{37E}b@c.org", nil),
        ] as [(String, String?)])
    func addresses(text: String, expected: String?) {
        // By bytes, as a database compares them: to Swift texts are equal however they are composed.
        #expect(EmailAddress(text).map { Array($0.text.utf8) } == expected.map { Array($0.utf8) })
    }

    @Test("a device's own description is shortened and cleaned before it is shown")
    func device() {
        let device = SessionDevice(
            name: "Anna's\u{1B}[31m phone\r\n", platform: "", appVersion: String(repeating: "9", count: 500),
            userAgent: "a\u{202E}b")
        #expect(device.name == "Anna's[31m phone" && device.platform == nil && device.userAgent == "ab")
        #expect(device.appVersion?.count == 200)
    }

    @Test("the errors about a weak password use the contract's words")
    func passwords() {
        let rule = PasswordRule(minimumLength: 8, groups: ["abcdefghijklmnopqrstuvwxyz", "0123456789"])
        #expect(rule.weaknesses(of: "longenough1") == [])
        #expect(rule.weaknesses(of: "short1") == [.length])
        #expect(rule.weaknesses(of: "longenough") == [.characters])
        #expect(rule.weaknesses(of: "") == [.length, .characters])
        #expect(PasswordRule(minimumLength: 0).weaknesses(of: "") == [.length])
    }
}
