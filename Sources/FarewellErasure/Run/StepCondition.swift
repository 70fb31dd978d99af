// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The present condition of a step, as an operator sees it. The stored state (`StepState`) says only whether the
/// step's effect is recorded.
package enum StepCondition: String, Sendable, Hashable, CaseIterable {
    /// A worker does it, or its process died with it a moment ago.
    case running
    /// It was begun, and no worker does it: the erasure is held, rests until a day, or waits for its next turn.
    case waiting
    /// Its erasure is parked: the step continues after an operator's release.
    case parked
    case done
}

extension ErasureStatus {
    /// The present condition of a step of this erasure.
    package func condition(of step: StepRecord) -> StepCondition {
        if step.state == .done && step.progress?.look != .asking { return .done }
        if erasure.state == .needsAttention { return .parked }
        return holdReason != nil || step.progress?.rest != nil || erasure.owner == nil ? .waiting : .running
    }

    /// Where a parked erasure stands, as the beginning of a sentence; `nil` if it is not parked.
    package var parkedAt: String? {
        guard erasure.state == .needsAttention else { return nil }
        let open = steps.filter { condition(of: $0) == .parked }.map(\.name)
        if !open.isEmpty { return "At the step " + open.joined(separator: ", ") }
        guard let last = steps.max(by: { $0.startedAt < $1.startedAt }) else { return "Before the first step" }
        return "After the step " + last.name
    }

    /// The cause of a parked erasure with the step at which it stands; `nil` if it is not parked.
    package var parkedCause: String? {
        parkedAt.map { place in erasure.cause.map { "\(place): \($0)" } ?? "\(place)." }
    }
}
