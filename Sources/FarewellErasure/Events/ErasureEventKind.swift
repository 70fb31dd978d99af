// SPDX-License-Identifier: Apache-2.0

/// The events of an erasure for receivers.
public enum ErasureEventKind: String, Sendable, Hashable, CaseIterable {
    /// The erasure was requested.
    case requested = "erasure.requested"
    /// The erasure can no longer be cancelled: sessions have ended, and writes of the subject are refused.
    case begun = "erasure.begun"
    /// Verified, with a receipt.
    case done = "erasure.done"
    /// Cancelled.
    case cancelled = "erasure.cancelled"
    /// Needs an operator.
    case parked = "erasure.needs-attention"
    /// The due date is near.
    case due = "erasure.due"
    /// Data reappeared after the end; another erasure has begun.
    case reappeared = "erasure.reappeared"
}
