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

/// Asks Apple. On Apple's systems `LiveAppleCredential`; elsewhere nobody signs in that way.
public protocol AppleCredentialChecking: Sendable {
    /// How the credential of a person stands, by Apple's name for them.
    func state(of appleUserID: String) async -> AppleCredentialState
}
