// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import Testing

@Suite("The present condition of a step")
struct StepConditionTests {
    private static func record(_ state: ErasureState, owner: String? = "host:1", cause: String? = nil) throws -> ErasureRecord {
        try ErasureRecord(row: [
            .text(UUID().uuidString), .text(state.rawValue), cause.map { .text($0) } ?? .null, .text("2026-01-01T00:00:00Z"), .null,
            .integer(1), owner.map { .text($0) } ?? .null, .null, .integer(1), .text("h"), .text("p"), .text("s"), .null, .null, .null,
        ])
    }

    private static func step(_ name: String, _ state: StepState, second: Int = 0, _ progress: StepProgress? = nil) -> StepRecord {
        let begun = Date(timeIntervalSince1970: TimeInterval(second))
        return StepRecord(name: name, state: state, attempts: 1, startedAt: begun, finishedAt: nil, counts: [:], progress: progress)
    }

    @Test("BX-9 a begun step of a parked erasure is parked, of a held or unowned one it waits, and of a worker's it is running")
    func conditions() throws {
        let begun = Self.step("rows", .running)
        func word(_ erasure: ErasureRecord, _ step: StepRecord, hold: String? = nil) -> StepCondition {
            var status = ErasureStatus(erasure: erasure, steps: [step])
            status.holdReason = hold
            return status.condition(of: step)
        }
        #expect(word(try Self.record(.needsAttention, owner: nil), begun) == .parked)
        #expect(word(try Self.record(.running), begun) == .running)
        #expect(word(try Self.record(.running, owner: nil), begun) == .waiting)
        #expect(word(try Self.record(.running), begun, hold: "A court asks.") == .waiting)
        var resting = StepProgress()
        resting.rest = "until tomorrow"
        #expect(word(try Self.record(.verifying), Self.step("system: a", .running, resting)) == .waiting)
        for state in [ErasureState.running, .needsAttention, .done] {
            #expect(word(try Self.record(state), Self.step("rows", .done)) == .done)
        }
        // A second look at a system is under way, or has ended and keeps only its round.
        var looking = StepProgress(effect: 1)
        looking.look = .asking
        #expect(word(try Self.record(.needsAttention), Self.step("system: a", .done, looking)) == .parked)
        looking.look = .ended
        #expect(word(try Self.record(.needsAttention), Self.step("system: a", .done, looking)) == .done)
    }

    @Test("BX-9 a parked erasure waits for an operator, and no longer for the day of a system that rested before")
    func parkedAfterRest() throws {
        var rested = StepProgress()
        rested.rest = "The system a is paused."
        let steps = [Self.step("system: a", .running, rested)]
        let parked = ErasureStatus(erasure: try Self.record(.needsAttention, owner: nil, cause: "It says no."), steps: steps)
        #expect(parked.rest == nil && parked.parkedCause == "At the step system: a: It says no.")
        #expect(ErasureStatus(erasure: try Self.record(.running, owner: nil), steps: steps).rest == rested.rest)
    }

    @Test("BX-9 a parked erasure names the step at which it stands, before its cause")
    func places() throws {
        func cause(_ steps: [StepRecord], _ cause: String? = "Rows are locked.") throws -> String? {
            ErasureStatus(erasure: try Self.record(.needsAttention, owner: nil, cause: cause), steps: steps).parkedCause
        }
        let rows = Self.step("rows", .done, second: 1)
        #expect(try cause([rows, Self.step("files: photos", .running)]) == "At the step files: photos: Rows are locked.")
        #expect(try cause([]) == "Before the first step: Rows are locked.")
        #expect(try cause([rows, Self.step("files: photos", .done)]) == "After the step rows: Rows are locked.")
        #expect(try cause([rows], nil) == "After the step rows.")
        #expect(ErasureStatus(erasure: try Self.record(.running), steps: [rows]).parkedCause == nil)
    }
}
