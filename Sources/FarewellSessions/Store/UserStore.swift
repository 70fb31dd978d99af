// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// The rows of users, without their passwords.
struct UserStore: AuthorityStoreTables {
    let dialect: SQLDialect

    /// Affects no row when the identifier, e-mail address or phone number is taken.
    ///
    /// - Parameter isSignUp: Whether the user signs up without an operator, with an address that is not confirmed yet.
    func insert(_ user: User, passwordHash: String?, isSignUp: Bool = false) throws -> SQLStatement {
        let row = "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, $12, $13, \(isSignUp ? "$11" : "NULL")"
        var values: [SQLValue] = [
            .uuid(user.id), .text(user.audience), .text(user.role), .optional(user.email), .optional(passwordHash),
            .optional(user.emailConfirmedAt), .optional(user.phone), .optional(user.phoneConfirmedAt),
            try .document(user.appMetadata), try .document(user.userMetadata), .timestamp(user.createdAt),
            .optional(user.bannedUntil), .bool(user.isAnonymous),
        ]
        var source = "VALUES (\(row))"
        let address = user.email.map { AddressCondition("email", is: $0, at: 14) }
        if let address, !address.isOne {
            // The index keeps others from one spelling only.
            let holders = "SELECT 1 FROM \(users) WHERE \(address.text) AND \(isNoSSO)"
            source = "SELECT \(row) WHERE NOT EXISTS (\(holders))"
            values += address.values
        }
        return SQLStatement(
            """
            INSERT INTO \(users) (id, aud, role, email, encrypted_password, email_confirmed_at, phone, \
            phone_confirmed_at, raw_app_meta_data, raw_user_meta_data, created_at, updated_at, banned_until, \
            is_anonymous, signed_up_at) \(source) ON CONFLICT DO NOTHING
            """, values)
    }

    /// Records a sign-in: affects no row if the user is banned or deleted, or if the checked password is no longer
    /// theirs. A simultaneous ban or change of password waits for this statement, or this statement waits for it.
    func recordSignIn(_ user: UUID, checked: PasswordCheck?, now: Date) -> SQLStatement {
        guard let checked else {
            return SQLStatement(
                """
                UPDATE \(users) AS u SET last_sign_in_at = $2, updated_at = $2 \
                WHERE u.id = $1 AND \(Self.maySignIn("u", now: "$2"))
                """, [.uuid(user), .timestamp(now)])
        }
        return SQLStatement(
            """
            UPDATE \(users) AS u SET last_sign_in_at = $2, updated_at = $2, encrypted_password = $4 \
            WHERE u.id = $1 AND \(Self.maySignIn("u", now: "$2")) AND u.encrypted_password = $3
            """, [.uuid(user), .timestamp(now), .text(checked.stored), .text(checked.replacement ?? checked.stored)])
    }

    /// Neither banned nor deleted, as a condition on a row of users.
    ///
    /// - Parameter now: How the time is called in the statement.
    static func maySignIn(_ alias: String, now: String) -> String {
        "\(alias).deleted_at IS NULL AND (\(alias).banned_until IS NULL OR \(alias).banned_until <= \(now))"
    }

    /// Whether a user has this address.
    func isTaken(email: String) -> StoreQuery<Bool> {
        let address = AddressCondition("email", is: email, at: 1)
        return finds(SQLStatement("SELECT count(*) FROM \(users) WHERE \(address.text)", address.values))
    }

    /// The same, except for unused sign-ups.
    func isHeld(email: String) -> StoreQuery<Bool> {
        let address = AddressCondition("u.email", is: email, at: 1)
        return finds(
            SQLStatement(
                "SELECT count(*) FROM \(users) AS u WHERE \(address.text) AND NOT (\(isUnusedSignUp("u")))",
                address.values))
    }

    /// Whether a user has this telephone number.
    func isTaken(phone: String) -> StoreQuery<Bool> {
        finds(SQLStatement("SELECT count(*) FROM \(users) WHERE phone = $1", [.text(phone)]))
    }

    /// Locks a user's row until the transaction ends.
    func hold(_ user: UUID, now: Date) -> SQLStatement {
        SQLStatement("UPDATE \(users) SET updated_at = $2 WHERE id = $1", [.uuid(user), .timestamp(now)])
    }

