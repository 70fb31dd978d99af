// SPDX-License-Identifier: Apache-2.0

/// How many tokens a verifier has accepted and refused since it began.
public struct TokenCount: Sendable, Hashable {
    public internal(set) var accepted = 0
    /// Reasons that did not occur are absent.
    public internal(set) var refused: [TokenRefusal: Int] = [:]

    public init() {}

    /// How many were refused for that reason.
    public subscript(refusal: TokenRefusal) -> Int { refused[refusal, default: 0] }
}
