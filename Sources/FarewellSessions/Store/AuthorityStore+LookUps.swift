// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// A user and one of their sessions, as an access token names them.
struct SessionLookUp: Sendable {
    let user: UUID
    let session: UUID?
}

extension AuthorityStore {
    /// Looks accounts up; on PostgreSQL in one statement, however many they are.
    func lookUp(_ wanted: [SessionLookUp]) -> [SQLStatement] {
        let sessions = wanted.map { $0.session.map(SQLValue.uuid) ?? .null }
        guard dialect.hasArrays else {
            return zip(wanted, sessions).map { SQLStatement(queries.account, [.uuid($0.user), $1]) }
        }
        let lists = [SQLValue.array(wanted.map { .uuid($0.user) }), .array(sessions)]
        return [Self.foundByKey, SQLStatement(queries.accounts, lists)]
    }

    /// The results of `lookUp` for this many.
    func found(in results: [SQLResult], among count: Int) -> [AccountShare] {
        guard dialect.hasArrays else { return results.map { AccountShare(rows: $0.rows) } }
        return AccountShare.shares(of: results.last, among: count)
    }

    /// PostgreSQL: each session is looked up by its key. A plan made for a small table would otherwise still scan the
    /// whole table when it has grown.
    static let foundByKey = SQLStatement("SELECT set_config('enable_seqscan', 'off', true)")
}

/// The result for one account of several in one query.
struct AccountShare: Sendable {
    private(set) var rows: [[SQLValue]]

    /// - Parameter result: Rows that first name their entry of the list, counted from one.
    static func shares(of result: SQLResult?, among count: Int) -> [AccountShare] {
        var shares = [AccountShare](repeating: AccountShare(rows: []), count: count)
        for row in result?.rows ?? [] {
            guard let place = row.first?.integer, shares.indices.contains(Int(place) - 1) else { continue }
            shares[Int(place) - 1].rows.append(Array(row.dropFirst()))
        }
        return shares
    }

    /// The account; `nil` if there is none, or if a renewal is not allowed: the token is not the active one, or session
    /// or user may not continue.
    func account() throws -> AccountRow? { try AccountRow(rows) }
}
