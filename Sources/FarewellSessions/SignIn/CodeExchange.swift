// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Exchanges authorization codes for sessions: for the app that has the verifier of the mail's challenge.
struct CodeExchange: AuthorityPart {
    let context: AuthorityContext
    let issuer: SessionIssuer

    /// Issues a code, in the transaction that has used up the mail's code and confirmed the address.
    func issue(
        to user: UUID, _ purpose: MailPurpose, challenge: [UInt8], on connection: any SQLConnection
    ) async throws -> String {
        let code = Base64URL.text(keys.entropy.bytes(32))
        let stored = StoredAuthorizationCode(
            codeHash: keys.hash(ofAuthorizationCode: code), user: user, purpose: purpose, challengeHash: challenge,
            issuedAt: environment.now())
        let isKept = try await issuer.obeyingFence {
            try await connection.run(store.authorizationCodes.keep(stored)).affected == 1
        }
        guard isKept else { throw try await issuer.refusal(of: user, on: connection) }
        return code
    }

    /// Signs in the user whose link an app has opened. A wrong verifier uses nothing up.
    func signIn(
        code: String, verifier: String, device: SessionDevice, source: CallerSource
    ) async throws -> SessionGrant {
        let found = store.authorizationCodes.find(keys.hash(ofAuthorizationCode: code))
        guard let stored = try await found.run(in: database) else { throw AuthorityRefusal.flowStateNotFound.error }
        guard environment.now().timeIntervalSince(stored.issuedAt) < AuthorizationCodeStore.life else {
            throw AuthorityRefusal.flowStateExpired.error
        }
        guard ConstantTime.isEqual(keys.hash(of: CodeChallenge(ofVerifier: verifier)), stored.challengeHash) else {
            throw AuthorityRefusal.badCodeVerifier.error
        }
        let (account, token) = try await database.transaction { connection in
            // The user's row is locked first, as everywhere.
            let results = try await connection.pipeline([
                store.users.hold(stored.user, now: environment.now()), store.authorizationCodes.spend(stored),
            ])
            guard results.last?.affected == 1 else { throw AuthorityRefusal.flowStateNotFound.error }
            return try await issuer.begin(
                stored.user, method: stored.purpose.method, device: device, source: source, on: connection)
        }
        return try await issuer.grant(account, token)
    }
}
