// SPDX-License-Identifier: Apache-2.0

/// Asks Apple. On Apple's systems `LiveAppleCredential`; elsewhere nobody signs in that way.
public protocol AppleCredentialChecking: Sendable {
    /// How the credential of a person stands, by Apple's name for them.
    func state(of appleUserID: String) async -> AppleCredentialState
}
