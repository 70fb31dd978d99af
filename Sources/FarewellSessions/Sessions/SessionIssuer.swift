// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Starts sessions, and makes the tokens of a session.
struct SessionIssuer: AuthorityPart {
    let context: AuthorityContext
    let ring: KeyRing

    /// Starts a session, with a new identifier, for a user who has proved their identity: in one transaction with the
    /// check that they may sign in and that the checked password is still theirs. Their source is known from now on.
    func begin(
        _ user: UUID, method: String, provider: String? = nil, device: SessionDevice,
        source: CallerSource = CallerSource(), checked: PasswordCheck? = nil, on connection: any SQLConnection
    ) async throws -> (AccountRow, RefreshToken) {
        let now = environment.now()
        guard try await connection.run(store.users.recordSignIn(user, checked: checked, now: now)).affected == 1 else {
            throw try await refusal(of: user, on: connection)
        }
        let session = Session(
            id: environment.makeIdentifier(), userID: user, device: device, createdAt: now, lastSeenAt: now,
            refreshedAt: now, notAfter: settings.lifetime.end(of: now),
            methods: [
                AuthenticationMethod(
                    method: method, timestamp: Int64(now.timeIntervalSince1970), provider: provider)
            ])
        let token = RefreshToken.first(session: session.id, entropy: keys.entropy)
        let results = try await obeyingFence {
            try await connection.pipeline(
                [try store.sessions.insert(session, token: token)]
                    + store.knownSources.remember(keys.hashes(of: source), of: user, now: now)
                    + [store.accounts.find(user, session: session.id).statement])
        }
        guard let account = try results.last.flatMap(AccountRow.init) else { throw RowReader.unreadable }
        return (account, token)
    }

    /// A user under erasure gets no session, and no code for one, where the database refuses it (`farewell fence
    /// --sql`).
    func obeyingFence<Value: Sendable>(_ write: () async throws -> Value) async throws -> Value {
        do {
            return try await write()
        } catch let error as FarewellError where error.code == FenceRefusal.code {
            throw AuthorityRefusal.invalidCredentials.error
        }
    }

    /// Why a user may not sign in.
    func refusal(of user: UUID, on connection: any SQLConnection) async throws -> FarewellError {
        let account = try await store.accounts.find(user).run(on: connection)
        guard let account, account.user.deletedAt == nil else { return AuthorityRefusal.invalidCredentials.error }
        guard !account.user.isBanned(at: environment.now()) else { return AuthorityRefusal.userBanned.error }
        return AuthorityRefusal.invalidCredentials.error
    }

    /// Tokens for a session whose active refresh token is at hand.
    func grant(
        _ account: AccountRow, _ token: RefreshToken, repetitions: [SessionGrant.Repetition] = []
    ) async throws -> SessionGrant {
        guard let session = account.session?.session else { throw RowReader.unreadable }
        let now = environment.now()
        let snapshot = try await ring.current(atLeast: account.keyVersion)
        // Whole seconds, as in the token; never past the session's own end.
        let issued = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
        var expires = issued.addingTimeInterval((settings.accessTokenLife / .seconds(1)).rounded(.down))
        if let notAfter = session.notAfter { expires = min(expires, notAfter) }
        let claims = AccessTokenClaims(
            user: account.user, session: session, issuer: settings.issuer, audience: settings.audience,
            issuedAt: issued, expiresAt: expires)
        return SessionGrant(
            accessToken: try AccessToken.signed(claims, by: snapshot, now: now), expiresAt: expires,
            expiresIn: Int(expires.timeIntervalSince(issued)), refreshToken: token.text(keys),
            signOutTicket: SignOutTicket.text(for: session.id, keys), user: account.user, sessionID: session.id,
            refreshCounter: token.counter, repetitions: repetitions)
    }

    /// Whether an account knows the secret of a device, because a user has signed in from it.
    func knows(device: String, of user: UUID) async throws -> Bool {
        try await store.knownSources.isKnown(keys.hash(ofDevice: device), to: user).run(in: database)
    }
}
