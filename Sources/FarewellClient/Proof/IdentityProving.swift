// SPDX-License-Identifier: Apache-2.0

/// A backend by which a user can prove again who they are before the account is deleted.
public protocol IdentityProving: SessionProvider {
    /// The proofs that the account can give, the most convenient first.
    func proofs(of user: DeviceUser) -> [IdentityProof.Kind]

    /// Sends a code to the account's address.
    func mailCode(to user: DeviceUser) async throws(ProviderFailure)

    /// Checks a proof of the session's user, for the deletion of the account.
    ///
    /// - Throws: `refused` for a wrong one.
    func confirm(
        _ proof: IdentityProof, of session: DeviceSession
    ) async throws(ProviderFailure) -> IdentityConfirmation
}
