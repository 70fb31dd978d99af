// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import Foundation

/// An erasure as its requester sees it. Holds nothing personal, and no cause in the operator's words.
struct ErasureView: Encodable, Equatable {
    let id: String
    let state: String
    let requested_at: String
    let finished_at: String?
    let grace_until: String?
    let due_at: String?
    let is_held: Bool
    let steps: [Step]
    /// Where the receipt is, once there is one.
    let receipt: String?
    /// Only in the answer to the caller who requested the erasure.
    var ticket: String?

    struct Step: Encodable, Equatable {
        let name: String
        let state: String
        let attempts: Int
        let started_at: String
        let finished_at: String?
        let counts: [String: Int]
    }

    /// - Parameter keepsAccount: Whether the account is still there: until it is gone the erasure is not said to be
    ///   over.
    init(_ erasure: RequestedErasure, ticket: ErasureTicket? = nil, keepsAccount: Bool = false) {
        let record = erasure.status.erasure
        id = record.id.text
        state = (keepsAccount ? ErasureState.verifying : record.state).rawValue
        requested_at = UTCTime.text(record.requestedAt)
        finished_at = keepsAccount ? nil : record.finishedAt.map { UTCTime.text($0) }
        grace_until = record.state == .grace ? erasure.graceUntil.map { UTCTime.text($0) } : nil
        due_at = record.state.isLive ? erasure.dueAt.map { UTCTime.text($0) } : nil
        is_held = record.state.isLive && erasure.holdReason != nil
        steps = erasure.status.steps.map(Step.init)
        receipt = record.receipt == nil || keepsAccount ? nil : "/v1/erasures/\(id)/receipt"
        self.ticket = ticket?.text
    }
}

extension ErasureView.Step {
    init(_ step: StepRecord) {
        name = step.name
        state = step.state.rawValue
        attempts = step.attempts
        started_at = UTCTime.text(step.startedAt)
        finished_at = step.finishedAt.map { UTCTime.text($0) }
        counts = step.counts
    }
}
