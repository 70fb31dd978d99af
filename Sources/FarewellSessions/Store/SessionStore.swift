// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// The sessions of users.
struct SessionStore: AuthorityStoreTables {
    let dialect: SQLDialect

    /// A user's live sessions, newest first.
    func live(of user: UUID, now: Date, idleSince: Date?) -> StoreQuery<[Session]> {
        let statement = SQLStatement(
            """
            SELECT \(SessionRow.columns) FROM \(sessions) AS s WHERE s.user_id = $1 \
            AND (s.not_after IS NULL OR s.not_after > $2)\(idleSince == nil ? "" : " AND s.refreshed_at > $3") \
            ORDER BY s.created_at DESC, s.id
            """, [.uuid(user), .timestamp(now)] + (idleSince.map { [.timestamp($0)] } ?? []))
        return StoreQuery(statement) { result in
            try result.rows.compactMap { row in
                var reader = RowReader(row)
                return try SessionRow(&reader)?.session
            }
        }
    }

    func insert(_ session: Session, token: RefreshToken) throws -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO \(sessions) (id, user_id, created_at, updated_at, refreshed_at, last_seen_at, not_after, aal, \
            amr, device_name, platform, app_version, user_agent, ip, refresh_token_hash, refresh_token_counter) \
            VALUES ($1, $2, $3, $3, $3, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
            """,
            [
                .uuid(session.id), .uuid(session.userID), .timestamp(session.createdAt),
                .optional(session.notAfter), .text(session.assurance), try .document(session.methods),
                .optional(session.device.name), .optional(session.device.platform),
                .optional(session.device.appVersion), .optional(session.device.userAgent),
                .optional(session.device.address), .bytes(token.hash), .integer(token.counter),
            ])
    }

    /// Notes a sign of life, where the last one noted is older than `since`.
    func seen(_ session: UUID, now: Date, since: Date) -> SQLStatement {
        SQLStatement(
            "UPDATE \(sessions) SET last_seen_at = $2 WHERE id = $1 AND last_seen_at < $3",
            [.uuid(session), .timestamp(now), .timestamp(since)])
    }

    /// Deletes sessions and records each as revoked, all in one transaction. The number affected by the last
    /// statement is the number of sessions ended. `first` is the one session that ended for another reason than the
    /// others, and that reason.
    ///
    /// The end of a user's other sessions also ends the sign-ins that have begun: their authorization codes are
    /// forgotten.
    func end(
        _ selection: SessionSelection, reason: SessionEnding, now: Date, except first: (UUID, SessionEnding)? = nil
    ) -> [SQLStatement] {
        let (condition, chosen) = condition(selection)
        let count = chosen.count
        var why = "$\(count + 1)"
        var values: [SQLValue] = [.text(reason.rawValue), .timestamp(now)]
        if let first {
            why = "CASE WHEN id = $\(count + 3) THEN $\(count + 4) ELSE $\(count + 1) END"
            values += [.uuid(first.0), .text(first.1.rawValue)]
        }
        let insert = "INSERT INTO \(revocations) (session_id, subject, reason, revoked_at)"
        let entry = "SELECT id, user_id, \(why), $\(count + 2)"
        if dialect.changesInQueries {
            let gone = "WITH gone AS (DELETE FROM \(sessions) WHERE \(condition) RETURNING id, user_id)"
            return begunSignIns(selection) + [SQLStatement("\(gone) \(insert) \(entry) FROM gone", chosen + values)]
        }
        // No other write comes in between: SQLite has one writer.
        return begunSignIns(selection) + [
            SQLStatement("\(insert) \(entry) FROM \(sessions) WHERE \(condition)", chosen + values),
            SQLStatement("DELETE FROM \(sessions) WHERE \(condition)", chosen),
        ]
    }

    /// PostgreSQL: deletes all sessions of some users as `end` does, and says of each user that no token is valid any
    /// longer, as `RevocationStore.revokeAll` does: one statement of each kind, however many users they are. Rows are
    /// found by their indexes, whatever was known of the tables when the statements were planned.
    func endAll(of people: [UUID], reason: SessionEnding, now: Date) -> [SQLStatement] {
        let list = SQLValue.array(people.map(SQLValue.uuid))
        let values = [list, .text(reason.rawValue), .timestamp(now)]
        let insert = "INSERT INTO \(revocations) (session_id, subject, reason, revoked_at)"
        return [
            AccountStore.foundByKey,
            SQLStatement("DELETE FROM \(authorizationCodes) WHERE user_id = ANY($1::uuid[])", [list]),
            SQLStatement(
                """
                WITH gone AS (DELETE FROM \(sessions) WHERE user_id = ANY($1::uuid[]) RETURNING id, user_id) \
                \(insert) SELECT id, user_id, $2, $3 FROM gone
                """, values),
            SQLStatement(
                """
                \(insert) SELECT NULL, p.id, $2, $3 FROM unnest($1::uuid[]) AS p (id) \
                WHERE (SELECT count(*) FROM \(revocations) AS e WHERE e.subject = p.id AND e.session_id IS NULL \
                AND e.reason = $2 AND e.reason = '\(SessionEnding.deleted.rawValue)') = 0
                """, values),
        ]
    }

    /// Forgets authorization codes before the sessions are deleted: an exchange at the same time has ended before, or
    /// finds no code.
    private func begunSignIns(_ selection: SessionSelection) -> [SQLStatement] {
        let codes = AuthorizationCodeStore(dialect: dialect)
        return switch selection {
        case .one, .own: []
        case .all(let user), .others(_, let user): [codes.forget(of: user)]
        case .begun(let time, let user): [codes.forget(of: user, issuedUntil: time)]
        }
    }

    private func condition(_ selection: SessionSelection) -> (String, [SQLValue]) {
        switch selection {
        case .one(let id): ("id = $1", [.uuid(id)])
        case .own(let id, let user): ("id = $1 AND user_id = $2", [.uuid(id), .uuid(user)])
        case .all(let user): ("user_id = $1", [.uuid(user)])
        case .others(let id, let user): ("user_id = $1 AND id <> $2", [.uuid(user), .uuid(id)])
        case .begun(let time, let user): ("user_id = $1 AND created_at <= $2", [.uuid(user), .timestamp(time)])
        }
    }

    func prune(now: Date, idleSince: Date?) -> SQLStatement {
        few(
            of: sessions, key: "id", where: "not_after <= $1\(idleSince == nil ? "" : " OR refreshed_at <= $2")",
            [.timestamp(now)] + (idleSince.map { [.timestamp($0)] } ?? []))
    }
}
