// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// The sessions at the console.
struct ConsoleSessionStore: AuthorityStoreTables {
    let dialect: SQLDialect

    func insert(_ session: ConsoleSession, tokenHash: [UInt8], _ entry: ConsoleEntry) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO \(consoleSessions) (id, token_hash, who, role, origin, person_session, began_at, ends_at) \
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """,
            [
                .uuid(session.id), .bytes(tokenHash), .text(session.name), .text(session.role), .bytes(entry.origin),
                entry.session.map(SQLValue.uuid) ?? .null, .timestamp(session.beganAt), .timestamp(session.endsAt),
            ])
    }

    /// The living session of a cookie.
    func find(tokenHash: [UInt8], now: Date) -> SQLStatement {
        SQLStatement("\(living) AND token_hash = $2", [.timestamp(now), .bytes(tokenHash)])
    }

    /// All living sessions, oldest first.
    func all(now: Date) -> SQLStatement {
        SQLStatement("\(living) ORDER BY began_at, id", [.timestamp(now)])
    }

    /// The results of a look at living sessions and, after it, of `SigningKeyStore.version`: each session with the hash
    /// of the key or provider that opened it.
    static func found(
        in results: [SQLResult]
    ) throws -> (found: [(session: ConsoleSession, origin: [UInt8])], keysVersion: Int64) {
        guard results.count == 2 else { throw RowReader.unreadable }
        let found = try results[0].rows.map { row in
            var reader = RowReader(row)
            let id = try reader.requiredIdentifier()
            let (name, role) = (try reader.requiredText(), try reader.requiredText())
            let origin = try reader.requiredBytes()
            let session = ConsoleSession(
                id: id, name: name, role: role, beganAt: try reader.requiredDate(), endsAt: try reader.requiredDate())
            return (session: session, origin: origin)
        }
        return (found, results[1].scalar?.integer ?? 0)
    }

    /// A session whose token belongs to a session of a user ends with that.
    private var living: String {
        """
        SELECT id, who, role, origin, began_at, ends_at FROM \(consoleSessions) WHERE ends_at > $1 \
        AND (person_session IS NULL OR EXISTS (SELECT 1 FROM \(sessions) AS s WHERE s.id = person_session))
        """
    }

    func end(_ id: UUID) -> SQLStatement {
        SQLStatement("DELETE FROM \(consoleSessions) WHERE id = $1", [.uuid(id)])
    }

    /// Ends the console sessions that a user opened with tokens of their own sessions.
    func end(of user: UUID) -> SQLStatement {
        SQLStatement(
            """
            DELETE FROM \(consoleSessions) \
            WHERE person_session IN (SELECT s.id FROM \(sessions) AS s WHERE s.user_id = $1)
            """, [.uuid(user)])
    }

    var endAll: SQLStatement { SQLStatement("DELETE FROM \(consoleSessions) WHERE true") }

    func prune(now: Date) -> SQLStatement {
        few(of: consoleSessions, key: "id", where: "ends_at <= $1", [.timestamp(now)])
    }
}
