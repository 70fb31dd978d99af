// SPDX-License-Identifier: Apache-2.0

/// What Apple says of a person's Sign in with Apple.
public enum AppleCredentialState: String, Sendable, Hashable, CaseIterable {
    case authorized
    case revoked
    case notFound
    case transferred
    /// It could not be told: no network, no Apple account. Never a reason to sign out.
    case unknown
}
