// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// The refresh tokens of sessions: each is spent for its successor.
struct RefreshTokenStore: AuthorityStoreTables {
    let dialect: SQLDialect
    let queries: AuthorityQueries

    /// Spends active tokens, makes their successors the active ones, and returns the accounts afterwards: the one
    /// change that decides which call is first. All in one transaction; on PostgreSQL in one statement for any number.
    func renewal(of renewals: [SessionRenewal]) -> [SQLStatement] {
        guard dialect.hasArrays else {
            return renewals.flatMap {
                [SQLStatement(queries.renewal, $0.values), accounts.find(ofSession: $0.session).statement]
            }
        }
        let rows = renewals.map(\.values)
        let lists = (rows.first ?? []).indices.map { column in SQLValue.array(rows.map { $0[column] }) }
        return [AccountStore.foundByKey, SQLStatement(queries.renewal, lists)]
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

    private var accounts: AccountStore { AccountStore(dialect: dialect, queries: queries) }

    private var opening: [SQLStatement] { dialect.takesSeveralWriters ? Self.opening : [] }
    private static let opening = [boundWaiting]

    /// PostgreSQL: this transaction waits for a locked row 20 ms, and then fails.
    private static let boundWaiting = SQLStatement("SELECT set_config('lock_timeout', '20ms', true)")
}
