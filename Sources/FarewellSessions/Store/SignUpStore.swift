// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// Sign-ups with addresses to be confirmed: those that are unused, and those that an account declined.
struct SignUpStore: AuthorityStoreTables {
    let dialect: SQLDialect

    /// Removes the password of an unused sign-up, and the data given beside it. An account in use, or one that an
    /// operator made, loses nothing through a sign-up with its address.
    func disown(_ user: UUID, password: String) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(users) AS u SET encrypted_password = NULL, raw_user_meta_data = '{}' \
            WHERE u.id = $1 AND u.encrypted_password = $2 AND \(isUnusedSignUp("u"))
            """, [.uuid(user), .text(password)])
    }

    private static let emptied = "email = NULL, encrypted_password = NULL, raw_user_meta_data = '{}'"

    /// Takes an address from unused sign-ups other than `user`, and answers which they were.
    func displace(email: String, for user: UUID) -> StoreQuery<[UUID]> {
        let address = AddressCondition("u.email", is: email, at: 2)
        let statement = SQLStatement(
            """
            UPDATE \(users) AS u SET \(Self.emptied) WHERE \(address.text) AND u.id <> $1 \
            AND \(isUnusedSignUp("u")) RETURNING id
            """, [.uuid(user)] + address.values)
        return StoreQuery(statement, Self.identifiers)
    }

    /// The other data of an address that was taken from a sign-up.
    func forgetAddress(of user: UUID) -> [SQLStatement] {
        [SQLStatement("DELETE FROM \(identities) WHERE user_id = $1", [.uuid(user)])]
            + CodeStore(dialect: dialect).forget(of: user) + [MailStore(dialect: dialect).forget(of: user)]
    }

    /// Unused sign-ups that are older than `before`, and got no mail since. A hundred at a time.
    func expired(before: Date) -> StoreQuery<[UUID]> {
        let statement = SQLStatement(
            "SELECT u.id FROM \(users) AS u WHERE \(isExpired("u", at: 1)) ORDER BY u.signed_up_at LIMIT 100",
            [.timestamp(before)])
        return StoreQuery(statement, Self.identifiers)
    }

    /// Deletes one of them, if it is still one.
    func deleteExpired(_ user: UUID, before: Date) -> SQLStatement {
        SQLStatement(
            "DELETE FROM \(users) AS u WHERE u.id = $1 AND \(isExpired("u", at: 2))",
            [.uuid(user), .timestamp(before)])
    }

    /// Empties one that rows of the app refer to, and leaves it to the app.
    func emptyExpired(_ user: UUID, before: Date) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(users) AS u SET \(Self.emptied), signed_up_at = NULL \
            WHERE u.id = $1 AND \(isExpired("u", at: 2))
            """, [.uuid(user), .timestamp(before)])
    }

    /// Keeps the password of a sign-up with the address of an account, as long as an unused sign-up is kept. With
    /// another password than the one before, neither counts. Keeps nothing for an unused sign-up, which has its own
    /// password.
    func decline(_ user: UUID, password: String, now: Date) -> SQLStatement {
        // An account that is deleted at the same time has no row afterwards.
        SQLStatement(
            """
            INSERT INTO \(declinedSignUps) AS d (user_id, password_hash, tried_at) \
            SELECT u.id, $2, $3 FROM \(users) AS u \
            WHERE u.id = $1 AND NOT (\(isUnusedSignUp("u")))\(dialect.lockedByKey) \
            ON CONFLICT (user_id) DO UPDATE SET tried_at = excluded.tried_at, password_hash = CASE \
            WHEN d.tried_at < $4 OR d.password_hash = excluded.password_hash THEN excluded.password_hash ELSE '' END
            """, [.uuid(user), .text(password), .timestamp(now), .timestamp(Self.declined(since: now))])
    }

    /// Sign-ups before this time are forgotten, as unused ones are.
    static func declined(since now: Date) -> Date { now.addingTimeInterval(-86_400) }

    func forgetDeclined(of user: UUID) -> SQLStatement {
        SQLStatement("DELETE FROM \(declinedSignUps) WHERE user_id = $1", [.uuid(user)])
    }

    func pruneDeclined(before: Date) -> SQLStatement {
        SQLStatement(
            """
            DELETE FROM \(declinedSignUps) WHERE user_id IN \
            (SELECT user_id FROM \(declinedSignUps) WHERE tried_at < $1 LIMIT 1000)
            """, [.timestamp(before)])
    }

    private func isExpired(_ alias: String, at place: Int) -> String {
        let mails = ["confirmation_sent_at", "recovery_sent_at"].map { column in
            "(\(alias).\(column) IS NULL OR \(alias).\(column) < $\(place))"
        }
        return """
            \(alias).signed_up_at < $\(place) AND \(mails.joined(separator: " AND ")) AND \(isUnusedSignUp(alias))
            """
    }

    @Sendable private static func identifiers(_ result: SQLResult) -> [UUID] {
        result.rows.compactMap { $0.first?.identifier }
    }
}
