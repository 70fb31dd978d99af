// SPDX-License-Identifier: Apache-2.0
public import Farewell
import Foundation

/// A backend that signs users in and out. It only communicates: the device decides what is stored, and how failures are
/// handled.
public protocol SessionProvider: Sendable {
    /// The provider's name in the outbox, such as `farewell`.
    var name: String { get }
    /// The handling of a sign-out that the backend does not confirm.
    var policy: SignOutPolicy { get }
    /// The scopes in which it can end sessions; all of them if it does not say.
    var scopes: Set<SignOutScope> { get }

    /// Gets a new access token.
    ///
    /// - Parameter nonce: The name of this renewal: repeated after a lost answer it is the same. For backends that
    ///   understand it.
    /// - Returns: the same session with new tokens.
    func renew(_ session: DeviceSession, nonce: String) async throws(ProviderFailure) -> ProviderAnswer<DeviceSession>

    /// The means to end the session later, without a valid token; `nil` if the backend has none.
    func revocation(of session: DeviceSession, scope: SignOutScope) -> SessionRevocation?

    /// The means to end a session that this device does not use any more, while the same user may be signed in on it by
    /// another one; `nil` if the backend cannot end one session alone. Without an implementation that of a local
    /// sign-out.
    func revocation(ofUnused session: DeviceSession) -> SessionRevocation?

    /// Ends a session by such a credential. A session that has ended already is fine.
    func deliver(_ revocation: SessionRevocation) async throws(ProviderFailure)

    /// Ends sessions by the session's own tokens, while they are valid.
    func signOut(_ session: DeviceSession, scope: SignOutScope) async throws(ProviderFailure)

    /// Asks for the deletion of the session's account.
    ///
    /// - Parameter intent: Its key and ticket are stored on this device before this is called. A repeated call
    ///   with the same ones begins nothing new.
    func requestDeletion(
        of session: DeviceSession, _ intent: DeletionIntent
    ) async throws(ProviderFailure) -> DeletionAnswer

    /// Reads the state of a deletion, by its ticket alone: no token is needed, and none may work any more.
    func deletionStatus(_ intent: DeletionIntent) async throws(ProviderFailure) -> DeletionAnswer

    /// The proof of a deletion that is done, by its ticket alone; `nil` if the backend offers none.
    func receipt(_ intent: DeletionIntent) async throws(ProviderFailure) -> DeletionReceipt?
}

extension SessionProvider {
    public var scopes: Set<SignOutScope> { Set(SignOutScope.allCases) }
    public func revocation(ofUnused session: DeviceSession) -> SessionRevocation? {
        revocation(of: session, scope: .local)
    }
    public func receipt(_ intent: DeletionIntent) async throws(ProviderFailure) -> DeletionReceipt? { nil }
}
