// SPDX-License-Identifier: Apache-2.0

/// The events of an erasure for receivers.
public enum ErasureEventKind: String, Sendable, Hashable, CaseIterable {
    /// The erasure was requested.
    case requested = "erasure.requested"
    /// There is no way back: sessions are ended, the subject is closed.
    case begun = "erasure.begun"
    /// Verified, with a receipt.
    case done = "erasure.done"
    /// Taken back.
    case cancelled = "erasure.cancelled"
    /// Needs an operator.
    case parked = "erasure.needs-attention"
    /// Its day is near.
    case due = "erasure.due"
    /// Something came back after the end; another erasure was begun.
    case reappeared = "erasure.reappeared"
}
