// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

extension AuthorityStore {
    func pruneRevocations(before: Date) -> SQLStatement {
        few(of: revocations, key: "id", where: "revoked_at < $1", [.timestamp(before)])
    }

    func pruneSessions(now: Date, idleSince: Date?) -> SQLStatement {
        few(
            of: sessions, key: "id", where: "not_after <= $1\(idleSince == nil ? "" : " OR refreshed_at <= $2")",
            [.timestamp(now)] + (idleSince.map { [.timestamp($0)] } ?? []))
    }

    func pruneAttempts(before: Date) -> SQLStatement {
        few(of: attempts, key: "account_hash", where: "began_at < $1", [.timestamp(before)])
    }

    /// A thousand at a time, so that nobody waits for long.
    private func few(of table: String, key: String, where condition: String, _ values: [SQLValue]) -> SQLStatement {
        SQLStatement(
            "DELETE FROM \(table) WHERE \(key) IN (SELECT \(key) FROM \(table) WHERE \(condition) LIMIT 1000)", values)
    }
}
