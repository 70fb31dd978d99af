// SPDX-License-Identifier: Apache-2.0
public import Farewell

/// Signing up and signing in, and the mails for both.
extension SessionAuthority {
    /// Makes a new user with a new identifier, and signs them in unless their address must be confirmed first.
    ///
    /// The owner of an address is unknown until it is confirmed. If two passwords are set for one until then, neither
    /// counts, nor the data given beside them: the user who confirms the address signs in by that, and sets a new one.
    ///
    /// - Throws: `signup_disabled`, `anonymous_provider_disabled`, `phone_provider_disabled`, `validation_failed`,
    ///   `email_address_invalid`, `weak_password`, `user_already_exists`, `over_request_rate_limit`.
    public func signUp(
        _ request: SignUpRequest, device: SessionDevice = SessionDevice(), source: CallerSource = CallerSource()
    ) async throws -> SignUpOutcome {
        try await parts.signUps.signUp(request, device: device, source: source)
    }

    /// Signs a user in by e-mail address and password: a new session with a new identifier.
    ///
    /// Unknown addresses, users without a password and wrong passwords get the same answer after the same work. The
    /// password of a declined sign-up gets the answer that the account would get if it were new. Attempts
    /// count per account and per source: sources that the account has signed in from before can still sign in while
    /// unknown ones have used up their attempts.
    ///
    /// - Throws: `invalid_credentials`, `user_banned`, `email_not_confirmed`, `validation_failed`,
    ///   `over_request_rate_limit`.
    public func signIn(
        email: String, password: String, device: SessionDevice = SessionDevice(), source: CallerSource = CallerSource()
    ) async throws -> SessionGrant {
        try await parts.passwordSignIn.signIn(email: email, password: password, device: device, source: source)
    }

    /// Signs a user in by an identity token of Apple, Google or another provider of the settings, and makes a new user
    /// for an unknown name at the provider. An e-mail address never identifies a user.
    ///
    /// - Parameter signUp: Whether the token may make a new user; nil follows the settings, and `open` permits nothing
    ///   that they forbid.
    /// - Throws: `provider_disabled`; `oauth.invalid_request` and `oauth.invalid_nonce` for a token that cannot be
    ///   accepted; `user_banned`, `signup_disabled`.
    public func signIn(
        _ request: IdentityTokenRequest, signUp: SignUpRule? = nil, device: SessionDevice = SessionDevice(),
        source: CallerSource = CallerSource()
    ) async throws -> SessionGrant {
        try await parts.identitySignIn.signIn(request, signUp: signUp, device: device, source: source)
    }

    /// Signs in a user who shows the code of a mail: it confirms a sign-up, replaces a forgotten password, or confirms
    /// a new address. A code is valid once, within ten minutes, for one purpose, user and address.
    ///
    /// The token of a link is valid anywhere. The digits are for the source that requested them, and five of its
    /// attempts invalidate them. A source that is known to the account may use them too; unknown sources have three
    /// attempts together, which do not affect those of the others.
    ///
    /// - Throws: `otp_expired` for every invalid code, whatever the reason; `over_request_rate_limit`,
    ///   `validation_failed`, `user_banned`, `email_exists`.
    public func signIn(
        _ purpose: MailPurpose, by proof: CodeProof, device: SessionDevice = SessionDevice(),
        source: CallerSource = CallerSource()
    ) async throws -> SessionGrant {
        try await parts.codeSignIn.signIn(purpose, by: proof, device: device, source: source)
    }

    /// Uses the link of a mail. It signs the user in as `signIn(_:by:)` does; or, if the mail was requested with a
    /// challenge (`MailReturn`), it gives a code for the app that has the verifier (RFC 7636).
    ///
    /// - Throws: as `signIn(_:by:)` does.
    public func follow(
        _ purpose: MailPurpose, token: String, device: SessionDevice = SessionDevice(),
        source: CallerSource = CallerSource()
    ) async throws -> LinkOutcome {
        try await parts.codeSignIn.follow(purpose, token: token, device: device, source: source)
    }

    /// Signs in the user whose link gave an authorization code. A code is valid once, within five minutes, until the
    /// user signs out everywhere, and only beside the verifier of its challenge.
    ///
    /// - Throws: `flow_state_not_found` for an unknown, used or forgotten code, `flow_state_expired`,
    ///   `bad_code_verifier`, which uses nothing up; `user_banned`, `invalid_credentials`.
    public func signIn(
        authorizationCode code: String, verifier: String, device: SessionDevice = SessionDevice(),
        source: CallerSource = CallerSource()
    ) async throws -> SessionGrant {
        try await parts.codeExchange.signIn(code: code, verifier: verifier, device: device, source: source)
    }

    /// Sends a code to a user who has forgotten their password, or sends again the code of a sign-up or of a change of
    /// address. The answer is the same, after the same work, whether or not the user exists.
    ///
    /// - Parameter returning: How the mail's link leads back.
    /// - Throws: `email_provider_disabled` if no mail is sent, `validation_failed`, `email_address_invalid`,
    ///   `over_email_send_rate_limit` within a minute of this source's last request, beyond two in nine minutes of one
    ///   source, and beyond three in nine minutes of all unknown sources together.
    public func sendCode(
        _ purpose: MailPurpose, to email: String, source: CallerSource = CallerSource(),
        returning: MailReturn = MailReturn()
    ) async throws {
        try await parts.codeMails.sendCode(purpose, to: email, source: source, returning: returning)
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
