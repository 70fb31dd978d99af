// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Farewell
import FarewellErasure
import Foundation

/// Ended sessions, for receivers of such tokens.
extension HTTPEventDelivery: RevocationEventDelivery {
    var readers: [String] {
        receivers.filter { $0.kind == .caep || $0.kind == .logout }.map(\.name)
    }

    func report(_ revocation: OutgoingRevocation, to reader: String) async throws(DeliveryFailure) {
        try await send(to: reader, isRefusal: Self.isRefusal) { receiver in
            Self.request(to: receiver, carrying: try token(revocation, for: receiver))
        }
    }

    /// Whether a receiver's refusal is final (RFC 8935, 2.3; OpenID Connect Back-Channel Logout 1.0, 2.8): later events
    /// do not wait for it. A refusal that concerns the sender and not the token, such as an unknown key, is temporary
    /// (RFC 8935, 2.4).
    private static func isRefusal(_ answer: Answer) -> Bool {
        guard answer.status == 400 else { return [410, 413, 415, 422].contains(answer.status) }
        let members = (try? CanonicalJSON.value([String: JSONValue].self, from: Data(answer.body))) ?? [:]
        guard case .string(let error) = members["err"] else { return true }
        return !["invalid_key", "authentication_failed", "access_denied"].contains(error)
    }

    private func token(_ revocation: OutgoingRevocation, for receiver: EventReceiver) throws -> String {
        guard let signer else { throw DeliveryFailure("no signing key", isFinal: true) }
        let entry = revocation.entry
        let (subject, session) = (entry.subject.text, entry.sessionID?.text)
        var claims: [String: JSONValue]
        if receiver.kind == .logout {
            claims = Self.loggedOut(subject)
            claims["sid"] = session.map(JSONValue.string)
        } else {
            let person = Self.person(subject, of: signer)
            // Shared Signals Framework 1.0: a session is named beside its user.
            let whose = session.map { session -> JSONValue in
                let named: JSONValue = .object(["format": .string("opaque"), "id": .string(session)])
                return .object(["format": .string("complex"), "user": person, "session": named])
            }
            claims = Self.revoked(
                whose ?? person, at: entry.revokedAt, initiator: entry.reason.initiator, reason: entry.reason.sentence)
        }
        return try token(revocation.id, claims, for: receiver, by: signer)
    }
}

extension SessionEnding {
    /// The initiator as CAEP 1.0, 2 defines it. A deletion is reported here only without an erasure: an operator's.
    fileprivate var initiator: String {
        switch self {
        case .signedOut, .signedOutElsewhere, .endedFromList, .passwordChanged: "user"
        case .tokenReused: "policy"
        case .banned, .byAdministrator, .deleted: "admin"
        }
    }
}
