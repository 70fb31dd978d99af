// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// The hashes of passwords, and the values that the check of a password needs.
struct PasswordStore: AuthorityStoreTables {
    let dialect: SQLDialect

    /// The data for a password sign-in: the user of an address, and the highest cost of imported hashes.
    func credentials(email: String, now: Date) -> StoreQueries<(found: StoredCredentials?, highestImport: Int?)> {
        let address = AddressCondition("u.email", is: email, at: 1)
        let since = SQLValue.timestamp(SignUpStore.declined(since: now))
        let found = StoreQuery<StoredCredentials?>(
            SQLStatement(
                """
                SELECT u.id, u.encrypted_password, u.banned_until, u.email_confirmed_at, \
                (SELECT d.password_hash FROM \(declinedSignUps) AS d \
                WHERE d.user_id = u.id AND d.tried_at >= $\(address.values.count + 1)) FROM \(users) AS u \
                WHERE \(address.text) AND \(isNoSSO) AND u.deleted_at IS NULL\(address.one)
                """, address.values + [since])
        ) { result in
            try result.rows.first.map(StoredCredentials.init)
        }
        return StoreQueries(found, highestImport) { (found: $0, highestImport: $1) }
    }

    /// A user's hash, if there is one, and the highest cost of imported hashes.
    func stored(of user: UUID) -> StoreQueries<(hash: String?, highestImport: Int?)> {
        StoreQueries(hash(of: user), highestImport) { (hash: $0?.nonEmpty, highestImport: $1) }
    }

    /// The highest cost of the imported bcrypt hashes that are still stored; `nil` if there is none. Hashes above the
    /// limit are never checked, and cost nothing.
    private var highestImport: StoreQuery<Int?> {
        // Two digits.
        let cost = AuthorityTables.importedCost
        return StoreQuery(
            SQLStatement(
                """
                SELECT \(cost) FROM \(users) WHERE \(AuthorityTables.isImported) \
                AND \(cost) <= '\(PasswordHash.bcryptCosts.upperBound)' ORDER BY \(cost) DESC LIMIT 1
                """)
        ) { result in
            result.scalar?.text.flatMap(PasswordHash.bcryptCost(written:))
        }
    }

    func hash(of user: UUID) -> StoreQuery<String?> {
        StoreQuery(SQLStatement("SELECT encrypted_password FROM \(users) WHERE id = $1", [.uuid(user)])) {
            $0.scalar?.text
        }
    }

    /// Sets a password where another is stored; affects no row when that was changed meanwhile.
    func set(_ hash: String, of user: UUID, instead former: String?) -> SQLStatement {
        guard let former else {
            return SQLStatement(
                "UPDATE \(users) SET encrypted_password = $2 WHERE id = $1 AND coalesce(encrypted_password, '') = ''",
                [.uuid(user), .text(hash)])
        }
        return SQLStatement(
            "UPDATE \(users) SET encrypted_password = $2 WHERE id = $1 AND encrypted_password = $3",
            [.uuid(user), .text(hash), .text(former)])
    }

    func set(_ hash: String, of user: UUID) -> SQLStatement {
        SQLStatement("UPDATE \(users) SET encrypted_password = $2 WHERE id = $1", [.uuid(user), .text(hash)])
    }

    /// Affects no row if there is no password.
    func forget(of user: UUID) -> SQLStatement {
        SQLStatement(
            "UPDATE \(users) SET encrypted_password = NULL WHERE id = $1 AND coalesce(encrypted_password, '') <> ''",
            [.uuid(user)])
    }
}
