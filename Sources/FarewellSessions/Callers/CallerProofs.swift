// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Proofs of identity beyond an access token, for acts that require a recent one.
struct CallerProofs: AuthorityPart {
    let context: AuthorityContext
    let counter: AttemptCounter
    let passwords: PasswordHasher
    let identityTokens: IdentityTokenCheck

    /// Whether a password is the caller's own.
    func confirm(_ password: String, of caller: Caller) async throws -> Bool {
        guard password.utf8.count <= settings.passwordRule.maximumBytes else { return false }
        try await counter.countAttempt(.password(settings.attempts), by: caller)
        let (hash, highestImport) = try await store.passwords.stored(of: caller.user.id).run(in: database)
        guard let hash else { return false }
        return try await passwords.check(password, against: hash, highestImport: highestImport).isRight
    }

    /// The basis of a caller's proof of identity: another text after another sign-in, and after a change of password.
    func basis(ofProofsBy caller: Caller) async throws -> String {
        let stored = try await store.passwords.hash(of: caller.user.id).run(in: database) ?? ""
        let session = caller.session?.id.text ?? ""
        return SHA256.hash(data: Data("\(session)/\(stored)".utf8)).hexadecimal
    }

    /// Whether an identity token was made for the caller, after `since`, by a provider of the caller's account.
    func confirm(_ request: IdentityTokenRequest, of caller: Caller, since: Date) async throws -> Bool {
        let (provider, claims) = try await identityTokens.verified(request)
        guard let issuedAt = claims.issuedAt, issuedAt >= since else { return false }
        return caller.user.identities.contains { identity in
            identity.provider.isExactly(provider.name) && identity.providerID.isExactly(claims.subject)
        }
    }
}
