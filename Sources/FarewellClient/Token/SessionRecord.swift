// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The record in a token store: a session or the mark that there is none, numbered.
///
/// The number grows with every write, so that a decision based on an older record changes nothing. It is all that
/// remains after a sign-out.
struct SessionRecord: Sendable, Equatable {
    var generation: Int64
    var session: DeviceSession?
    /// A renewal that was begun; also one whose answer never came.
    var renewal: Renewal?
    /// Why there is no session, for the device's other processes.
    var ending: SignOutReason?
    /// How far the server's clock was ahead of the device's, in seconds, when the session was stored.
    var lead: TimeInterval?

    /// The name of a renewal, stored before the request: a repeated request under it gets the same answer from the
    /// server.
    struct Renewal: Sendable, Equatable, Codable {
        var nonce: String
        /// The time, by this device's clock, until which others wait for the asking process; `nil` if none is asking.
        var until: Date?
        /// The asking process: when it has ended, others no longer wait.
        var asker: Int32?
    }
}

extension SessionRecord {
    /// Bytes for a token store, which seals them.
    func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        return try encoder.encode(Form(self))
    }

    /// Reads what `encoded()` wrote.
    ///
    /// - Throws: `device.record-unreadable`.
    init(decoding data: Data) throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        guard let form = try? decoder.decode(Form.self, from: data), form.version == Form.version,
            form.generation < .max
        else {
            throw FarewellError(
                "device.record-unreadable", .ours, "This version cannot read the contents of the token store.",
                remedy: "Update the app, or sign in again.")
        }
        self = form.record
    }

    /// The one place where tokens become bytes.
    private struct Form: Codable {
        static let version = 1
        var version = Form.version
        let generation: Int64
        var session: Kept?
        var renewal: Renewal?
        var ending: String?
        var lead: TimeInterval?

        struct Kept: Codable {
            let id, userID: String
            let email, appleUserID: String?
            var providers: [String]?
            let access, refresh: String
            let ticket: String?
            let expiresAt: Date
            let lifetime: TimeInterval
        }

        init(_ record: SessionRecord) {
            generation = record.generation
            renewal = record.renewal
            ending = record.ending?.rawValue
            lead = record.lead
            session = record.session.map { session in
                Kept(
                    id: session.id, userID: session.user.id, email: session.user.email,
                    appleUserID: session.user.appleUserID, providers: session.user.providers,
                    access: session.accessToken.reveal { $0 },
                    refresh: session.refreshToken.reveal { $0 }, ticket: session.signOutTicket?.reveal { $0 },
                    expiresAt: session.expiresAt, lifetime: session.lifetime)
            }
        }

        var record: SessionRecord {
            SessionRecord(
                generation: generation,
                session: session.map { kept in
                    DeviceSession(
                        id: kept.id,
                        user: DeviceUser(
                            id: kept.userID, email: kept.email, appleUserID: kept.appleUserID, providers: kept.providers
                        ),
                        accessToken: Token(kept.access), refreshToken: Token(kept.refresh),
                        signOutTicket: kept.ticket.map(Token.init), expiresAt: kept.expiresAt, lifetime: kept.lifetime)
                }, renewal: renewal, ending: ending.map(SignOutReason.init(rawValue:)), lead: lead)
        }
    }
}
