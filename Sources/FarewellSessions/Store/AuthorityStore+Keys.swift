// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

extension AuthorityStore {
    /// Grows with every change of the keys.
    var keysVersion: SQLStatement { SQLStatement("SELECT version FROM \(keyVersion)") }

    /// The version, then the keys, in one look.
    var signingKeys: [SQLStatement] {
        [
            keysVersion,
            SQLStatement("SELECT id, algorithm, sealed_private_key, active_from FROM \(keys)"),
        ]
    }

    /// The results of `signingKeys`.
    static func signingKeys(in results: [SQLResult]) throws -> (version: Int64, keys: [SealedKey]) {
        guard results.count == 2 else { throw RowReader.unreadable }
        return (results[0].scalar?.integer ?? 0, try results[1].rows.map(SealedKey.init))
    }

    /// The public facts about the keys.
    var keyRecords: SQLStatement {
        SQLStatement("SELECT id, algorithm, created_at, active_from FROM \(keys)")
    }

    /// The result of `keyRecords`.
    static func keyRecords(in result: SQLResult) throws -> [StoredKey] { try result.rows.map(StoredKey.init) }

    /// Locks the keys against other transactions until this one ends. pg-safeupdate requires a condition.
    var lockKeys: SQLStatement { SQLStatement("UPDATE \(keyVersion) SET version = version + 1 WHERE true") }

    func insert(_ key: AccessTokenKey, sealed: [UInt8], activeFrom: Date, now: Date) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO \(keys) (id, algorithm, sealed_private_key, active_from, created_at) \
            VALUES ($1, $2, $3, $4, $5)
            """,
            [
                .text(key.thumbprint), .text(key.algorithm), .bytes(sealed), .timestamp(activeFrom), .timestamp(now),
            ])
    }

    func removeKey(_ id: String) -> SQLStatement {
        SQLStatement("DELETE FROM \(keys) WHERE id = $1", [.text(id)])
    }

    /// Lets a key sign from an earlier moment on.
    func advanceKey(_ id: String, to now: Date) -> SQLStatement {
        SQLStatement(
            "UPDATE \(keys) SET active_from = $2 WHERE id = $1 AND active_from > $2", [.text(id), .timestamp(now)])
    }
}
