// SPDX-License-Identifier: Apache-2.0
public import Farewell
import FarewellKeys
import FarewellSQL
public import Foundation

extension SessionAuthority {
    /// Signs a user in by e-mail address and password: a new session with a new identifier.
    ///
    /// Unknown addresses, users without a password and wrong passwords get the same answer after the same work. The
    /// password of a declined sign-up gets the answer that the account would get if it were new. Tries
    /// count per account and per source: sources that the account has signed in from before still get through while
    /// unknown ones have used up theirs.
    ///
    /// - Throws: `invalid_credentials`, `user_banned`, `email_not_confirmed`, `validation_failed`,
    ///   `over_request_rate_limit`.
    public func signIn(
        email: String, password: String, device: SessionDevice = SessionDevice(), source: CallerSource = CallerSource()
    ) async throws -> SessionGrant {
        guard password.utf8.count <= settings.passwordRule.maximumBytes, email.utf8.count <= 255 else {
            throw AuthorityRefusal.validationFailed.error("email or password is too long")
        }
        let address = EmailAddress.spelling(of: email)
        guard !address.isEmpty, !address.utf8.contains(0) else {
            throw AuthorityRefusal.validationFailed.error("missing email or phone")
        }
        try passwords.queue.checkRoom()
        let (attempt, results) = try await counter.countAttempt(
            .password(settings.attempts), of: address, from: keys.hashes(of: source),
            then: store.credentials(email: address, now: environment.now()))
        let (found, highestImport) = try AuthorityStore.credentials(in: results)
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
            _ = try await connection.pipeline(store.forgive(attempt))
            return try await issuer.begin(
                found.id, method: "password", device: device, source: source, checked: checked, on: connection)
        }
        return try await issuer.grant(row, token)
    }

    /// Whether an account knows the secret of a device, because a user has signed in from it.
    public func knows(device: String, of user: UUID) async throws -> Bool {
        let found = store.isKnown(keys.hash(ofDevice: device), to: user)
        return try await database.run(found).scalar?.integer != 0
    }

    /// Sends a code to a user who has forgotten their password, or sends again the code of a sign-up or of a change of
    /// address. The answer is the same, after the same work, whether or not the user exists.
    ///
    /// - Throws: `email_provider_disabled` if no mail is sent, `validation_failed`, `email_address_invalid`,
    ///   `over_email_send_rate_limit` within a minute of this source's last request, beyond two in nine minutes of one
    ///   source, and beyond three in nine minutes of all unknown sources together.
    public func sendCode(
        _ purpose: MailPurpose, to email: String, source: CallerSource = CallerSource()
    ) async throws {
        try await parts.codeMails.sendCode(purpose, to: email, source: source)
    }

    /// Sends the caller a code of six digits by mail: good for ten minutes, five attempts and one use, in this session.
    ///
    /// - Throws: `email_provider_disabled` if no mail is sent or the user has no address; `over_email_send_rate_limit`
    ///   within a minute of the last one, and beyond two in nine minutes.
    public func reauthenticate(_ caller: Caller) async throws {
        try await parts.codeMails.reauthenticate(caller)
    }

    /// Spends a refresh token for its successor and a new access token. `RefreshRotation` decides what happens to a
    /// token that was spent before.
    ///
    /// - Parameters:
    ///   - token: The refresh token as it was handed out.
    ///   - nonce: A value of 8 to 256 bytes that the client made and stored before the call. A repeated call with the
    ///     same nonce gets the same refresh token.
    ///   - device: The changes since the sign-in; a `nil` value stays.
    /// - Returns: Tokens of the same session.
    /// - Throws: `refresh_token_not_found`, `refresh_token_already_used` (the session is ended), `session_expired`,
    ///   `user_banned`, `validation_failed`, `conflict`.
    public func refresh(
        _ token: String, nonce: String? = nil, device: SessionDevice = SessionDevice()
    ) async throws -> SessionGrant {
        try await parts.sessionRefresh.refresh(token, nonce: nonce, device: device)
    }
}
