// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Stores the sessions of the console, so that each can be ended at any time: by sign-out, by an operator, or by the
/// removal of the key or provider that opened it. A session that a user's token opened also ends with the user's
/// session, role or account.
struct ConsoleSessions: AuthorityPart {
    let context: AuthorityContext
    let ring: KeyRing
    let authentication: CallerAuthentication

    /// The longest life of a console session, in seconds.
    static let life: TimeInterval = 3600

    /// Verifies a token that administers users, for a sign-in at the console.
    func entry(byToken token: String) async throws -> (claims: AccessTokenClaims, entry: ConsoleEntry) {
        let claims = try await authentication.administrator(token)
        guard let role = claims.role, let signer = AccessToken.signer(of: token, try await ring.current()) else {
            throw AccessToken.refused("key is unknown")
        }
        let entry = ConsoleEntry(
            origin: origin(signer, role: role), session: claims.sessionID.flatMap(UUID.init(text:)),
            expiry: claims.exp.map { Date(timeIntervalSince1970: Double($0)) })
        return (claims, entry)
    }

    /// A sign-in at a provider, which the caller has verified.
    func entry(byProvider provider: [String]) -> ConsoleEntry {
        ConsoleEntry(origin: origin(ofProvider: provider), session: nil, expiry: nil)
    }

    /// Begins a session.
    func begin(_ name: String, role: String, _ entry: ConsoleEntry) async throws -> String {
        let now = environment.now()
        let token = Base64URL.text(keys.entropy.bytes(32))
        let latest = now.addingTimeInterval(Self.life)
        let session = ConsoleSession(
            id: environment.makeIdentifier(), name: name, role: role, beganAt: now,
            endsAt: min(latest, entry.expiry ?? latest))
        let insert = store.consoleSessions.insert(session, tokenHash: hash(ofConsoleToken: token), entry)
        try await database.run(insert)
        return token
    }

    /// The live session for a browser's secret; nil for anything else.
    func live(_ token: String, provider: [String]?) async throws -> ConsoleSession? {
        guard token.utf8.count == 43, Base64URL.bytes(token) != nil else { return nil }
        let now = environment.now()
        let query = store.consoleSessions.find(
            tokenHash: hash(ofConsoleToken: token), now: now, idleSince: settings.lifetime.idleSince(now))
        return try await valid(query, provider).first
    }

    /// All sessions at the console, oldest first.
    func all(provider: [String]?) async throws -> [ConsoleSession] {
        let now = environment.now()
        let query = store.consoleSessions.all(now: now, idleSince: settings.lifetime.idleSince(now))
        return try await valid(query, provider)
    }

    /// Ends one session.
    func end(_ id: UUID) async throws -> Bool {
        try await database.run(store.consoleSessions.end(id)).affected > 0
    }

    /// Ends every session of the console.
    func endAll() async throws -> Int {
        try await database.run(store.consoleSessions.endAll).affected
    }

    /// The sessions whose key, role or provider still opens the console, and whose user still has such a role.
    private func valid(
        _ query: StoreQuery<[FoundConsoleSession]>, _ provider: [String]?
    ) async throws -> [ConsoleSession] {
        let results = try await database.pipeline([query.statement, store.signingKeys.version.statement])
        guard results.count == 2, let rows = results.first, let stored = results.last else {
            throw RowReader.unreadable
        }
        let found = try query.answer(rows)
        guard !found.isEmpty else { return [] }
        let version = stored.scalar?.integer ?? 0
        let accepted = origins(try await ring.current(atLeast: version), provider)
        return found.filter { found in
            accepted.contains(found.origin)
                && found.personRole.map { settings.administratorRoles.containsExactly($0) } ?? true
        }.map(\.session)
    }

    /// Every key and role, and the provider, by which an operator can sign in now.
    private func origins(_ snapshot: KeySnapshot, _ provider: [String]?) -> Set<[UInt8]> {
        let signers = Array(snapshot.keys.values) + snapshot.secrets
        var origins = Set(
            signers.flatMap { signer in settings.administratorRoles.map { origin(signer, role: $0) } })
        if let provider { origins.insert(origin(ofProvider: provider)) }
        return origins
    }

    private func origin(_ signer: AccessTokenKey, role: String) -> [UInt8] {
        let key = signer.secretBytes.map { ["secret", Base64URL.text($0)] } ?? ["public", signer.thumbprint]
        return keys.lookupHash(["token", role] + key, .consoleOrigin)
    }

    private func origin(ofProvider provider: [String]) -> [UInt8] {
        keys.lookupHash(["provider"] + provider, .consoleOrigin)
    }

    private func hash(ofConsoleToken token: String) -> [UInt8] { keys.lookupHash(token, .consoleSession) }
}
