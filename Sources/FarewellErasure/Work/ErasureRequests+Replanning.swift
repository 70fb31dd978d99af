// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import Logging

extension ErasureRequests {
    /// Releases the erasures that were parked because plan and schema did not fit; workers continue them under the plan
    /// of now. The log names those that stay parked.
    ///
    /// - Returns: The number of released erasures.
    /// - Throws: an error of the database.
    package func releaseParkedByPlan() async throws -> Int {
        guard engine.unfit == nil else { return 0 }
        let prepared = engine.prepared
        let parked = control.requests.parked(byAnotherPlanThan: prepared.planFingerprint)
        var released = 0
        for record in try await run(parked) where record.code != nil || Self.isParked(record.erasure, prepared) {
            do {
                try await release(record.erasure.id, by: "engine")
                released += 1
            } catch let error as FarewellError where error.family != .tryAgain {
                engine.environment.log.error(
                    "An erasure stays parked",
                    metadata: ["erasure": "\(record.erasure.id)", "why": "\(error.message)"])
            }
        }
        return released
    }

    /// Whether the plan parked an erasure of an earlier release, which stored no code: its words are compared.
    private static func isParked(_ record: ErasureRecord, _ prepared: PreparedPlan) -> Bool {
        guard let cause = record.cause else { return false }
        let words = [GuardFailure.schemaChanged.message, GuardFailure.planChanged.message] + Self.earlierWords
        if words.contains(where: { cause.contains($0) }) { return true }
        return cause.contains(ChangeDifference.beginning) && record.planFingerprint != prepared.planFingerprint
    }

    /// The words of earlier releases for a changed schema and for another plan.
    private static let earlierWords = [
        "The schema has changed since the run began; nothing was changed by this step.",
        "The plan is another one than the erasure began with.",
    ]
}
