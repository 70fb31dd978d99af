// SPDX-License-Identifier: Apache-2.0

public import Farewell
public import Foundation

/// How an erasure that was asked for stands when the call returns.
public enum ErasureOutcome: Sendable {
    /// Done and verified. `signed` is the receipt as a compact JWS.
    case done(Receipt, signed: String)
    /// Parked: it will not go on until a person has mended the cause and released it.
    case parked(UUID, cause: String)
    /// Accepted and not ended; taken up again by `resume`. The world around was the trouble.
    case unfinished(UUID, subject: String, FarewellError)
    /// Accepted and interrupted by the caller; taken up again by `resume`.
    case interrupted(UUID, subject: String)
    /// This subject has a live erasure already, which goes on elsewhere.
    case running(ErasureRecord, subject: String)
    /// Nothing of this subject is there.
    case unknown(subject: String)
}
