// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// A session whose active token is to be spent for its successor. Renewals of one moment pass through several lists, in
/// which one object need not be copied.
final class SessionRenewal: Sendable {
    let token: RefreshToken
    let successor: RefreshToken
    /// The hash of what the client made for this renewal.
    let nonce: [UInt8]?
    /// The changes since the sign-in.
    let device: SessionDevice
    let now: Date
    /// Since when the session may have been idle; `nil` for any length of time.
    let idleSince: Date?
    /// Whether `now` comes from a trusted clock; otherwise it never sets the session's times back.
    let isCertain: Bool

    init(
        token: RefreshToken, successor: RefreshToken, nonce: [UInt8]?, device: SessionDevice, now: Date,
        idleSince: Date?, isCertain: Bool
    ) {
        self.token = token
        self.successor = successor
        self.nonce = nonce
        self.device = device
        self.now = now
        self.idleSince = idleSince
        self.isCertain = isCertain
    }

    var session: UUID { token.session }

    /// The order in which every server locks sessions: that in which their identifiers are written.
    func isLockedBefore(_ other: SessionRenewal) -> Bool {
        withUnsafeBytes(of: session.uuid) { mine in
            withUnsafeBytes(of: other.session.uuid) { others in mine.lexicographicallyPrecedes(others) }
        }
    }

    /// The values of a renewal in a statement, in this order, with PostgreSQL's types.
    static let values: [(name: String, type: String)] = [
        ("session", "uuid"), ("token", "bytea"), ("now", "timestamptz"), ("successor", "bytea"), ("counter", "bigint"),
        ("nonce", "bytea"), ("device_name", "text"), ("platform", "text"), ("app_version", "text"),
        ("user_agent", "text"), ("ip", "text"), ("idle_since", "timestamptz"),
        ("certain", "timestamptz"),
    ]

    var values: [SQLValue] {
        [
            .uuid(session), .bytes(token.hash), .timestamp(now), .bytes(successor.hash), .integer(successor.counter),
            .optional(nonce), .optional(device.name), .optional(device.platform), .optional(device.appVersion),
            .optional(device.userAgent), .optional(device.address), .optional(idleSince),
            .optional(isCertain ? now : nil),
        ]
    }
}
