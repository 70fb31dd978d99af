// SPDX-License-Identifier: Apache-2.0

public import Farewell
public import Foundation

/// The state of a requested erasure when the call returns.
public enum ErasureOutcome: Sendable {
    /// Done and verified. `signed` is the receipt as a compact JWS.
    case done(Receipt, signed: String)
    /// Parked: it continues when an operator has removed the cause and released it.
    case parked(UUID, cause: String)
    /// Accepted and unfinished because of an external fault; `resume` continues it.
    case unfinished(UUID, subject: String, FarewellError)
    /// Accepted and interrupted by the caller; `resume` continues it.
    case interrupted(UUID, subject: String)
    /// This subject has a live erasure already, which another process works on.
    case running(ErasureRecord, subject: String)
    /// Nothing of this subject is there.
    case unknown(subject: String)

    /// The erasure if this call has tried it and it is not finished.
    package var open: UUID? {
        switch self {
        case .parked(let id, _), .unfinished(let id, _, _), .interrupted(let id, _): id
        case .done, .running, .unknown: nil
        }
    }
}
