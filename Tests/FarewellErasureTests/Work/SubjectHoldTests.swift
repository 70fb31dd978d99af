// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("A hold is the subject's")
struct SubjectHoldTests {
    private static let graceful = ServiceRules(graceDays: 7, secondLook: 0, poll: 1)
    private static let reason = "lawsuit 7"

    private func acts(_ place: WorkHouse, _ text: String) async throws -> [String] {
        try await place.house.rows("SELECT count(*) FROM \(place.house.control("audit")) WHERE entry LIKE '%\(text)%'")
    }

    @Test(
        "BX-9 SV-7 who takes a held erasure back and asks again is held again, until an operator ends the hold",
        arguments: SQLDialect.allCases)
    func again(_ dialect: SQLDialect) async throws {
        try await WorkHouse.with(dialect) { place in
            let desk = place.desk(Self.graceful)
            let first = try await desk.request("1").erasure
            _ = try await desk.hold(first.id, reason: Self.reason, by: "operator")
            var askings = [first]
            for _ in 1...2 {
                _ = try await desk.cancel(try #require(askings.last).id, by: "1")
                askings.append(try await desk.request("1").erasure)
                #expect(askings.last?.holdReason == Self.reason)
            }
            #expect(Set(askings.map(\.id)).count == 3)
            let held = try #require(askings.last)
            let other = try await desk.request("2").erasure
            #expect(other.holdReason == nil, "a hold is one subject's")
            try await place.ripen()
            try await place.working { _ = try await desk.wait(for: other.id, atMost: 60) }
            #expect(try await desk.erasure(other.id)?.state == .done)
            #expect(try await desk.erasure(held.id)?.state == .grace)
            #expect(try await place.house.count("people") == 2)
            #expect(try await acts(place, "erasure.held") == ["3"])
            #expect(try await acts(place, "carried-over-from") == ["2"])

            _ = try await desk.endHold(of: held.id, by: "operator")
            _ = try await desk.cancel(held.id, by: "1")
            let free = try await desk.request("1").erasure
            #expect(free.holdReason == nil, "what an operator has ended does not come back")
            try await place.ripen()
            try await place.working { _ = try await desk.wait(for: free.id, atMost: 60) }
            #expect(try await desk.erasure(free.id)?.state == .done)
            #expect(try await place.house.count("people") == 1)
            _ = try await place.engine.verifyAudit()
        }
    }

    @Test(
        "BX-9 the command does not erase who took a held erasure back, alone or among others, until the hold ends",
        arguments: SQLDialect.allCases, [["1"], ["1", "2", "3"]])
    func command(_ dialect: SQLDialect, _ subjects: [String]) async throws {
        try await WorkHouse.with(dialect) { place in
            let desk = place.desk(Self.graceful)
            let asked = try await desk.request("1").erasure
            _ = try await desk.hold(asked.id, reason: Self.reason, by: "operator")
            _ = try await desk.cancel(asked.id, by: "1")
            let outcomes = try await place.engine.erase(subjects)
            let running = outcomes.filter { if case .running = $0 { true } else { false } }
            let done = outcomes.filter { if case .done = $0 { true } else { false } }
            #expect(running.count == 1 && done.count == subjects.count - 1, "\(outcomes)")
            #expect(try await place.house.count("people") == 4 - subjects.count)
            let held = try #require(try await desk.latest(of: "1"))
            #expect(held.id != asked.id && held.state.isLive && held.holdReason == Self.reason)
            #expect(try await place.engine.resume().isEmpty)
            #expect(try await place.engine.erase(["1"]).count == 1)
            #expect(try await place.house.count("people") == 4 - subjects.count)
            #expect(try await acts(place, "carried-over-from") == ["1"])

            // Ended by the name under which the operator put it.
            _ = try await desk.endHold(of: asked.id, by: "operator")
            #expect(try await desk.erasure(held.id)?.holdReason == nil)
            _ = try await place.engine.resume()
            #expect(try await desk.erasure(held.id)?.state == .done)
            #expect(try await place.house.count("people") == 3 - subjects.count)
            _ = try await place.engine.verifyAudit()
        }
    }
}
