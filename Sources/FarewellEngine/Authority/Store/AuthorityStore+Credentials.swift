// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

extension AuthorityStore {
    func keep(_ sealed: [UInt8], of user: UUID, provider: String, clientID: String, now: Date) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO \(credentials) (user_id, provider, sealed_refresh_token, client_id, updated_at) \
            VALUES ($1, $2, $3, $4, $5) ON CONFLICT (user_id, provider) DO UPDATE SET \
            sealed_refresh_token = excluded.sealed_refresh_token, client_id = excluded.client_id, \
            updated_at = excluded.updated_at
            """, [.uuid(user), .text(provider), .bytes(sealed), .text(clientID), .timestamp(now)])
    }

    func credential(of user: UUID, provider: String) -> SQLStatement {
        SQLStatement(
            "SELECT sealed_refresh_token, client_id FROM \(credentials) WHERE user_id = $1 AND provider = $2",
            [.uuid(user), .text(provider)])
    }
}

// MARK: Codes

extension AuthorityStore {
    /// Keeps a code's hash, unless one was sent within the last minute; then no row is affected.
    func keep(code hash: String, of user: UUID, now: Date) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(users) SET reauthentication_token = $2, reauthentication_sent_at = $3, \
            reauthentication_attempts = 0 WHERE id = $1 \
            AND (reauthentication_sent_at IS NULL OR reauthentication_sent_at <= $4)
            """, [.uuid(user), .text(hash), .timestamp(now), .timestamp(now.addingTimeInterval(-60))])
    }

    /// Counts an attempt and answers the code's hash, while there is a code, it is young, and attempts are left.
    func attemptCode(of user: UUID, now: Date) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(users) SET reauthentication_attempts = reauthentication_attempts + 1 WHERE id = $1 \
            AND reauthentication_token <> '' AND reauthentication_sent_at > $2 AND reauthentication_attempts < 5 \
            RETURNING reauthentication_token
            """, [.uuid(user), .timestamp(now.addingTimeInterval(-600))])
    }

    /// Uses a code up; affects no row when somebody else has.
    func spend(code hash: String, of user: UUID) -> SQLStatement {
        SQLStatement(
            "UPDATE \(users) SET reauthentication_token = '' WHERE id = $1 AND reauthentication_token = $2",
            [.uuid(user), .text(hash)])
    }
}
