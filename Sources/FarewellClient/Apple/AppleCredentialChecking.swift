// SPDX-License-Identifier: Apache-2.0

/// Asks Apple about a credential. `LiveAppleCredential` on Apple's systems; elsewhere users cannot sign in this way.
public protocol AppleCredentialChecking: Sendable {
    /// The state of a user's credential, by Apple's name for them.
    func state(of appleUserID: String) async -> AppleCredentialState

    /// The system's notifications that a credential was revoked; without an implementation there are none.
    var revocations: AsyncStream<Void> { get }
}

extension AppleCredentialChecking {
    public var revocations: AsyncStream<Void> { AsyncStream { $0.finish() } }
}
