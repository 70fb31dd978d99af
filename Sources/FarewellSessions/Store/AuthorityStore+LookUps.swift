// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// A person and one of their sessions, as an access token names them.
struct SessionLookUp: Sendable {
    let user: UUID
    let session: UUID?
}

extension AuthorityStore {
    /// Looks accounts up; on PostgreSQL in one statement, however many they are.
    func lookUp(_ wanted: [SessionLookUp]) -> [SQLStatement] {
        let sessions = wanted.map { $0.session.map(SQLValue.uuid) ?? .null }
        guard dialect.hasArrays else {
            return zip(wanted, sessions).map { SQLStatement(asked.account, [.uuid($0.user), $1]) }
        }
        let lists = [SQLValue.array(wanted.map { .uuid($0.user) }), .array(sessions)]
        return [Self.foundByKey, SQLStatement(asked.accounts, lists)]
    }

    /// What `lookUp` found for each of so many.
    func found(in results: [SQLResult], among count: Int) -> [AccountShare] {
        guard dialect.hasArrays else { return results.map { AccountShare(rows: $0.rows) } }
        return AccountShare.shares(of: results.last, among: count)
    }

    /// PostgreSQL: each session is looked up by its key. What is planned while a table is small would else go through
    /// all of it when it has grown.
    static let foundByKey = SQLStatement("SELECT set_config('enable_seqscan', 'off', true)")
}

/// What was told of one account of several that were asked for together.
struct AccountShare: Sendable {
    private(set) var rows: [[SQLValue]]

    /// - Parameter result: Rows that tell first which of so many they are about, counted from one.
    static func shares(of result: SQLResult?, among count: Int) -> [AccountShare] {
        var shares = [AccountShare](repeating: AccountShare(rows: []), count: count)
        for row in result?.rows ?? [] {
            guard let place = row.first?.integer, shares.indices.contains(Int(place) - 1) else { continue }
            shares[Int(place) - 1].rows.append(Array(row.dropFirst()))
        }
        return shares
    }

    /// The account; `nil` where there is none, or where it was to be renewed and may not be: the token is not the
    /// active one, or session or person may not go on.
    func account() throws -> AccountRow? { try AccountRow(rows) }
}
