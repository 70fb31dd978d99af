// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

extension AuthorityStore {
    /// Banned users keep the reason why their sessions ended, because their devices show it.
    func pruneRevocations(before: Date, now: Date) -> SQLStatement {
        let isBanned = "SELECT 1 FROM \(users) AS u WHERE u.id = subject AND u.banned_until > $2"
        let isKept = "reason = $3 AND session_id IS NOT NULL AND EXISTS (\(isBanned))"
        return few(
            of: revocations, key: "id", where: "revoked_at < $1 AND NOT (\(isKept))",
            [.timestamp(before), .timestamp(now), .text(SessionEnding.banned.rawValue)])
    }

    func pruneSessions(now: Date, idleSince: Date?) -> SQLStatement {
        few(
            of: sessions, key: "id", where: "not_after <= $1\(idleSince == nil ? "" : " OR refreshed_at <= $2")",
            [.timestamp(now)] + (idleSince.map { [.timestamp($0)] } ?? []))
    }

    func pruneAttempts(before: Date) -> SQLStatement {
        few(of: attempts, key: "account_hash", where: "began_at < $1", [.timestamp(before)])
    }

    /// A thousand at a time, so that no other transaction waits for long.
    func few(of table: String, key: String, where condition: String, _ values: [SQLValue]) -> SQLStatement {
        SQLStatement(
            "DELETE FROM \(table) WHERE \(key) IN (SELECT \(key) FROM \(table) WHERE \(condition) LIMIT 1000)", values)
    }
}
