// SPDX-License-Identifier: Apache-2.0
import Crypto
public import Farewell
import Foundation

/// Verifies tokens in any service, without a database or a framework.
///
/// A token is read strictly. Its issuer is found by name, and its key by identifier in that issuer's set; the key, not
/// the token, decides the algorithm. Nothing is trusted before the signature is verified. Then purpose, times, audience
/// and subject must be right, and the session must not have ended.
///
/// ```swift
/// let verifier = try TokenVerifier(
///     trusting: [.farewell("https://auth.example.org/auth/v1")], fetching: fetching, environment: .live(log: log))
/// let token = try await verifier.verify(bearer)
/// ```
///
/// ``VerifierService`` makes one together with everything around it.
public final class TokenVerifier: Sendable {
    struct Issuer: Sendable {
        let trusted: TrustedIssuer
        let keeper: KeySetKeeper?
    }

    private struct State: Sendable {
        var count = TokenCount()
        var memory: VerifiedTokenMemory
        var events = SeenEvents()
    }

    private let issuers: [String: Issuer]
    private let settings: VerifierSettings
    private let revocations: RevocationList?
    private let environment: VerifierEnvironment
    private let state: Guarded<State>

    /// Each issuer is named once. Without `revocations`, a token is valid until it expires; `fetching` gets the key
    /// sets that issuers publish.
    ///
    /// Throws `verifier.issuers` for none or for a name that occurs twice; `verifier.skew` for more than a minute.
    public init(
        trusting issuers: [TrustedIssuer], settings: VerifierSettings = VerifierSettings(),
        revocations: RevocationList? = nil, fetching: any KeySetFetching, environment: VerifierEnvironment
    ) throws(FarewellError) {
        guard settings.clockSkew >= .zero, settings.clockSkew <= .seconds(60) else {
            throw FarewellError(
                "verifier.skew", .yoursToFix, "Clocks may be at most 60 seconds apart.",
                remedy: "Correct the clocks instead.")
        }
        var byName: [String: Issuer] = [:]
        for trusted in issuers {
            var keeper: KeySetKeeper?
            if case .published(let address) = trusted.keys.source {
                keeper = KeySetKeeper(
                    address, for: trusted.keys.algorithms.subtracting([.hs256]), policy: settings.keys,
                    fetching: fetching, environment: environment)
            }
            for name in trusted.aliases.union([trusted.name]) {
                guard byName.updateValue(Issuer(trusted: trusted, keeper: keeper), forKey: name) == nil else {
                    throw FarewellError(
                        "verifier.issuers", .yoursToFix, "An issuer is named twice.", remedy: "Name each one once.")
                }
            }
        }
        guard !byName.isEmpty else {
            throw FarewellError(
                "verifier.issuers", .yoursToFix, "No issuer is trusted, so no token would be accepted.",
                remedy: "Name at least one.")
        }
        self.issuers = byName
        self.settings = settings
        self.revocations = revocations
        self.environment = environment
        state = Guarded(State(memory: VerifiedTokenMemory(capacity: settings.rememberedTokens)))
    }

    /// The token, if it is valid in every respect now.
    ///
    /// `text` is the text after `Bearer `: a compact JSON Web Token of at most 16 KiB. Throws the reason if it is
    /// invalid; ``TokenRefusal/family`` distinguishes an invalid token from a temporary condition.
    public func verify(_ text: String) async throws(TokenRefusal) -> VerifiedToken {
        do {
            let token = try await judged(text)
            state.withLock { $0.count.accepted += 1 }
            return token
        } catch {
            state.withLock { $0.count.refused[error, default: 0] += 1 }
            throw error
        }
    }

    /// How many tokens were accepted and refused so far.
    public var count: TokenCount { state.withLock { $0.count } }

    /// The event of a logout token or a security event token, if it is valid in every respect now.
    ///
    /// The same issuers, keys and audiences hold as for other tokens, and neither kind ever passes for the other. A
    /// logout token counts once and within two minutes (OpenID Connect Back-Channel Logout 1.0, 2.6); a security event
    /// token (RFC 8417) may come again, which ``SecurityEvent/isRepeated`` shows. ``SecurityEvent/revocation`` is the
    /// entry for a ``RevocationList``.
    public func verifyEvent(_ text: String) async throws(TokenRefusal) -> SecurityEvent {
        do {
            let event = try await judgedEvent(text)
            state.withLock { $0.count.accepted += 1 }
            return event
        } catch {
            state.withLock { $0.count.refused[error, default: 0] += 1 }
            throw error
        }
    }

