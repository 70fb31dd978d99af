// SPDX-License-Identifier: Apache-2.0

public import Farewell
public import FarewellClient
public import Foundation

/// The service behind the screens of an account. `DeviceAccount` is the live one.
public protocol AccountService: Sendable {
    /// The scopes in which the backend can sign out; controls for others are hidden.
    var scopes: Set<SignOutScope> { get }
    /// Whether the backend lists sessions; without it there is no list.
    var listsSessions: Bool { get }

    /// Signs out.
    ///
    /// - Returns: The data that was left on the device, and whether the server knows of the sign-out.
    /// - Throws: an error if the policy keeps the user signed in while the server cannot be reached, and for `others`.
    @discardableResult
    func signOut(_ scope: SignOutScope) async throws -> SignOutResult

    /// Deletes the account, and reports the server's progress.
    ///
    /// - Parameter proof: The result of `confirm` for this deletion.
    /// - Returns: The server's state when this device began its own part, and the data left on the device.
    /// - Throws: an error if the request was not accepted: nothing has changed.
    func deleteAccount(
        proof: Token?, _ progress: @escaping @Sendable (DeletionProgress) -> Void
    ) async throws -> DeletionResult

    /// The user's live sessions, newest first.
    ///
    /// - Throws: when they cannot be had now.
    func sessions() async throws -> [ListedSession]

    /// Ends one of the user's sessions.
    ///
    /// - Throws: when that cannot be done now.
    func endSession(_ id: String) async throws

    /// The proofs of identity that the account can give.
    func proofs() async -> [IdentityProof.Kind]

    /// Sends a code to the account's address.
    ///
    /// - Throws: when it could not be sent.
    func sendCode() async throws

    /// Lets the backend check the user's identity.
    ///
    /// - Returns: The token for `deleteAccount`; `nil` if the recent sign-in is the proof.
    /// - Throws: an error if it is another user, if the proof is wrong or was cancelled, or if it cannot be checked
    ///   now.
    func confirm(_ proof: AccountProof) async throws -> Token?

    /// Whether users can download their own data; without it there is no button.
    var exportsData: Bool { get }

    /// Downloads the user's own data as an archive on this device, and reports the progress.
    ///
    /// - Parameter proof: The result of `confirmExport` for this request.
    /// - Throws: an error if there is no archive now, such as `device.recent-sign-in-needed`.
    func exportData(
        proof: Token?, _ progress: @escaping @Sendable (DataExport) -> Void
    ) async throws -> URL

    /// Lets the backend check the user's identity before an export.
    ///
    /// - Returns: The token for `exportData`; `nil` if the recent sign-in is the proof.
    func confirmExport(_ proof: AccountProof) async throws -> Token?

    /// The archive that is on this device, such as from an earlier launch of the app; `nil` if there is none.
    var exportedData: URL? { get }

    /// Removes the archive from this device. Sign-out and deletion remove it as well.
    func removeExportedData() async
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
    /// No, for services that do not say.
    public var exportsData: Bool { false }
    /// Refused, for services without exports.
    public func exportData(
        proof: Token?, _ progress: @escaping @Sendable (DataExport) -> Void
    ) async throws -> URL {
        throw FarewellError.exportsUnsupported
    }
    /// Refused, for services without exports.
    public func confirmExport(_ proof: AccountProof) async throws -> Token? {
        throw FarewellError.exportsUnsupported
    }
    /// None, for services that do not say.
    public var exportedData: URL? { nil }
    /// Nothing, for services without exports.
    public func removeExportedData() async {}
}
