// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The claims that an issuer's tokens need besides a valid signature.
struct ClaimRules: Sendable {
    /// The required audience of a token.
    enum Audience: Sendable {
        /// `aud` names one of these (RFC 7519, section 4.1.3).
        case named(Set<String>)
        /// The same for an identity token: if it has several audiences, `azp` must be one of these clients (OpenID
        /// Connect Core, section 3.1.3.7).
        case identity(Set<String>)
        /// An identity token that was issued to this client: `azp`, which must be there if `aud` names several, is the
        /// client (OpenID Connect Core, section 3.1.3.7).
        case party(String)
        /// Cognito: an access token has no `aud`, and names its client in `client_id`.
        case cognito(Set<String>)
    }

    /// The kind of a token.
    enum TokenKind: Sendable {
        /// A user's identity.
        case person
        /// An event (RFC 8417): it has `events`, and needs neither an expiry nor a subject.
        case event
    }

    /// A claim that must be there and be one of these; the refusal if not.
    struct Required: Sendable {
        let name: String
        let oneOf: Set<String>
        let refusal: TokenRefusal
    }

    /// The accepted values of `typ`, in lower case and without `application/`; a token without one is a `jwt`.
    var types: Set<String> = ["jwt"]
    var audience: Audience
    var required: [Required] = []
    var tokenKind = TokenKind.person
    /// The claim that names the session.
    var session: String?
    var isSessionRequired = false
    /// Whether `auth_time` must be there and be past.
    var needsAuthenticationTime = false
    /// Whether `iat` must be there: every issuer of OpenID Connect writes it; RFC 7519 leaves it open.
    var needsIssueTime = true
    /// From `iat` to `exp` at most.
    var longestLife: Duration = .seconds(86_400)
    /// The form of its events.
    var events = EventForm.tokens
    /// In bytes.
    var longestSubject = 255
    /// Roles (`role`) of a project's own keys, which name no user; empty where tokens have no roles.
    var keyRoles: Set<String> = []
    /// From `iat` to `exp`, unless the issuer's owner chose otherwise.
    var usualLife: Duration = .seconds(3_600)

    /// The form in which an issuer sends an event.
    enum EventForm: Sendable, Hashable {
        /// As logout tokens (OpenID Connect Back-Channel Logout 1.0) and security event tokens (RFC 8417).
        case tokens
        /// As Apple does to servers: in a plain JWT, `events` is text that holds JSON.
        case written
    }

    static let lastSecond: Int64 = 253_402_300_799  // the end of the year 9999

    func verified(
        _ claims: [String: JSONValue], type: String, issuer: String, at now: Date, _ settings: VerifierSettings
    ) throws(TokenRefusal) -> VerifiedToken {
        guard types.contains(type), (claims["events"] == nil) == (tokenKind == .person) else { throw .purpose }
        for rule in required {
            guard let value = claims[exactly: rule.name]?.string, rule.oneOf.contains(value),
                value.isPlain(upTo: 255)
            else { throw rule.refusal }
        }
        if !keyRoles.isEmpty, let role = claims["role"] {
            guard let name = role.string, !keyRoles.contains(name) else { throw .purpose }
        }
        let (issuedAt, expiresAt) = try times(lasting(claims), at: now, settings)
        guard isMeantForUs(claims) else { throw .audience }
        // Claims are stored, also those that are not checked here.
        guard !JSONValue.object(claims).holdsNUL else { throw .claims }
        if tokenKind == .event {
            return VerifiedToken(
                person: IssuedSubject(issuer: issuer, subject: "-"), sessionID: nil, issuedAt: issuedAt,
                expiresAt: expiresAt, claims: claims)
        }
        guard let subject = claims["sub"]?.string, subject.isPlain(upTo: longestSubject) else { throw .claims }
        return VerifiedToken(
            person: IssuedSubject(issuer: issuer, subject: subject), sessionID: try sessionID(claims),
            issuedAt: issuedAt, expiresAt: expiresAt, claims: claims)
    }

    /// A token about an event without an expiry is accepted as long as its sender may retry: a day.
    private func lasting(_ claims: [String: JSONValue]) -> [String: JSONValue] {
        guard tokenKind == .event, claims["exp"] == nil, let issued = claims["iat"]?.integer, issued >= 0,
            issued <= Self.lastSecond - 86_400
        else { return claims }
        var lasting = claims
        lasting["exp"] = .integer(issued + 86_400)
        return lasting
    }

    private func times(
        _ claims: [String: JSONValue], at now: Date, _ settings: VerifierSettings
    ) throws(TokenRefusal) -> (issuedAt: Date, expiresAt: Date) {
        let skew = settings.clockSkew.seconds
        let life = min(longestLife, settings.longestLife ?? longestLife).seconds
        let expiry = try second(claims["exp"])
        // A token without the claim counts as the oldest possible: too strict about revocations, never too lax.
        let isSilent = claims["iat"] == nil && !needsIssueTime
        let issued = isSilent ? max(0, expiry - Int64(life)) : try second(claims["iat"])
        let start = claims["nbf"] == nil ? issued : try second(claims["nbf"])
        let authenticated =
            needsAuthenticationTime || claims["auth_time"] != nil ? try second(claims["auth_time"]) : issued
        guard Double(expiry) + skew > now.timeIntervalSince1970,
            Double(max(issued, start, authenticated)) - skew <= now.timeIntervalSince1970,
            Double(expiry - issued) <= life
        else { throw .time }
        return (Date(timeIntervalSince1970: Double(issued)), Date(timeIntervalSince1970: Double(expiry)))
    }

    /// Whole seconds since 1970. RFC 7519 allows fractions; no known issuer writes them, and two readers could
    /// round them differently.
    func second(_ value: JSONValue?) throws(TokenRefusal) -> Int64 {
        guard let second = value?.integer, (0...Self.lastSecond).contains(second) else { throw .claims }
        return second
    }

    func isMeantForUs(_ claims: [String: JSONValue]) -> Bool {
        switch audience {
        case .named(let names):
            return !names.isDisjoint(with: Self.audiences(claims["aud"]))
        case .identity(let names):
            let all = Self.audiences(claims["aud"])
            let party = claims["azp"]
            return !names.isDisjoint(with: all)
                && (all.count == 1 || party == nil || Self.audiences(party).contains(where: names.contains))
        case .party(let client):
            let all = Self.audiences(claims["aud"])
            let isIssuedToIt =
                claims["azp"].map { $0.string?.utf8.elementsEqual(client.utf8) == true } ?? (all.count == 1)
            return isIssuedToIt && all.contains { $0.utf8.elementsEqual(client.utf8) }
        case .cognito(let clients):
            let claim = claims["token_use"] == "access" ? "client_id" : "aud"
            return !clients.isDisjoint(with: Self.audiences(claims[claim]))
        }
    }

    /// One name, or an array of names only; empty for any other value.
    private static func audiences(_ value: JSONValue?) -> [String] {
        let names = value?.array?.map(\.string) ?? [value?.string]
        let plain = names.compactMap { $0 }.filter { $0.isPlain(upTo: 1024) }
        return plain.count == names.count && names.count <= 64 ? plain : []
    }

    private func sessionID(_ claims: [String: JSONValue]) throws(TokenRefusal) -> String? {
        guard let session, let value = claims[exactly: session] else {
            if isSessionRequired { throw .claims }
            return nil
        }
        guard let id = value.string, id.isPlain(upTo: 255) else { throw .claims }
        return id
    }
}

extension Duration {
    /// In seconds, as dates count them.
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
