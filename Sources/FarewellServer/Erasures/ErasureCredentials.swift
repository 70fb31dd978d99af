// SPDX-License-Identifier: Apache-2.0

/// What a caller shows of who they are.
struct ErasureCredentials: Sendable {
    /// The access token, or the reason why there is none.
    let token: Result<String, any Error>
    /// A proof for one act (`StepUp`), as the caller sent it; nil where they sent none.
    var stepUp: String?
}
