// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

extension AuthorityStore {
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

    /// Affects no row if another identity of the same issuer has this name already.
    func insert(_ identity: UserIdentity) throws -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO \(identities) (id, user_id, provider, provider_id, identity_data, last_sign_in_at, \
            created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $7) ON CONFLICT DO NOTHING
            """,
            [
                .uuid(identity.id), .uuid(identity.userID), .text(identity.provider), .text(identity.providerID),
                try .document(identity.data), .optional(identity.lastSignInAt), .timestamp(identity.createdAt),
            ])
    }

    /// The data for a password sign-in: the user of an address, and the highest cost of imported hashes.
    func credentials(email: String, now: Date) -> [SQLStatement] {
        let address = AddressCondition("u.email", is: email, at: 1)
        let since = SQLValue.timestamp(Self.declined(since: now))
        return [
            SQLStatement(
                """
                SELECT u.id, u.encrypted_password, u.banned_until, u.email_confirmed_at, \
                (SELECT d.password_hash FROM \(declinedSignUps) AS d \
                WHERE d.user_id = u.id AND d.tried_at >= $\(address.values.count + 1)) FROM \(users) AS u \
                WHERE \(address.text) AND \(isNoSSO) AND u.deleted_at IS NULL\(address.one)
                """, address.values + [since]),
            highestImport,
        ]
    }

    /// The results of `credentials(email:now:)`: the user, if there is one, and the highest cost.
    static func credentials(in results: [SQLResult]) throws -> (found: StoredCredentials?, highestImport: Int?) {
        guard results.count == 2 else { throw RowReader.unreadable }
        return (try results[0].rows.first.map(StoredCredentials.init), importedCost(results[1]))
    }

    /// The highest cost of the imported bcrypt hashes that are still stored, as two digits; no row if there is none.
    /// Hashes above the limit are never checked, and cost nothing.
    var highestImport: SQLStatement {
        let cost = AuthorityTables.importedCost
        return SQLStatement(
            """
            SELECT \(cost) FROM \(users) WHERE \(AuthorityTables.isImported) \
            AND \(cost) <= '\(PasswordHash.bcryptCosts.upperBound)' ORDER BY \(cost) DESC LIMIT 1
            """)
    }

    /// The result of `highestImport`.
    static func importedCost(_ result: SQLResult?) -> Int? {
        result?.scalar?.text.flatMap(PasswordHash.bcryptCost(written:))
    }

    func passwordHash(of user: UUID) -> SQLStatement {
        SQLStatement("SELECT encrypted_password FROM \(users) WHERE id = $1", [.uuid(user)])
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

    /// A user by what a provider calls them.
    func user(provider: String, issuer: String, subject: String) -> SQLStatement {
        SQLStatement(
            "SELECT id, user_id FROM \(identities) WHERE provider_id = $1 AND provider = $2 AND issuer = $3",
            [.text(subject), .text(provider), .text(issuer)])
    }

    /// The result of `user(provider:issuer:subject:)`: the identity and its user; `nil` if there is none.
    static func owner(in result: SQLResult) throws -> (identity: UUID, user: UUID)? {
        guard let row = result.rows.first else { return nil }
        var reader = RowReader(row)
        return (try reader.requiredIdentifier(), try reader.requiredIdentifier())
    }

    func touch(identity: UUID, now: Date) -> SQLStatement {
        SQLStatement(
            "UPDATE \(identities) SET last_sign_in_at = $2, updated_at = $2 WHERE id = $1",
            [.uuid(identity), .timestamp(now)])
    }

    func isTaken(email: String) -> SQLStatement {
        let address = AddressCondition("email", is: email, at: 1)
        return SQLStatement("SELECT count(*) FROM \(users) WHERE \(address.text)", address.values)
    }

    /// The same, except for unused sign-ups.
    func isHeld(email: String) -> SQLStatement {
        let address = AddressCondition("u.email", is: email, at: 1)
        return SQLStatement(
            "SELECT count(*) FROM \(users) AS u WHERE \(address.text) AND NOT (\(isUnusedSignUp("u")))", address.values)
    }
}

/// A password hash that was found right, and what takes its place.
struct PasswordCheck: Sendable {
    let stored: String
    let replacement: String?
}
