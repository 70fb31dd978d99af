// SPDX-License-Identifier: Apache-2.0

/// The state of a user's Sign in with Apple, as Apple reports it.
public enum AppleCredentialState: String, Sendable, Hashable, CaseIterable {
    case authorized
    case revoked
    case notFound
    case transferred
    /// The state could not be read: no network, no Apple account. Never a reason to sign out.
    case unknown
}
