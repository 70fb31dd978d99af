// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Identifies callers by their access tokens.
struct CallerAuthentication: AuthorityPart {
    let context: AuthorityContext
    let tokens: AccessTokenCheck
    let revoker: SessionRevoker
    let lookUps: RequestCoalescer<SessionLookUp, AccountShare>

    /// Identifies the caller: the token is ours and not expired, its user is not banned and its session still exists.
    func authenticate(_ accessToken: String) async throws -> Caller {
        let now = environment.now()
        let (claims, snapshot) = try await tokens.claims(of: accessToken, now: now)
        guard claims.iss?.isExactly(settings.issuer) == true else { throw AccessToken.refused("issuer is unknown") }
        guard claims.aud?.isExactly(settings.audience) == true else { throw AccessToken.refused("audience is another") }
        guard let expiry = claims.exp, Double(expiry) > now.timeIntervalSince1970 else {
            throw AccessToken.refused("token is expired")
        }
        let caller = try await caller(claims, now: now, knownKeys: snapshot.version, accessToken)
        return caller
    }

    /// The same token, signed again without the user's metadata.
    func shortened(_ accessToken: String) async throws -> String {
        let now = environment.now()
        var (claims, snapshot) = try await tokens.claims(of: accessToken, now: now)
        (claims.appMetadata, claims.userMetadata) = (nil, nil)
        return try AccessToken.signed(claims, by: snapshot, now: now)
    }

    /// Whether a token may administer users: its role says so and one of our keys or secrets signed it.
    func administrator(_ accessToken: String) async throws -> AccessTokenClaims {
        let now = environment.now()
        let (claims, snapshot) = try await tokens.claims(of: accessToken, now: now)
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
            try await tokens.checkKey(of: accessToken, snapshot)
        }
        return claims
    }

    /// The claims of a token whose session or user is gone: the signature is ours, the token has not expired, and its
    /// session ended because the account is deleted.
    func recognise(_ accessToken: String) async throws -> AccessTokenClaims {
        let now = environment.now()
        let (claims, snapshot) = try await tokens.claims(of: accessToken, now: now)
        guard claims.iss?.isExactly(settings.issuer) == true, claims.aud?.isExactly(settings.audience) == true,
            let expiry = claims.exp,
            Double(expiry) > now.timeIntervalSince1970, let user = claims.sub.flatMap(UUID.init(text:))
        else { throw AccessToken.refused("token is expired or of another issuer") }
        try await tokens.checkKey(of: accessToken, snapshot)
        let isEnded = store.revocations.isEnded(claims.sessionID.flatMap(UUID.init(text:)), byDeletionOf: user)
        guard try await isEnded.run(in: database) else {
            throw AuthorityRefusal.sessionNotFound.error
        }
        return claims
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
        if account.keyVersion > knownKeys { try await tokens.checkKey(of: token, atLeast: account.keyVersion) }
        // A ban ends the sessions, and is why they are gone.
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
        let results = try await database.pipeline(store.accounts.lookUp([wanted]))
        return try store.accounts.found(in: results, among: 1).first?.account()
    }

    /// Notes a sign of life every five minutes, not at every request.
    private func note(_ session: Session, now: Date) async throws {
        let since = now.addingTimeInterval(-300)
        guard session.lastSeenAt < since else { return }
        try await database.withConnection { connection in
            _ = try await connection.run(store.sessions.seen(session.id, now: now, since: since))
        }
    }
}
