// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

extension AuthorityStore {
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

    /// Sets a password where another is stored; affects no row when that was changed meanwhile.
    func setPassword(_ hash: String, of user: UUID, instead former: String?) -> SQLStatement {
        guard let former else {
            return SQLStatement(
                "UPDATE \(users) SET encrypted_password = $2 WHERE id = $1 AND coalesce(encrypted_password, '') = ''",
                [.uuid(user), .text(hash)])
        }
        return SQLStatement(
            "UPDATE \(users) SET encrypted_password = $2 WHERE id = $1 AND encrypted_password = $3",
            [.uuid(user), .text(hash), .text(former)])
    }

    /// Removes the password of an unused sign-up, and the data given beside it. An account in use, or one that an
    /// operator made, loses nothing through a sign-up with its address.
    func disown(_ user: UUID, password: String) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(users) AS u SET encrypted_password = NULL, raw_user_meta_data = '{}' \
            WHERE u.id = $1 AND u.encrypted_password = $2 AND \(isUnusedSignUp("u"))
            """, [.uuid(user), .text(password)])
    }

    /// Affects no row if there is no password.
    func forgetPassword(of user: UUID) -> SQLStatement {
        SQLStatement(
            "UPDATE \(users) SET encrypted_password = NULL WHERE id = $1 AND coalesce(encrypted_password, '') <> ''",
            [.uuid(user)])
    }

    func setPassword(_ hash: String, of user: UUID) -> SQLStatement {
        SQLStatement("UPDATE \(users) SET encrypted_password = $2 WHERE id = $1", [.uuid(user), .text(hash)])
    }

    /// Updates a user's identity at a provider; affects no row if there is none.
    func update(_ identity: UserIdentity, now: Date) throws -> SQLStatement {
        SQLStatement(
            "UPDATE \(identities) SET identity_data = $3, updated_at = $4 WHERE user_id = $1 AND provider = $2",
            [.uuid(identity.userID), .text(identity.provider), try .document(identity.data), .timestamp(now)])
    }

    func isTaken(phone: String) -> SQLStatement {
        SQLStatement("SELECT count(*) FROM \(users) WHERE phone = $1", [.text(phone)])
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
        let noCredentials = SQLStatement("DELETE FROM \(credentials) WHERE user_id = $1", [.uuid(user.id)])
        let noMail = SQLStatement("DELETE FROM \(mail) WHERE user_id = $1", [.uuid(user.id)])
        let noDeclined = SQLStatement("DELETE FROM \(declinedSignUps) WHERE user_id = $1", [.uuid(user.id)])
        return [emptied] + nameless + [
            noCredentials, noMail, noDeclined, forgetCodes(of: user.id), forgetSources(of: user.id),
        ]
    }
}

// MARK: Pages

extension AuthorityStore {
    /// How many there are, then a page of them with their identities.
    func users(offset: Int, limit: Int, filter: String?, order: UserOrder) -> [SQLStatement] {
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

    /// The results of `users(offset:limit:filter:order:)`: the page, and how many users there are.
    static func users(in results: [SQLResult]) throws -> (users: [User], total: Int) {
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
