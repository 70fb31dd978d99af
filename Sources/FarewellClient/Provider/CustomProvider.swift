// SPDX-License-Identifier: Apache-2.0
public import Farewell

/// A backend made of closures, for apps that keep their vendor's SDK: the SDK talks, this device keeps, ends and wipes.
public struct CustomProvider: SessionProvider {
    public let name: String
    public let policy: SignOutPolicy
    public let scopes: Set<SignOutScope>
    /// Gets new tokens from the SDK.
    public var renewing:
        @Sendable (_ session: DeviceSession, _ nonce: String) async throws(ProviderFailure) -> ProviderAnswer<
            DeviceSession
        >
    /// Signs the SDK out, at the server too if it can.
    public var signingOut: @Sendable (DeviceSession, SignOutScope) async throws(ProviderFailure) -> Void
    /// Asks for the deletion of the account, under the intent's key.
    public var requestingDeletion:
        @Sendable (DeviceSession, DeletionIntent) async throws(ProviderFailure) -> DeletionAnswer
    /// Returns the state of a deletion. A backend that does not report it throws `unavailable`: nothing is concluded
    /// from it.
    public var tellingDeletion: @Sendable (DeletionIntent) async throws(ProviderFailure) -> DeletionAnswer

    /// - Parameter scopes: The scopes in which the SDK can sign out.
    public init(
        _ name: String, policy: SignOutPolicy = .clearAnyway, scopes: Set<SignOutScope> = Set(SignOutScope.allCases),
        renewing:
            @escaping @Sendable (DeviceSession, String) async throws(ProviderFailure) -> ProviderAnswer<DeviceSession>,
        signingOut: @escaping @Sendable (DeviceSession, SignOutScope) async throws(ProviderFailure) -> Void,
        requestingDeletion:
            @escaping @Sendable (DeviceSession, DeletionIntent) async throws(ProviderFailure) -> DeletionAnswer,
        tellingDeletion:
            @escaping @Sendable (DeletionIntent) async throws(ProviderFailure) -> DeletionAnswer = Self.cannotTell
    ) {
        self.name = name
        self.policy = policy
        self.scopes = scopes
        self.renewing = renewing
        self.signingOut = signingOut
        self.requestingDeletion = requestingDeletion
        self.tellingDeletion = tellingDeletion
    }

    /// For backends that do not report the state of a deletion.
    public static let cannotTell: @Sendable (DeletionIntent) async throws(ProviderFailure) -> DeletionAnswer = {
        _ throws(ProviderFailure) in
        throw .unavailable(
            FarewellError(cannotTellCode, .tryAgain, "This backend cannot report the state of a deletion."))
    }

    /// The code of that error.
    static let cannotTellCode: FarewellError.Code = "device.cannot-tell"

    public func renew(
        _ session: DeviceSession, nonce: String
    ) async throws(ProviderFailure) -> ProviderAnswer<DeviceSession> { try await renewing(session, nonce) }

    public func revocation(of session: DeviceSession, scope: SignOutScope) -> SessionRevocation? { nil }
    public func deliver(_ revocation: SessionRevocation) async throws(ProviderFailure) {}

    public func signOut(_ session: DeviceSession, scope: SignOutScope) async throws(ProviderFailure) {
        try await signingOut(session, scope)
    }

    public func requestDeletion(
        of session: DeviceSession, _ intent: DeletionIntent
    ) async throws(ProviderFailure) -> DeletionAnswer { try await requestingDeletion(session, intent) }

    public func deletionStatus(_ intent: DeletionIntent) async throws(ProviderFailure) -> DeletionAnswer {
        try await tellingDeletion(intent)
    }
}
