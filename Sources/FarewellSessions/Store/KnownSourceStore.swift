// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// The sources from which users have signed in.
struct KnownSourceStore: AuthorityStoreTables {
    let dialect: SQLDialect

    /// Seconds for which a source is known after the last sign-in from it.
    static let life: TimeInterval = 180 * 86_400

    /// Notes that a user signed in from a source.
    func remember(_ source: SourceHashes, of user: UUID, now: Date) -> [SQLStatement] {
        var statements: [SQLStatement] = []
        let trusted = source.trusted
        if !trusted.isEmpty {
            let rows = trusted.indices.map { "($1, $\($0 + 3), $2)" }.joined(separator: ", ")
            statements.append(
                SQLStatement(
                    """
                    INSERT INTO \(knownSources) (user_id, source_hash, used_at) VALUES \(rows) \
                    ON CONFLICT (user_id, source_hash) DO UPDATE SET used_at = excluded.used_at
                    """, [.uuid(user), .timestamp(now)] + trusted.map { .bytes($0) }))
        }
        if let fresh = source.freshDevice {
            let device = source.device ?? fresh
            statements += [
                SQLStatement(
                    "UPDATE \(knownSources) SET used_at = $2 WHERE user_id = $1 AND source_hash = $3",
                    [.uuid(user), .timestamp(now), .bytes(device)]),
                SQLStatement(
                    """
                    INSERT INTO \(knownSources) (user_id, source_hash, used_at) SELECT u.id, $3, $2 \
                    FROM \(users) AS u WHERE u.id = $1 AND NOT EXISTS \
                    (SELECT 1 FROM \(knownSources) AS k WHERE k.user_id = $1 AND k.source_hash = $4)
                    """, [.uuid(user), .timestamp(now), .bytes(fresh), .bytes(device)]),
            ]
        }
        return statements
    }

    /// Whether an account knows a source.
    func isKnown(_ source: [UInt8], to user: UUID) -> StoreQuery<Bool> {
        finds(
            SQLStatement(
                "SELECT count(*) FROM \(knownSources) WHERE user_id = $1 AND source_hash = $2",
                [.uuid(user), .bytes(source)]))
    }

    /// After a change of password, sources that knew the former one are no longer trusted.
    func forget(of user: UUID) -> SQLStatement {
        SQLStatement("DELETE FROM \(knownSources) WHERE user_id = $1", [.uuid(user)])
    }

    func prune(before: Date) -> SQLStatement {
        SQLStatement("DELETE FROM \(knownSources) WHERE used_at < $1", [.timestamp(before)])
    }
}
