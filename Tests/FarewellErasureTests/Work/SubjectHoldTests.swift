// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("A hold belongs to the subject")
struct SubjectHoldTests {
    private static let graceful = ServiceRules(graceDays: 7, secondLook: 0, poll: 1)
    private static let reason = "lawsuit 7"

    private func acts(_ place: WorkerFixture, _ text: String) async throws -> [String] {
        try await place.fixture.rows("SELECT count(*) FROM \(place.fixture.control("audit")) WHERE entry LIKE '%\(text)%'")
    }

    @Test(
        "BX-9 SV-7 a user who cancels a held erasure and requests it again is held again, until an operator ends the hold",
        arguments: SQLDialect.allCases)
    func again(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let requests = place.requests(Self.graceful)
            let first = try await requests.request("1").erasure
            _ = try await requests.hold(first.id, reason: Self.reason, by: "operator")
            var askings = [first]
            for _ in 1...2 {
                _ = try await requests.cancel(try #require(askings.last).id, by: "1")
                askings.append(try await requests.request("1").erasure)
                #expect(askings.last?.holdReason == Self.reason)
            }
            #expect(Set(askings.map(\.id)).count == 3)
            let held = try #require(askings.last)
            let other = try await requests.request("2").erasure
            #expect(other.holdReason == nil, "a hold is one subject's")
            try await place.ripen()
            try await place.working { _ = try await requests.wait(for: other.id, atMost: 60) }
            #expect(try await requests.erasure(other.id)?.state == .done)
            #expect(try await requests.erasure(held.id)?.state == .grace)
            #expect(try await place.fixture.count("people") == 2)
            #expect(try await acts(place, "erasure.held") == ["3"])
            #expect(try await acts(place, "carried-over-from") == ["2"])

            _ = try await requests.endHold(of: held.id, by: "operator")
            _ = try await requests.cancel(held.id, by: "1")
            let free = try await requests.request("1").erasure
            #expect(free.holdReason == nil, "what an operator has ended does not come back")
            try await place.ripen()
            try await place.working { _ = try await requests.wait(for: free.id, atMost: 60) }
            #expect(try await requests.erasure(free.id)?.state == .done)
            #expect(try await place.fixture.count("people") == 1)
            _ = try await place.engine.verifyAudit()
        }
    }

    @Test(
        "BX-9 the command does not erase a user who cancelled a held erasure, alone or with others, until the hold ends",
        arguments: SQLDialect.allCases, [["1"], ["1", "2", "3"]])
    func command(_ dialect: SQLDialect, _ subjects: [String]) async throws {
        try await WorkerFixture.with(dialect) { place in
            let requests = place.requests(Self.graceful)
            let asked = try await requests.request("1").erasure
            _ = try await requests.hold(asked.id, reason: Self.reason, by: "operator")
            _ = try await requests.cancel(asked.id, by: "1")
            let outcomes = try await place.engine.erase(subjects)
            let running = outcomes.filter { if case .running = $0 { true } else { false } }
            let done = outcomes.filter { if case .done = $0 { true } else { false } }
            #expect(running.count == 1 && done.count == subjects.count - 1, "\(outcomes)")
            #expect(try await place.fixture.count("people") == 4 - subjects.count)
            let held = try #require(try await requests.latest(of: "1"))
            #expect(held.id != asked.id && held.state.isLive && held.holdReason == Self.reason)
            #expect(try await place.engine.resume().isEmpty)
            #expect(try await place.engine.erase(["1"]).count == 1)
            #expect(try await place.fixture.count("people") == 4 - subjects.count)
            #expect(try await acts(place, "carried-over-from") == ["1"])

            // Ended by the name under which the operator put it.
            _ = try await requests.endHold(of: asked.id, by: "operator")
            #expect(try await requests.erasure(held.id)?.holdReason == nil)
            _ = try await place.engine.resume()
            #expect(try await requests.erasure(held.id)?.state == .done)
            #expect(try await place.fixture.count("people") == 3 - subjects.count)
            _ = try await place.engine.verifyAudit()
        }
    }
}
