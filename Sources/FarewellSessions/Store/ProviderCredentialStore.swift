// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// Sealed refresh tokens of identity providers.
struct ProviderCredentialStore: AuthorityStoreTables {
    let dialect: SQLDialect

    func keep(_ sealed: [UInt8], of user: UUID, provider: String, clientID: String, now: Date) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO \(credentials) (user_id, provider, sealed_refresh_token, client, updated_at) \
            VALUES ($1, $2, $3, $4, $5) ON CONFLICT (user_id, provider) DO UPDATE SET \
            sealed_refresh_token = excluded.sealed_refresh_token, client = excluded.client, \
            updated_at = excluded.updated_at
            """, [.uuid(user), .text(provider), .bytes(sealed), .text(clientID), .timestamp(now)])
    }

    func find(of user: UUID, provider: String) -> StoreQuery<(sealed: [UInt8], clientID: String)?> {
        StoreQuery(
            SQLStatement(
                "SELECT sealed_refresh_token, client FROM \(credentials) WHERE user_id = $1 AND provider = $2",
                [.uuid(user), .text(provider)])
        ) { result in
            guard let row = result.rows.first else { return nil }
            var reader = RowReader(row)
            return (sealed: try reader.requiredBytes(), clientID: try reader.requiredText())
        }
    }

    func forget(of user: UUID) -> SQLStatement {
        SQLStatement("DELETE FROM \(credentials) WHERE user_id = $1", [.uuid(user)])
    }
}
