// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell
import FarewellKeys
import FarewellSQL
public import Foundation

extension SessionAuthority {
    /// The claims of a token whose session or user is gone: the signature is ours, the token has not expired, and its
    /// session ended because the account is deleted. It grants no access; it names the subject who may see the state of
    /// their erasure. A token whose session ended for another reason is refused, because its holder may be the reason.
    ///
    /// - Throws: `bad_jwt`, `session_not_found`.
    public func recognise(_ accessToken: String) async throws -> AccessTokenClaims {
        let now = environment.now()
        let (claims, snapshot) = try await claims(of: accessToken, now: now)
        guard claims.iss?.isExactly(settings.issuer) == true, claims.aud?.isExactly(settings.audience) == true,
            let expiry = claims.exp,
            Double(expiry) > now.timeIntervalSince1970, let user = claims.sub.flatMap(UUID.init(text:))
        else { throw AccessToken.refused("token is expired or of another issuer") }
        try await checkKey(of: accessToken, snapshot)
        let deletions = store.deletions(endingSession: claims.sessionID.flatMap(UUID.init(text:)), of: user)
        guard try await database.withConnection({ try await $0.run(deletions) }).scalar?.integer != 0 else {
            throw AuthorityRefusal.sessionNotFound.error
        }
        return claims
    }

    /// Whether a password is the caller's own. Counts as a try of the account's password by this
    /// session.
    ///
    /// - Throws: `over_request_rate_limit`.
    public func confirm(_ password: String, of caller: Caller) async throws -> Bool {
        guard password.utf8.count <= settings.passwordRule.maximumBytes else { return false }
        try await counter.countAttempt(.password(settings.attempts), by: caller)
        let results = try await database.withConnection { connection in
            try await connection.pipeline([store.passwordHash(of: caller.user.id), store.highestImport])
        }
        guard let stored = results.first?.scalar?.text, !stored.isEmpty else { return false }
        let highestImport = AuthorityStore.importedCost(results.last)
        return try await passwords.check(password, against: stored, highestImport: highestImport).isRight
    }

    /// What a caller's proof of identity rests on: another text after another sign-in, and after a change of password.
    package func basis(ofProofsBy caller: Caller) async throws -> String {
        let stored = try await database.run(store.passwordHash(of: caller.user.id)).scalar?.text ?? ""
        let session = caller.session?.id.text ?? ""
        return SHA256.hash(data: Data("\(session)/\(stored)".utf8)).hexadecimal
    }

    /// Whether an identity token was made for the caller, after `since`, by a provider of theirs.
    ///
    /// - Throws: as signing in by one does.
    public func confirm(_ request: IdentityTokenRequest, of caller: Caller, since: Date) async throws -> Bool {
        let (provider, claims) = try await parts.identityTokens.verified(request)
        guard let issuedAt = claims.issuedAt, issuedAt >= since else { return false }
        return caller.user.identities.contains { identity in
            identity.provider.isExactly(provider.name) && identity.providerID.isExactly(claims.subject)
        }
    }
}
