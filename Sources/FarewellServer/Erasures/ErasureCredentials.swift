// SPDX-License-Identifier: Apache-2.0

/// The proofs of identity that a caller sends.
struct ErasureCredentials: Sendable {
    /// The access token, or the reason why there is none.
    let token: Result<String, any Error>
    /// A proof for one act (`StepUp`), as the caller sent it; nil if they sent none.
    var stepUp: String?
}
