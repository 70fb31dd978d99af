// SPDX-License-Identifier: Apache-2.0
#if canImport(AuthenticationServices)
import AuthenticationServices

/// Asks this system for the state of Sign in with Apple.
public struct LiveAppleCredential: AppleCredentialChecking {
    public init() {}

    public func state(of appleUserID: String) async -> AppleCredentialState {
        await withCheckedContinuation { continuation in
            ASAuthorizationAppleIDProvider().getCredentialState(forUserID: appleUserID) { state, error in
                guard error == nil else { return continuation.resume(returning: .unknown) }
                let answer: AppleCredentialState =
                    switch state {
                    case .authorized: .authorized
                    case .revoked: .revoked
                    case .notFound: .notFound
                    case .transferred: .transferred
                    @unknown default: .unknown
                    }
                continuation.resume(returning: answer)
            }
        }
    }

    /// The system's notifications that a credential was revoked; hand each to
    /// `FarewellDevice.appleCredentialWasRevoked`.
    public var revocations: AsyncStream<Void> {
        AsyncStream { continuation in
            let name = ASAuthorizationAppleIDProvider.credentialRevokedNotification
            let work = Task {
                for await _ in NotificationCenter.default.notifications(named: name).map({ _ in () }) {
                    continuation.yield()
                }
            }
            continuation.onTermination = { _ in work.cancel() }
        }
    }
}
#endif
