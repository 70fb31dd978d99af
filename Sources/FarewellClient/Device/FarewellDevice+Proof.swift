// SPDX-License-Identifier: Apache-2.0
import Farewell

extension FarewellDevice {
    /// The proofs that the signed-in account can give; none if the provider can check none.
    public var identityProofs: [IdentityProof.Kind] {
        guard let session = standing.session, let proving = provider as? any IdentityProving else { return [] }
        return proving.proofs(of: session.user)
    }

    /// Sends a code to the account's address.
    ///
    /// - Throws: `device.proof-unsupported`, and the provider's errors.
    public func mailIdentityCode() async throws {
        let proving = try proving
        let user = try await session.user
        do { try await proving.mailCode(to: user) } catch { throw error.error }
    }

    /// Lets the backend check the user's identity before the account is deleted.
    ///
    /// - Returns: The token for `deleteAccount(proof:)`; `nil` if the recent sign-in itself is the proof.
    /// - Throws: `device.another-person` if another user signed in, `device.proof-unsupported`, and the provider's
    ///   errors. Nothing has changed then.
    public func confirmIdentity(_ proof: IdentityProof) async throws -> Token? {
        let proving = try proving
        return try await confirmed { session in try await proving.confirm(proof, of: session) }
    }

    /// The same for a request of the user's data.
    ///
    /// - Returns: The token for `exportData(proof:)`; `nil` if the recent sign-in itself is the proof.
    public func confirmExport(_ proof: IdentityProof) async throws -> Token? {
        guard let exporting = provider as? any DataExporting else { throw FarewellError.exportsUnsupported }
        return try await confirmed { session in try await exporting.confirmExport(proof, of: session) }
    }

    private func confirmed(
        _ confirm: @escaping @Sendable (DeviceSession) async throws -> IdentityConfirmation
    ) async throws -> Token? {
        let confirmation: IdentityConfirmation
        do {
            confirmation = try await perform(confirm)
        } catch let failure as ProviderFailure {
            throw failure.error
        }
        switch confirmation {
        case .stepUp(let token): return token
        case .session(let answer):
            try await reauthenticate { () async throws(ProviderFailure) in answer }
            return nil
        }
    }

    private var proving: any IdentityProving {
        get throws {
            guard let proving = provider as? any IdentityProving else {
                throw FarewellError(
                    "device.proof-unsupported", .yoursToFix, "This provider cannot check who the user is.",
                    remedy: "Ask the user to sign in again, and repeat.")
            }
            return proving
        }
    }
}
