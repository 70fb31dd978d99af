// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Accounts: users with their identities and one of their sessions.
struct AccountStore: AuthorityStoreTables {
    let dialect: SQLDialect
    let queries: AuthorityQueries

    /// A user and one of their sessions, for a request that shows an access token.
    func find(_ user: UUID, session: UUID? = nil) -> StoreQuery<AccountRow?> {
        StoreQuery(SQLStatement(queries.account, [.uuid(user), session.map(SQLValue.uuid) ?? .null])) {
            try AccountRow($0)
        }
    }

    /// A session and its user, for a refresh.
    func find(ofSession session: UUID) -> StoreQuery<AccountRow?> {
        StoreQuery(SQLStatement(queries.accountOfSession, [.uuid(session)])) { try AccountRow($0) }
    }

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
    /// Notes the setting that `foundByKey` changes, until the transaction ends.
    static let noteScans = SQLStatement(
        "SELECT set_config('farewell.former_scans', current_setting('enable_seqscan'), true)")
    /// Restores it.
    static let scanAsNoted = SQLStatement(
        "SELECT set_config('enable_seqscan', current_setting('farewell.former_scans'), true)")

    /// Holds the user's row, uses a code up, and reads the account.
    func spending(_ token: [UInt8], of user: UUID, _ purpose: MailPurpose, now: Date) -> [SQLStatement] {
        [
            UserStore(dialect: dialect).hold(user, now: now),
            CodeStore(dialect: dialect).spend(token, of: user, purpose),
            find(user).statement,
        ]
    }

    /// The results of `spending`: the user; `nil` if another call has used the code up, or the user is gone.
    static func spender(in results: [SQLResult]) throws -> User? {
        guard results.count == 3 else { throw RowReader.unreadable }
        return results[1].affected > 0 ? try AccountRow(results[2])?.user : nil
    }
}
