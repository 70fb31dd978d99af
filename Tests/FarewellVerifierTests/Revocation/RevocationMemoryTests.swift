// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import Testing

@testable import FarewellVerifier

@Suite("The memory of revocations")
struct RevocationMemoryTests {
    private func token(
        session: String? = "s", subject: String = "u", issuer: String = "i", issued: TimeInterval = 0
    ) -> VerifiedToken {
        VerifiedToken(
            person: IssuedSubject(issuer: issuer, subject: subject), sessionID: session,
            issuedAt: Trial.now.addingTimeInterval(issued), expiresAt: Trial.now.addingTimeInterval(issued + 3600), claims: [:])
    }

    private func revoked(_ scope: RevokedTokens.Scope, issuer: String = "i", at seconds: TimeInterval = 0) -> RevokedTokens {
        RevokedTokens(issuer: issuer, scope: scope, revokedAt: Trial.now.addingTimeInterval(seconds))
    }

    @Test("SE-9 a session's tokens are refused, whenever issued and however the session is spelled, and no other session's")
    func session() {
        var memory = RevocationMemory(capacity: 10, retention: 3600)
        memory.note(revoked(.session("AbC")), at: Trial.now)
        #expect(memory.isRevoked(token(session: "abc")) && memory.isRevoked(token(session: "ABC", issued: 60)))
        #expect(!memory.isRevoked(token(session: "abd")) && !memory.isRevoked(token(session: nil)))
        #expect(!memory.isRevoked(token(session: "abc", issuer: "j")))
    }

    @Test("SE-9 a user's tokens are refused up to an instant, or all of them, and never fewer than before")
    func subject() {
        var memory = RevocationMemory(capacity: 10, retention: 3600)
        memory.note(revoked(.subject("u", before: Trial.now)), at: Trial.now)
        memory.note(revoked(.subject("u", before: Trial.now.addingTimeInterval(-60))), at: Trial.now)
        #expect(memory.isRevoked(token(issued: 0)) && memory.isRevoked(token(session: nil, issued: -1)))
        #expect(!memory.isRevoked(token(issued: 1)) && !memory.isRevoked(token(subject: "v")))
        memory.note(revoked(.subject("v", before: nil)), at: Trial.now)
        memory.note(revoked(.subject("v", before: Trial.now)), at: Trial.now)
        #expect(memory.isRevoked(token(subject: "v", issued: 1_000_000)))
        #expect(!memory.isRevoked(token(subject: "v", issuer: "j")))
    }

    @Test("a revocation is kept until the last token that it can affect has expired")
    func forgotten() {
        var memory = RevocationMemory(capacity: 10, retention: 3600)
        memory.note(revoked(.session("a")), at: Trial.now)
        memory.note(revoked(.session("b"), at: 3599), at: Trial.now.addingTimeInterval(3599))
        #expect(memory.count == 2)
        memory.note(revoked(.session("c"), at: 3660), at: Trial.now.addingTimeInterval(3660))
        #expect(memory.count == 2 && !memory.isRevoked(token(session: "a")) && memory.isRevoked(token(session: "b")))
    }

    @Test("too many revocations cost refreshes, and admit no revoked token")
    func full() {
        var memory = RevocationMemory(capacity: 1000, retention: 1_000_000)
        for number in 0..<5000 {
            let at = TimeInterval(number)
            memory.note(revoked(.session("s\(number)"), at: at), at: Trial.now.addingTimeInterval(at))
        }
        #expect(memory.count <= 1000)
        for number in 0..<5000 { #expect(memory.isRevoked(token(session: "s\(number)", issued: TimeInterval(number)))) }
        #expect(!memory.isRevoked(token(session: "other", issued: 5000)))
        #expect(!memory.isRevoked(token(session: "other", issuer: "j")))
        #expect(memory.isRevoked(token(session: "other", issued: 0)), "an old token of another user is refused until it is refreshed")
    }
}
