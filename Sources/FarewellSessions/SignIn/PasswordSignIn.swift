// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Signs users in by e-mail address and password.
struct PasswordSignIn: AuthorityPart {
    let context: AuthorityContext
    let counter: AttemptCounter
    let passwords: PasswordHasher
    let issuer: SessionIssuer

    /// Signs a user in by e-mail address and password: a new session with a new identifier.
    func signIn(
        email: String, password: String, device: SessionDevice, source: CallerSource
    ) async throws -> SessionGrant {
        guard password.utf8.count <= settings.passwordRule.maximumBytes, email.utf8.count <= 255 else {
            throw AuthorityRefusal.validationFailed.error("email or password is too long")
        }
        let address = EmailAddress.spelling(of: email)
        guard !address.isEmpty, !address.utf8.contains(0) else {
            throw AuthorityRefusal.validationFailed.error("missing email or phone")
        }
        try passwords.queue.checkRoom()
        let (attempt, credentials) = try await counter.countAttempt(
            .password(settings.attempts), of: address, from: keys.hashes(of: source),
            then: store.passwords.credentials(email: address, now: environment.now()))
        let (found, highestImport) = credentials
        let verdict = try await passwords.check(
            password, against: found?.passwordHash, orDeclined: found?.declinedHash, highestImport: highestImport)
        guard let found, let stored = found.passwordHash, verdict.isRight else {
            // The answer to a new account, so that it does not show which addresses had one already (decision 214).
            let looksNew = verdict.isDeclined && settings.emailConfirmation == .required
            throw (looksNew ? AuthorityRefusal.emailNotConfirmed : .invalidCredentials).error
        }
        if found.bannedUntil.map({ $0 > environment.now() }) ?? false { throw AuthorityRefusal.userBanned.error }
        guard found.isConfirmed || settings.emailConfirmation == .automatic else {
            throw AuthorityRefusal.emailNotConfirmed.error
        }
        let checked = PasswordCheck(stored: stored, replacement: verdict.replacement)
        let (row, token) = try await database.transaction { connection in
            _ = try await connection.pipeline(store.attempts.forgive(attempt))
            return try await issuer.begin(
                found.id, method: "password", device: device, source: source, checked: checked, on: connection)
        }
        return try await issuer.grant(row, token)
    }
}
