// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// One entry of the feed as `GET /v1/revocations` writes it.
enum RevocationEvent {
    static let name = "message"
    /// The event that marks the end of all earlier revocations.
    static let current = "current"

    /// `{"issuer":…,"session_id":…|null,"subject":…|null,"revoked_at":…,"before":…|null}`; other members are passed
    /// over. An entry that names a session is about that session alone.
    static func tokens(_ data: String) -> RevokedTokens? {
        guard let entry = try? StrictJSON.value(Array(data.utf8), depth: 4),
            let issuer = entry["issuer"]?.string, issuer.isPlain(upTo: 1024), let revokedAt = date(entry["revoked_at"])
        else { return nil }
        if let session = entry["session_id"], session != .null {
            guard let id = session.string, id.isPlain(upTo: 255) else { return nil }
            return RevokedTokens(issuer: issuer, scope: .session(id), revokedAt: revokedAt)
        }
        guard let subject = entry["subject"]?.string, subject.isPlain(upTo: 255) else { return nil }
        guard let before = entry["before"], before != .null else {
            return RevokedTokens(issuer: issuer, scope: .subject(subject, before: nil), revokedAt: revokedAt)
        }
        return date(before).map {
            RevokedTokens(issuer: issuer, scope: .subject(subject, before: $0), revokedAt: revokedAt)
        }
    }

    /// Seconds since 1970, with or without a fraction.
    private static func date(_ value: JSONValue?) -> Date? {
        switch value {
        case .integer(let seconds): Date(timeIntervalSince1970: Double(seconds))
        case .number(let seconds): Date(timeIntervalSince1970: seconds)
        default: nil
        }
    }
}