    /// Stores the changeable values of a user, except the password. A changed user is no unused sign-up.
    func save(_ user: User) throws -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(users) SET role = $2, email = $3, email_confirmed_at = $4, phone = $5, phone_confirmed_at = $6, \
            email_change = $7, email_change_sent_at = $8, raw_app_meta_data = $9, raw_user_meta_data = $10, \
            banned_until = $11, is_anonymous = $12, signed_up_at = NULL WHERE id = $1
            """,
            [
                .uuid(user.id), .text(user.role), .optional(user.email), .optional(user.emailConfirmedAt),
                .optional(user.phone), .optional(user.phoneConfirmedAt), .optional(user.newEmail),
                .optional(user.emailChangeSentAt), try .document(user.appMetadata), try .document(user.userMetadata),
                .optional(user.bannedUntil), .bool(user.isAnonymous),
            ])
    }

    /// Withdraws a user's change to an address that another user has by now.
    func withdrawTakenAddress(of user: UUID) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(users) AS u SET email_change = NULL WHERE u.id = $1 \
            AND EXISTS (SELECT 1 FROM \(users) AS o WHERE o.email = u.email_change AND o.id <> u.id)
            """, [.uuid(user)])
    }

    /// Withdraws changes of addresses that were requested before, and not confirmed since. A thousand at a time.
    func withdrawAddresses(before: Date) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(users) SET email_change = NULL WHERE id IN (SELECT id FROM \(users) WHERE email_change > '' \
            AND updated_at < $1 AND (email_change_sent_at IS NULL OR email_change_sent_at < $1) \
            AND deleted_at IS NULL LIMIT 1000)
            """, [.timestamp(before)])
    }

    /// The time of a mail in the user object, which does not have it for every purpose.
    func noteMail(_ purpose: MailPurpose, of user: UUID, now: Date) -> [SQLStatement] {
        let column: String? =
            switch purpose {
            case .signUp: "confirmation_sent_at"
            case .recovery: "recovery_sent_at"
            case .emailChange: "email_change_sent_at"
            case .reauthentication: "reauthentication_sent_at"
            case .emailChanged, .erasureRequested: nil
            }
        guard let column else { return [] }
        return [SQLStatement("UPDATE \(users) SET \(column) = $2 WHERE id = $1", [.uuid(user), .timestamp(now)])]
    }

    func delete(_ user: UUID) -> SQLStatement {
        SQLStatement("DELETE FROM \(users) WHERE id = $1", [.uuid(user)])
    }

    /// Empties a user's row and identities (contract, 1.11).
    func empty(_ user: User, now: Date, _ unreadable: (String, UUID) -> String) -> [SQLStatement] {
        func hidden(_ text: String?) -> SQLValue { .optional(text.map { unreadable($0, user.id) }) }
        let emptied = SQLStatement(
            """
            UPDATE \(users) SET email = $2, phone = $3, email_change = $4, phone_change = '', \
            encrypted_password = NULL, confirmation_token = '', recovery_token = '', email_change_token_new = '', \
            email_change_token_current = '', phone_change_token = '', reauthentication_token = '', \
            raw_user_meta_data = $5, raw_app_meta_data = $5, deleted_at = $6 WHERE id = $1
            """,
            [
                .uuid(user.id), hidden(user.email),
                .optional(user.phone.map { String(unreadable($0, user.id).prefix(15)) }),
                hidden(user.newEmail), .json("{}"), .timestamp(now),
            ])
        let nameless = user.identities.map { identity in
            SQLStatement(
                "UPDATE \(identities) SET provider_id = $2, identity_data = $3 WHERE id = $1",
                [.uuid(identity.id), .text(unreadable(identity.providerID, user.id)), .json("{}")])
        }
        return [emptied] + nameless + [
            ProviderCredentialStore(dialect: dialect).forget(of: user.id),
            MailStore(dialect: dialect).forget(of: user.id), SignUpStore(dialect: dialect).forgetDeclined(of: user.id),
            KnownSourceStore(dialect: dialect).forget(of: user.id),
        ] + CodeStore(dialect: dialect).forget(of: user.id)
    }

    /// How many there are, then a page of them with their identities.
    func page(offset: Int, limit: Int, filter: String?, order: UserOrder) -> [SQLStatement] {
        let name = dialect.member("full_name", of: "raw_user_meta_data")
        let fits = ["email LIKE $1", "email LIKE $2", "lower(\(name)) LIKE $2"].map { "\($0) ESCAPE '!'" }
        let condition = filter == nil ? "" : " WHERE (\(fits.joined(separator: " OR ")))"
        let direction = order == .newestFirst ? "DESC" : "ASC"
        var parameters: [SQLValue] = []
        if let wanted = filter?.lowercased() {
            let escaped = wanted.replacing("!", with: "!!").replacing("%", with: "!%").replacing("_", with: "!_")
            // Addresses as they are kept; names, and addresses that came along, as they were written.
            parameters = [.text("%\(escaped.precomposedStringWithCanonicalMapping)%"), .text("%\(escaped)%")]
        }
        let first = parameters.count
        return [
            SQLStatement("SELECT count(*) FROM \(users)\(condition)", parameters),
            SQLStatement(
                """
                SELECT \(AccountRow.userColumns), \(AccountRow.identityColumns) FROM \
                (SELECT * FROM \(users)\(condition) ORDER BY created_at \(direction), id \
                LIMIT $\(first + 1) OFFSET $\(first + 2)) AS u LEFT JOIN \(identities) AS i ON i.user_id = u.id \
                ORDER BY u.created_at \(direction), u.id, i.created_at, i.id
                """, parameters + [.integer(Int64(limit)), .integer(Int64(offset))]),
        ]
    }

    /// The results of `page(offset:limit:filter:order:)`: the page, and how many users there are.
    static func page(in results: [SQLResult]) throws -> (users: [User], total: Int) {
        guard results.count == 2 else { throw RowReader.unreadable }
        return (try results[1].users, Int(results[0].scalar?.integer ?? 0))
    }
}

extension SQLResult {
    /// Users with their identities, each user's rows one after the other.
    var users: [User] {
        get throws {
            var found: [User] = []
            for row in rows {
                var reader = RowReader(row)
                let user = try User(&reader)
                if found.last?.id != user.id { found.append(user) }
                if let identity = try UserIdentity(&reader, of: user.id) {
                    found[found.count - 1].identities.append(identity)
                }
            }
            return found
        }
    }
}
