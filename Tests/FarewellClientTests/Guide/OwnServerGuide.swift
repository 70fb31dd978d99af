// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

@testable import FarewellClient

/// The code of docs/adopting/own-server.md that needs no screens, compiled.
struct OwnServerGuide {
    func signIn(_ device: FarewellDevice, _ provider: FarewellProvider, by apple: any AppleIdentityProving) async throws {
        let nonce = try AppleNonce()
        let identity = try await apple.identity(hashedNonce: nonce.hashed)
        try await device.signIn { () async throws(ProviderFailure) in
            try await provider.signIn(
                identityToken: identity.identityToken, from: "apple", nonce: nonce.text,
                authorizationCode: identity.authorizationCode, appleUserID: identity.userID)
        }
    }

    func followApple(_ device: FarewellDevice) async {
        await device.followAppleCredential(LiveAppleCredential())
    }

    func sharedDevice(_ server: URL, _ container: String) throws -> FarewellDevice {
        let folder = try StateFolder(container + "/account")
        let keychain = KeychainTokenStore(service: "org.example.app", group: "ABCDE12345.org.example.shared")
        return try FarewellDevice(
            FarewellProvider(server), in: folder, store: SealedTokenStore(keychain, keyIn: folder))
    }
}

/// A provider of the reader's own, over another one.
struct OwnProvider: SessionProvider {
    let backend: FirebaseProvider
    let endsOneSession: Bool
    var name: String { backend.name }
    var policy: SignOutPolicy { backend.policy }

    func revocation(of session: DeviceSession, scope: SignOutScope) -> SessionRevocation? {
        session.signOutTicket.map { SessionRevocation(ticket: $0, scope: scope) }
    }

    func revocation(ofUnused session: DeviceSession) -> SessionRevocation? {
        endsOneSession ? revocation(of: session, scope: .local) : nil
    }

    func renew(
        _ session: DeviceSession, nonce: String
    ) async throws(ProviderFailure) -> ProviderAnswer<DeviceSession> { try await backend.renew(session, nonce: nonce) }

    func deliver(_ revocation: SessionRevocation) async throws(ProviderFailure) { try await backend.deliver(revocation) }

    func signOut(_ session: DeviceSession, scope: SignOutScope) async throws(ProviderFailure) {
        try await backend.signOut(session, scope: scope)
    }

    func requestDeletion(
        of session: DeviceSession, _ intent: DeletionIntent
    ) async throws(ProviderFailure) -> DeletionAnswer { try await backend.requestDeletion(of: session, intent) }

    func deletionStatus(_ intent: DeletionIntent) async throws(ProviderFailure) -> DeletionAnswer {
        try await backend.deletionStatus(intent)
    }
}

#if !canImport(Security)
extension KeychainTokenStore {
    /// The initialiser of Apple's systems.
    init(service: String, group: String?) { self.init(service: service, group: group, security: FakeSecurity()) }
}
#endif

#if !canImport(AuthenticationServices)
/// The shape of Apple's.
struct LiveAppleCredential: AppleCredentialChecking {
    func state(of appleUserID: String) async -> AppleCredentialState { .unknown }
}
#endif
