// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Requests that an erasure answers which ended a moment before")
struct EarlierEndTests {
    /// When the erasure noted its end. Its commit comes later.
    private static let end = Date(timeIntervalSince1970: 1_800_000_000)

    private static func isMet(asked: Double, session: Double? = nil, token: Double? = nil) -> Bool {
        var request = ErasureRequest()
        request.askedAt = end.addingTimeInterval(asked)
        request.sessionBeganAt = session.map { end.addingTimeInterval($0) }
        request.tokenIssuedAt = token.map { end.addingTimeInterval($0) }
        return request.isMet(byErasureOf: end)
    }

    @Test("P4 an erasure answers callers whose session or token it ended, and no one who signed in after it")
    func decided() {
        #expect(Self.isMet(asked: -1) && Self.isMet(asked: 0))
        #expect(!Self.isMet(asked: 1))
        #expect(Self.isMet(asked: 1, session: -5) && Self.isMet(asked: 59, session: -5))
        #expect(!Self.isMet(asked: 1, session: 0.5) && !Self.isMet(asked: 61, session: -5))
        #expect(Self.isMet(asked: 3_600, token: -1) && !Self.isMet(asked: 3_600, token: 1))
    }

    @Test(
        "P4 a caller who was identified between an erasure's end and its commit gets its answer, whatever rows are there",
        arguments: SQLDialect.allCases)
    func answered(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let first = try #require(try await place.erased("1"))
            let end = try #require(first.status.erasure.finishedAt)
            try await place.fixture.run("INSERT INTO people VALUES (1, 'kept@example.org')")
            var late = ErasureRequest(idempotencyKey: "another")
            late.askedAt = end.addingTimeInterval(0.2)
            late.sessionBeganAt = end.addingTimeInterval(-60)
            let same = try await place.requests().request("1", late)
            #expect(same.isKnown && same.erasure.id == first.id && same.erasure.state == .done)
            late.idempotencyKey = "later"
            late.sessionBeganAt = end.addingTimeInterval(0.1)
            let other = try await place.requests().request("1", late)
            #expect(!other.isKnown && other.erasure.id != first.id)
        }
    }
}
