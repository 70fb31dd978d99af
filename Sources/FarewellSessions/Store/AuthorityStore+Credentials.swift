// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

extension AuthorityStore {
    func keep(_ sealed: [UInt8], of user: UUID, provider: String, clientID: String, now: Date) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO \(credentials) (user_id, provider, sealed_refresh_token, client, updated_at) \
            VALUES ($1, $2, $3, $4, $5) ON CONFLICT (user_id, provider) DO UPDATE SET \
            sealed_refresh_token = excluded.sealed_refresh_token, client = excluded.client, \
            updated_at = excluded.updated_at
            """, [.uuid(user), .text(provider), .bytes(sealed), .text(clientID), .timestamp(now)])
    }

    func credential(of user: UUID, provider: String) -> SQLStatement {
        SQLStatement(
            "SELECT sealed_refresh_token, client FROM \(credentials) WHERE user_id = $1 AND provider = $2",
            [.uuid(user), .text(provider)])
    }
}
