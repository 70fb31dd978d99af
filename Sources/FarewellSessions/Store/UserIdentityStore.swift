// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// The users' identifiers at identity providers, and at the e-mail provider.
struct UserIdentityStore: AuthorityStoreTables {
    let dialect: SQLDialect

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

    /// Updates a user's identity at a provider; affects no row if there is none.
    func update(_ identity: UserIdentity, now: Date) throws -> SQLStatement {
        SQLStatement(
            "UPDATE \(identities) SET identity_data = $3, updated_at = $4 WHERE user_id = $1 AND provider = $2",
            [.uuid(identity.userID), .text(identity.provider), try .document(identity.data), .timestamp(now)])
    }

    /// The identity and its user by what a provider calls them; `nil` if there is none.
    func find(
        provider: String, issuer: String, subject: String
    ) -> StoreQuery<(identity: UUID, user: UUID)?> {
        StoreQuery(
            SQLStatement(
                "SELECT id, user_id FROM \(identities) WHERE provider_id = $1 AND provider = $2 AND issuer = $3",
                [.text(subject), .text(provider), .text(issuer)])
        ) { result in
            guard let row = result.rows.first else { return nil }
            var reader = RowReader(row)
            return (identity: try reader.requiredIdentifier(), user: try reader.requiredIdentifier())
        }
    }

    /// Notes a sign-in.
    func touch(_ identity: UUID, now: Date) -> SQLStatement {
        SQLStatement(
            "UPDATE \(identities) SET last_sign_in_at = $2, updated_at = $2 WHERE id = $1",
            [.uuid(identity), .timestamp(now)])
    }

    /// The user with this name at a provider.
    func user(at provider: String, named name: String) -> StoreQuery<UUID?> {
        StoreQuery(
            SQLStatement(
                "SELECT user_id FROM \(identities) WHERE provider = $1 AND provider_id = $2 ORDER BY user_id LIMIT 1",
                [.text(provider), .text(name)])
        ) { $0.scalar?.identifier }
    }
}
