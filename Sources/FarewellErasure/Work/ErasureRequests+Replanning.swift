// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import Logging

extension ErasureRequests {
    /// Releases the erasures that were parked because plan and schema did not fit; workers continue them under the plan
    /// of now. The log names those that stay parked.
    ///
    /// - Returns: How many go on.
    /// - Throws: an error of the database.
    package func releaseParkedByPlan() async throws -> Int {
        let prepared = engine.prepared
        var released = 0
        for record in try await run(control.requests.live()) where Self.isParked(record, byAnotherPlanThan: prepared) {
            do {
                try await release(record.id, by: "engine")
                released += 1
            } catch let error as FarewellError where error.family != .tryAgain {
                engine.environment.log.error(
                    "An erasure stays parked",
                    metadata: ["erasure": "\(record.id)", "why": "\(error.message)"])
            }
        }
        return released
    }

    /// Whether the plan of now may mend what an erasure was parked for. What another plan predicted wrongly is tried
    /// again once the plan is another one.
    private static func isParked(_ record: ErasureRecord, byAnotherPlanThan prepared: PreparedPlan) -> Bool {
        guard record.state == .needsAttention, let cause = record.cause else { return false }
        if [GuardFailure.schemaChanged, GuardFailure.planChanged].contains(where: { cause.contains($0.message) }) {
            return true
        }
        return cause.contains(ChangeDifference.beginning) && record.planFingerprint != prepared.planFingerprint
    }
}
