// SPDX-License-Identifier: Apache-2.0

public import Farewell
public import FarewellClient

/// What the screens of an account ask for. A `DeviceAccount` does it for real.
public protocol AccountService: Sendable {
    /// The scopes in which the backend can sign out; controls for others are hidden.
    var scopes: Set<SignOutScope> { get }
    /// Whether the backend lists sessions; without it there is no list.
    var listsSessions: Bool { get }

    /// Signs out.
    ///
    /// - Throws: where the policy keeps the person signed in while the server cannot be told, and for `others`.
    func signOut(_ scope: SignOutScope) async throws

    /// Deletes the account, and reports how far the server has come.
    ///
    /// - Parameter proof: What `confirm` returned for this deletion.
    /// - Returns: How it stood when this device turned to its own part.
    /// - Throws: when it was not accepted: everything is as it was.
    func deleteAccount(
        proof: Token?, _ progress: @escaping @Sendable (DeletionProgress) -> Void
    ) async throws -> DeletionProgress

    /// The person's living sessions, newest first.
    ///
    /// - Throws: when they cannot be had now.
    func sessions() async throws -> [ListedSession]

    /// Ends one of the person's sessions.
    ///
    /// - Throws: when that cannot be done now.
    func endSession(_ id: String) async throws

    /// The proofs of identity that the account can give.
    func proofs() async -> [IdentityProof.Kind]

    /// Sends a code to the account's address.
    ///
    /// - Throws: when it could not be sent.
    func sendCode() async throws

    /// Has the backend check who the user is.
    ///
    /// - Returns: what to hand to `deleteAccount`; `nil` where the recent sign-in is the proof.
    /// - Throws: when it is another user, the proof is wrong or was cancelled, or it cannot be told now.
    func confirm(_ proof: AccountProof) async throws -> Token?
}

extension AccountService {
    public var scopes: Set<SignOutScope> { Set(SignOutScope.allCases) }
    public var listsSessions: Bool { true }
    /// A password, for services that do not say.
    public func proofs() async -> [IdentityProof.Kind] { [.password] }
    /// Refused, for services without codes.
    public func sendCode() async throws {
        throw FarewellError("device.proof-unsupported", .yoursToFix, "This service sends no codes.")
    }
}
