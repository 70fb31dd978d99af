// SPDX-License-Identifier: Apache-2.0

/// The state of an erasure. The database has the same names, enforced by a CHECK.
public enum ErasureState: String, Sendable, Hashable, Codable, CaseIterable {
    /// Accepted, nothing done. Next: `grace`, `fenced`, `cancelled`.
    case requested
    /// Waiting, so that the user can cancel the request. Next: `fenced`, `cancelled`.
    case grace
    /// The subject is closed to new writes; no data has changed yet. Next: `running`, `needsAttention`.
    case fenced
    /// Steps are being applied; only forwards from here. Next: `verifying`, `needsAttention`.
    case running
    /// Everything planned is erased and is being read back. Next: `done`, `running`, `needsAttention`.
    case verifying
    /// Verified, receipt issued. Final.
    case done
    /// Cancelled before any data changed. Final.
    case cancelled
    /// Parked with a cause in words, until an operator releases it. Next: `running`.
    case needsAttention = "needs attention"

    /// Whether the erasure is unfinished; at most one such per subject.
    public var isLive: Bool { self != .done && self != .cancelled }
}

extension ErasureState {
    /// The state after `event`; `nil` when the event is impossible here.
    ///
    /// Pure: every pair of state and event is decided only here (see `docs/states.md`).
    public func after(_ event: ErasureEvent) -> ErasureState? {
        switch (self, event) {
        case (.requested, .delay): .grace
        case (.requested, .cancel), (.grace, .cancel): .cancelled
        case (.requested, .fence), (.grace, .fence): .fenced
        case (.fenced, .start): .running
        case (.running, .finishSteps): .verifying
        case (.verifying, .findLeftovers): .running
        case (.verifying, .issueReceipt): .done
        case (.fenced, .park), (.running, .park), (.verifying, .park): .needsAttention
        case (.needsAttention, .release): .running
        default: nil
        }
    }
}
