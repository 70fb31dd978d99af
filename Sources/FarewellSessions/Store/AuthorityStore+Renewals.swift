// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// A session whose active token is to be spent for its successor.
struct SessionRenewal: Sendable {
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

    fileprivate var values: [SQLValue] {
        [
            .uuid(session), .bytes(token.hash), .timestamp(now), .bytes(successor.hash), .integer(successor.counter),
            .optional(nonce), .optional(device.name), .optional(device.platform), .optional(device.appVersion),
            .optional(device.userAgent), .optional(device.address), .optional(idleSince),
            .optional(isCertain ? now : nil),
        ]
    }
}

extension AuthorityStore {
    /// Spends active tokens, makes their successors the active ones, and returns the accounts afterwards: the one
    /// change that decides which call is first. All in one transaction; on PostgreSQL in one statement for any number.
    func renewal(of renewals: [SessionRenewal]) -> [SQLStatement] {
        guard dialect.hasArrays else {
            return renewals.flatMap { [SQLStatement(queries.renewal, $0.values), account(ofSession: $0.session)] }
        }
        let rows = renewals.map(\.values)
        let lists = (rows.first ?? []).indices.map { column in SQLValue.array(rows.map { $0[column] }) }
        return [Self.foundByKey, SQLStatement(queries.renewal, lists)]
    }

    /// The results of `renewal` for this many.
    func shares(of results: [SQLResult], among count: Int) -> [AccountShare] { shares(of: results[...], among: count) }

    private func shares(of results: ArraySlice<SQLResult>, among count: Int) -> [AccountShare] {
        guard dialect.hasArrays else {
            return (0..<count).map { place in
                let first = results.startIndex + place * 2
                return AccountShare(rows: results[first].affected == 1 ? results[first + 1].rows : [])
            }
        }
        return AccountShare.shares(of: results.last, among: count)
    }

    /// The same for renewals of several callers: only a caller whose row is locked waits, with a renewal of its own.
    func jointRenewal(of renewals: [SessionRenewal]) -> [SQLStatement] { opening + renewal(of: renewals) }

    /// The results of `jointRenewal` for this many.
    func shares(ofJoint results: [SQLResult], among count: Int) -> [AccountShare] {
        shares(of: results.dropFirst(opening.count), among: count)
    }

    private var opening: [SQLStatement] { dialect.takesSeveralWriters ? Self.opening : [] }
    private static let opening = [boundWaiting]

    /// PostgreSQL: this transaction waits for a locked row 20 ms, and then fails.
    private static let boundWaiting = SQLStatement("SELECT set_config('lock_timeout', '20ms', true)")
}
