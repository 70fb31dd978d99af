// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// Identifying callers, and their further proofs of identity.
extension SessionAuthority {
    /// Identifies the caller: the token is ours and not expired, its user is not banned and its session still exists.
    /// One query, by primary keys.
    ///
    /// - Throws: `bad_jwt`, `user_not_found`, `session_not_found`, `session_expired`, `user_banned`.
    public func authenticate(_ accessToken: String) async throws -> Caller {
        try await parts.authentication.authenticate(accessToken)
    }

    /// An access token of this authority without the metadata of its user, for a cookie: browsers keep none of more
    /// than 4096 bytes (RFC 6265, 6.1), and metadata alone may have as many.
    ///
    /// - Throws: `bad_jwt`.
    package func shortened(_ accessToken: String) async throws -> String {
        try await parts.authentication.shortened(accessToken)
    }

    /// Whether a token may administer users: its role says so and one of our keys or secrets signed it. Such a token is
    /// an operator's key and may have no expiry. One that belongs to a session is checked against it and against the
    /// present role of its user, and one that a key of the store signed against the present keys. A shared secret needs
    /// no query.
    ///
    /// - Throws: `bad_jwt`, `not_admin`, `session_not_found`, `user_banned`.
    public func administrator(_ accessToken: String) async throws -> AccessTokenClaims {
        try await parts.authentication.administrator(accessToken)
    }

    /// The claims of a token whose session or user is gone: the signature is ours, the token has not expired, and its
    /// session ended because the account is deleted. It grants no access; it names the subject who may see the state of
    /// their erasure. A token whose session ended for another reason is refused, because its holder may be the reason.
    ///
    /// - Throws: `bad_jwt`, `session_not_found`.
    public func recognise(_ accessToken: String) async throws -> AccessTokenClaims {
        try await parts.authentication.recognise(accessToken)
    }

    /// Whether a password is the caller's own. Counts as an attempt at the account's password by this session.
    ///
    /// - Throws: `over_request_rate_limit`.
    public func confirm(_ password: String, of caller: Caller) async throws -> Bool {
        try await parts.proofs.confirm(password, of: caller)
    }

    /// Whether an identity token was made for the caller, after `since`, by a provider of the caller's account.
    ///
    /// - Throws: as signing in by one does.
    public func confirm(_ request: IdentityTokenRequest, of caller: Caller, since: Date) async throws -> Bool {
        try await parts.proofs.confirm(request, of: caller, since: since)
    }

    /// The basis of a caller's proof of identity: another text after another sign-in, and after a change of password.
    package func basis(ofProofsBy caller: Caller) async throws -> String {
        try await parts.proofs.basis(ofProofsBy: caller)
    }
}
