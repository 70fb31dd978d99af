// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

extension SessionAuthority {
    /// Identifies the caller: the token is ours and not expired, its user is not barred and its session still exists.
    /// One query, by primary keys.
    ///
    /// - Throws: `bad_jwt`, `user_not_found`, `session_not_found`, `session_expired`, `user_banned`.
    public func authenticate(_ accessToken: String) async throws -> Caller {
        let now = environment.now()
        let (claims, snapshot) = try await claims(of: accessToken, now: now)
        guard claims.iss?.isExactly(settings.issuer) == true else { throw AccessToken.refused("issuer is unknown") }
        guard claims.aud?.isExactly(settings.audience) == true else { throw AccessToken.refused("audience is another") }
        guard let expiry = claims.exp, Double(expiry) > now.timeIntervalSince1970 else {
            throw AccessToken.refused("token is expired")
        }
        let caller = try await caller(claims, now: now, knownKeys: snapshot.version, accessToken)
        return caller
    }

    /// Whether a token may administer users: its role says so and one of our keys or secrets signed it. Such a token is
    /// an operator's key and may have no expiry. One that belongs to a session is checked against it and against the
    /// present role of its user, and one that a key of the store signed against the present keys. A shared secret needs
    /// no query.
    ///
    /// - Throws: `bad_jwt`, `not_admin`, `session_not_found`, `user_banned`.
    public func administrator(_ accessToken: String) async throws -> AccessTokenClaims {
        let now = environment.now()
        let (claims, snapshot) = try await claims(of: accessToken, now: now)
        if let expiry = claims.exp, Double(expiry) <= now.timeIntervalSince1970 {
            throw AccessToken.refused("token is expired")
        }
        guard let role = claims.role, settings.administratorRoles.containsExactly(role) else {
            throw AuthorityRefusal.notAdmin.error
        }
        if claims.sessionID != nil {
            let caller = try await caller(claims, now: now, knownKeys: snapshot.version, accessToken)
            // The role may have been taken away since the token was issued.
            guard settings.administratorRoles.containsExactly(caller.user.role) else {
                throw AuthorityRefusal.notAdmin.error
            }
        } else {
            try await checkKey(of: accessToken, snapshot)
        }
        return claims
    }

    func claims(of token: String, now: Date) async throws -> (AccessTokenClaims, KeySnapshot) {
        var snapshot = try await ring.current()
        var claims = try AccessToken.claims(of: token, snapshot)
        if claims == nil {
            snapshot = try await ring.currentForUnknownKey(now: now)
            claims = try AccessToken.claims(of: token, snapshot)
        }
        guard let claims else { throw AccessToken.refused("key is unknown") }
        if let issued = claims.iat, Double(issued) > now.timeIntervalSince1970 + 60 {
            throw AccessToken.refused("token is used before it was issued")
        }
        if let start = claims.nbf, Double(start) > now.timeIntervalSince1970 + 60 {
            throw AccessToken.refused("token is not good yet")
        }
        return (claims, snapshot)
    }

    /// Refuses a token whose key any server has removed since `snapshot` was read. For tokens without a look-up of a
    /// session. A shared secret is not kept in the database, and its tokens are valid here.
    func checkKey(of token: String, _ snapshot: KeySnapshot) async throws {
        guard AccessToken.isByStoredKey(token, snapshot) else { return }
        let version = try await ring.storedVersion()
        if version > snapshot.version { try await checkKey(of: token, atLeast: version) }
    }

    /// The keys have changed since: is the one that signed this still among them?
    private func checkKey(of token: String, atLeast version: Int64) async throws {
        let snapshot = try await ring.current(atLeast: version)
        guard try AccessToken.claims(of: token, snapshot) != nil else { throw AccessToken.refused("key is unknown") }
    }

    private func caller(
        _ claims: AccessTokenClaims, now: Date, knownKeys: Int64, _ token: String
    ) async throws -> Caller {
        guard let subject = claims.sub, !subject.isEmpty else {
            throw AuthorityRefusal.badJWT.error("invalid claim: missing sub claim")
        }
        guard let user = UUID(text: subject) else {
            throw AuthorityRefusal.badSubject.error
        }
        let session = try claims.sessionID.map { text in
            guard let id = UUID(text: text) else {
                throw AuthorityRefusal.badJWT.error("invalid claim: session_id claim must be a UUID")
            }
            return id
        }
        let found = try await account(SessionLookUp(user: user, session: session))
        guard let account = found, account.user.deletedAt == nil else {
            throw AuthorityRefusal.userNotFound.error("User from sub claim in JWT does not exist")
        }
        if account.keyVersion > knownKeys { try await checkKey(of: token, atLeast: account.keyVersion) }
        // A bar ends the sessions, and is why they are gone.
        if account.user.isBanned(at: now) { throw AuthorityRefusal.userBanned.error }
        if let session, account.session == nil { throw try await revoker.missing(session, as: .sessionNotFound) }
        guard var current = account.session?.session else {
            return Caller(user: account.user, session: nil, claims: claims)
        }
        if settings.lifetime.expiry(refreshedAt: current.refreshedAt, notAfter: current.notAfter, now: now) != nil {
            throw AuthorityRefusal.sessionExpired.error("Session has expired")
        }
        try await note(current, now: now)
        current.isCurrent = true
        return Caller(user: account.user, session: current, claims: claims)
    }

    /// Together with other simultaneous callers; alone if that fails.
    private func account(_ wanted: SessionLookUp) async throws -> AccountRow? {
        if let share = await lookUps.answer(to: wanted) { return try share.account() }
        let results = try await database.pipeline(store.lookUp([wanted]))
        return try store.found(in: results, among: 1).first?.account()
    }

    /// Notes a sign of life every five minutes, not at every request.
    private func note(_ session: Session, now: Date) async throws {
        let since = now.addingTimeInterval(-300)
        guard session.lastSeenAt < since else { return }
        try await database.withConnection { connection in
            _ = try await connection.run(store.seen(session.id, now: now, since: since))
        }
    }
}
