// SPDX-License-Identifier: Apache-2.0
public import Farewell
public import Foundation

/// A backend that signs people in and out. It only talks: what is kept, and what becomes of failures, is decided by the
/// device.
public protocol SessionProvider: Sendable {
    /// Told apart by it in the outbox, such as `farewell`.
    var name: String { get }
    /// What becomes of a sign-out that the backend does not confirm.
    var policy: SignOutPolicy { get }

    /// Gets a new access token.
    ///
    /// - Parameter nonce: The name of this renewal: repeated after a lost answer it is the same. For backends that
    ///   understand it.
    /// - Returns: the same session with new tokens.
    func renew(_ session: DeviceSession, nonce: String) async throws(ProviderFailure) -> ProviderAnswer<DeviceSession>

    /// What can end the session later, without a usable token; `nil` where the backend knows nothing of the kind.
    func revocation(of session: DeviceSession, scope: SignOutScope) -> SessionRevocation?

    /// Ends a session by such a credential. A session that has ended already is fine.
    func deliver(_ revocation: SessionRevocation) async throws(ProviderFailure)

    /// Ends sessions by the session's own tokens, while they are good.
    func signOut(_ session: DeviceSession, scope: SignOutScope) async throws(ProviderFailure)

    /// Asks for the deletion of the session's account.
    ///
    /// - Parameter intent: Its key and ticket are stored on this device before this is called. Asked again with the
    ///   same ones, nothing new begins.
    func requestDeletion(
        of session: DeviceSession, _ intent: DeletionIntent
    ) async throws(ProviderFailure) -> DeletionAnswer

    /// Asks how a deletion stands, by its ticket alone: no token is needed, and none may work any more.
    func deletionStatus(_ intent: DeletionIntent) async throws(ProviderFailure) -> DeletionAnswer

    /// The proof of a deletion that is done, by its ticket alone; `nil` where the backend offers none.
    func receipt(_ intent: DeletionIntent) async throws(ProviderFailure) -> DeletionReceipt?
}

extension SessionProvider {
    public func receipt(_ intent: DeletionIntent) async throws(ProviderFailure) -> DeletionReceipt? { nil }
}

/// What becomes of a sign-out when the server cannot be reached (SO-7).
public enum SignOutPolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// This device is signed out all the same; the server hears of it as soon as it can be reached.
    case clearAnyway
    /// The error is shown, and everything stays as it was.
    case keepSignedIn
}

/// What a backend answered, and when, by its own clock.
public struct ProviderAnswer<Value: Sendable>: Sendable {
    public let value: Value
    public let serverTime: Date?

    public init(_ value: Value, serverTime: Date? = nil) {
        self.value = value
        self.serverTime = serverTime
    }
}

/// A session that is still to be ended at the server. Holds a credential that can do this one thing.
public struct SessionRevocation: Sendable, Equatable {
    public let ticket: Token
    public let scope: SignOutScope

    public init(ticket: Token, scope: SignOutScope) {
        self.ticket = ticket
        self.scope = scope
    }
}
