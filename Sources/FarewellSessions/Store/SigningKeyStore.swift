// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// The keys that sign access tokens, and the version that grows with each change of them.
struct SigningKeyStore: AuthorityStoreTables {
    let dialect: SQLDialect

    /// Grows with every change of the keys.
    var version: StoreQuery<Int64> {
        StoreQuery(SQLStatement("SELECT version FROM \(keyVersion)")) { $0.scalar?.integer ?? 0 }
    }

    /// The version, then the keys, in one look.
    var sealed: [SQLStatement] {
        [
            version.statement,
            SQLStatement("SELECT id, algorithm, sealed_private_key, active_from FROM \(keys)"),
        ]
    }

    /// The results of `sealed`.
    static func sealed(in results: [SQLResult]) throws -> (version: Int64, keys: [SealedKey]) {
        guard results.count == 2 else { throw RowReader.unreadable }
        return (results[0].scalar?.integer ?? 0, try results[1].rows.map(SealedKey.init))
    }

    /// The public facts about the keys.
    var records: StoreQuery<[StoredKey]> {
        StoreQuery(SQLStatement("SELECT id, algorithm, created_at, active_from FROM \(keys)")) {
            try $0.rows.map(StoredKey.init)
        }
    }

    /// Whether no key signs, nor has signed.
    var isEmpty: StoreQuery<Bool> {
        StoreQuery(SQLStatement("SELECT count(*) FROM \(keys)")) { $0.scalar?.integer == 0 }
    }

    /// Locks the keys against other transactions until this one ends. pg-safeupdate requires a condition.
    var lock: SQLStatement { SQLStatement("UPDATE \(keyVersion) SET version = version + 1 WHERE true") }

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

    func remove(_ id: String) -> SQLStatement {
        SQLStatement("DELETE FROM \(keys) WHERE id = $1", [.text(id)])
    }

    /// The removed keys that the state directory's file of stops could not take, in the order of their removal.
    var lateRemovals: StoreQuery<[Stop]> {
        StoreQuery(SQLStatement("SELECT late_removals FROM \(keyVersion)")) { result in
            (result.scalar?.text ?? "").split(separator: " ").compactMap { word -> Stop? in
                let parts = word.split(separator: "@")
                guard parts.count == 2, let seconds = Int64(parts[1]) else { return nil }
                return Stop.keyRemoved(String(parts[0]), at: Date(timeIntervalSince1970: Double(seconds)))
            }
        }
    }

    /// Records that the file lacks a removed key. A key's identifier is base64url.
    func recordLate(_ id: String, at now: Date) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(keyVersion) SET late_removals = coalesce(late_removals || ' ', '') || CAST($1 AS text) WHERE true
            """, [.text("\(id)@\(Int64(now.timeIntervalSince1970))")])
    }

    var forgetLate: SQLStatement { SQLStatement("UPDATE \(keyVersion) SET late_removals = NULL WHERE true") }

    /// Lets a key sign from an earlier moment on.
    func advance(_ id: String, to now: Date) -> SQLStatement {
        SQLStatement(
            "UPDATE \(keys) SET active_from = $2 WHERE id = $1 AND active_from > $2", [.text(id), .timestamp(now)])
    }
}