    private func judgedEvent(_ text: String) async throws(TokenRefusal) -> SecurityEvent {
        guard text.utf8.count <= limits.token else { throw .malformed }
        let (token, issuer, _) = try await proven(text)
        let now = environment.now()
        var event = try issuer.trusted.rules.event(
            token.unprovenClaims, type: token.type, of: issuer.trusted, at: now, settings)
        let told = event
        event.isRepeated = state.withLock { !$0.events.see(told, at: now, settings) }
        guard !event.isRepeated || event.kind != .logout else { throw .replayed }
        return event
    }

    private func judged(_ text: String) async throws(TokenRefusal) -> VerifiedToken {
        try requireNews()
        guard text.utf8.count <= limits.token else { throw .malformed }
        let digest = SHA256.hash(data: Array(text.utf8))
        if let token = remembered(digest) {
            guard !isRevoked(token) else { throw .revoked }
            return token
        }
        let (token, keysSince) = try await checked(text)
        guard !isRevoked(token) else { throw .revoked }
        state.withLock { $0.memory.remember(.init(token: token, keysSince: keysSince), as: digest) }
        return token
    }

    /// Everything but revocation, from the text alone.
    private func checked(_ text: String) async throws(TokenRefusal) -> (VerifiedToken, keysSince: Duration?) {
        let (token, issuer, keysSince) = try await proven(text)
        let verified = try issuer.trusted.rules.verified(
            token.unprovenClaims, type: token.type, issuer: issuer.trusted.name, at: environment.now(), settings)
        return (verified, keysSince)
    }

    /// The issuer, proved by the signature.
    private func proven(_ text: String) async throws(TokenRefusal) -> (CompactToken, Issuer, keysSince: Duration?) {
        let token: CompactToken
        do { token = try CompactToken(text, limits: limits) } catch { throw .malformed }
        // The only claim that is looked at before the signature fits: it chooses among names that we hold.
        guard let name = token.unprovenClaims["iss"]?.string, name.isPlain(upTo: 1024), let issuer = issuers[name]
        else { throw .issuer }
        let (key, keysSince) = try await key(for: token, of: issuer)
        guard key.algorithm == SignatureAlgorithm(named: token.algorithm) else { throw .algorithm }
        guard key.verifies(token.signature, of: token.signedBytes) else { throw .signature }
        return (token, issuer, keysSince)
    }

    /// The one key that the token's identifier names among its issuer's. No other is ever tried.
    private func key(
        for token: CompactToken, of issuer: Issuer
    ) async throws(TokenRefusal) -> (VerificationKey, since: Duration?) {
        let keys = issuer.trusted.keys
        guard let algorithm = SignatureAlgorithm(named: token.algorithm), keys.algorithms.contains(algorithm) else {
            throw .algorithm
        }
        if algorithm == .hs256 {
            guard let secret = keys.secret, secret.answers(to: token.keyID) else { throw .key }
            return (secret.key, nil)
        }
        guard let id = token.keyID else { throw .key }
        if case .fixed(let set) = keys.source {
            guard let key = set[id] else { throw .key }
            return (key, nil)
        }
        guard let keeper = issuer.keeper else { throw .key }
        return try await keeper.key(id)
    }

    /// A token that was checked before, if it would be accepted again: not expired, and by keys that are as fresh.
    private func remembered(_ digest: SHA256Digest) -> VerifiedToken? {
        guard settings.rememberedTokens > 0, let entry = state.withLock({ $0.memory[digest] }) else { return nil }
        let isExpired = entry.token.expiresAt.addingTimeInterval(settings.clockSkew.seconds) <= environment.now()
        let keeper = issuers[entry.token.person.issuer]?.keeper
        guard !isExpired, keeper == nil || entry.keysSince != nil && keeper?.freshSince() == entry.keysSince else {
            state.withLock { $0.memory.forget(digest) }
            return nil
        }
        return entry.token
    }

    private func isRevoked(_ token: VerifiedToken) -> Bool { revocations?.isRevoked(token) ?? false }

    private func requireNews() throws(TokenRefusal) {
        guard let revocations else { return }
        guard let age = revocations.age else {
            if settings.unreadFeed == .refuse || settings.lostFeed != .accept { throw .revocationsUnknown }
            return
        }
        if case .refuse(let limit) = settings.lostFeed, age > limit { throw .revocationsUnknown }
    }

    private let limits = CompactToken.Limits()
}
