// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

extension ClaimRules {
    /// Seconds for which a logout token counts.
    static let logoutLife: TimeInterval = 120

    private static let logout = "http://schemas.openid.net/event/backchannel-logout"
    private static let kinds: [String: SecurityEvent.Kind] = [
        "https://schemas.openid.net/secevent/caep/event-type/session-revoked": .sessionRevoked,
        "https://schemas.openid.net/secevent/risc/event-type/sessions-revoked": .sessionRevoked,
        "https://schemas.openid.net/secevent/risc/event-type/account-purged": .accountPurged,
        "https://schemas.openid.net/secevent/risc/event-type/account-disabled": .accountDisabled,
    ]
    private static let writtenKinds: [String: SecurityEvent.Kind] = [
        "consent-revoked": .consentRevoked, "account-delete": .accountPurged, "account-deleted": .accountPurged,
    ]

    /// The events of a token. The type decides how it is read: a logout token, a security event token, or Apple's own
    /// form; no other token has events.
    func event(
        _ claims: [String: JSONValue], type: String, of issuer: TrustedIssuer, at now: Date,
        _ settings: VerifierSettings
    ) throws(TokenRefusal) -> SecurityEvent {
        // An identity token with a nonce is never a logout token (Back-Channel Logout 1.0, 2.4).
        guard claims["nonce"] == nil, let told = claims["events"] else { throw .purpose }
        let issued = try second(claims["iat"])
        let age = now.timeIntervalSince1970 - Double(issued)
        guard age >= -settings.clockSkew.seconds else { throw .time }
        if claims["exp"] != nil {
            let expiry = try second(claims["exp"])
            guard Double(expiry) + settings.clockSkew.seconds > now.timeIntervalSince1970 else { throw .time }
        }
        guard isMeantForUs(claims) else { throw .audience }
        guard let id = claims["jti"]?.string, id.isPlain(upTo: 255) else { throw .claims }
        let about: Told
        switch (type, events) {
        case ("logout+jwt", .tokens):
            guard age <= Self.logoutLife + settings.clockSkew.seconds else { throw .time }
            about = try signedOut(claims, told)
        case ("secevent+jwt", .tokens): about = try happened(claims, told, issuer)
        case ("jwt", .written): about = try written(told, issuedAt: Date(timeIntervalSince1970: Double(issued)))
        default: throw .purpose
        }
        return SecurityEvent(
            kind: about.kind, issuer: issuer.name, id: id,
            person: about.subject.map { IssuedSubject(issuer: issuer.name, subject: $0) }, sessionID: about.session,
            issuedAt: Date(timeIntervalSince1970: Double(issued)), occurredAt: about.occurredAt)
    }

    private struct Told {
        let kind: SecurityEvent.Kind
        var subject: String?
        var session: String?
        /// `nil` if the issuer does not say so.
        var occurredAt: Date?
    }

    private func signedOut(_ claims: [String: JSONValue], _ told: JSONValue) throws(TokenRefusal) -> Told {
        guard told.object?.count == 1, told[Self.logout]?.object != nil else { throw .purpose }
        let (subject, session) = (try name(claims["sub"], upTo: longestSubject), try name(claims["sid"], upTo: 255))
        guard subject != nil || session != nil else { throw .claims }
        return Told(kind: .logout, subject: subject, session: session)
    }

    /// One event, about a user of this issuer: in `sub_id` (RFC 9493), in the event, or in `sub`.
    private func happened(
        _ claims: [String: JSONValue], _ told: JSONValue, _ issuer: TrustedIssuer
    ) throws(TokenRefusal) -> Told {
        guard let events = told.object, events.count == 1, let (uri, details) = events.first, uri != Self.logout,
            details.object != nil
        else { throw .purpose }
        let kind = Self.kinds[uri] ?? .other
        let identified = claims["sub_id"] ?? details["subject"]
        guard let identified, identified != .null else {
            return Told(kind: kind, subject: try name(claims["sub"], upTo: longestSubject))
        }
        let person = identified["user"] ?? identified
        if let other = person["iss"] {
            guard let name = other.string, name.isExactly(issuer.name) || issuer.aliases.containsExactly(name) else {
                throw .issuer
            }
        }
        let session = try name(identified["session"]?["id"], upTo: 255)
        let subject = try name(person["sub"], upTo: longestSubject)
        guard subject != nil || session != nil || kind == .other else { throw .claims }
        return Told(kind: kind, subject: subject, session: session)
    }

    private func written(_ told: JSONValue, issuedAt: Date) throws(TokenRefusal) -> Told {
        guard let text = told.string, let event = try? StrictJSON.value(Array(text.utf8), depth: 4),
            let type = event["type"]?.string
        else { throw .purpose }
        guard let subject = try name(event["sub"], upTo: longestSubject) else { throw .claims }
        // Tokens are issued in whole seconds.
        let second = AppleEventTime.latest(of: event, issuedAt: issuedAt).timeIntervalSince1970.rounded(.down)
        return Told(
            kind: Self.writtenKinds[type] ?? .other, subject: subject,
            occurredAt: Date(timeIntervalSince1970: second))
    }

    private func name(_ value: JSONValue?, upTo limit: Int) throws(TokenRefusal) -> String? {
        guard let value else { return nil }
        guard let name = value.string, name.isPlain(upTo: limit) else { throw .claims }
        return name
    }
}
