// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// The worker and the lease number of each erasure: taken, renewed, checked before every write, handed back.
struct LeaseStore: StoreTables {
    let dialect: SQLDialect
    let lease: Int

    /// The condition of the index of erasures under way, letter for letter.
    static let isUnderWay = "(state IN ('fenced', 'running', 'verifying')) IS TRUE"

    // MARK: Taking

    /// Claims due requests.
    ///
    /// - Parameters:
    ///   - claiming: The statement.
    ///   - leavesWaiting: PostgreSQL: whether the claim need not wait for the disk. After a loss of power the erasures
    ///     are as they were requested, and are claimed again.
    func claim(
        _ claiming: StoreQuery<[ErasureRecord]>, leavesWaiting: Bool, in database: any SQLDatabase
    ) async throws -> [ErasureRecord] {
        guard !dialect.takesSeveralWriters else {
            guard leavesWaiting else { return try await claiming.run(in: database) }
            let results = try await database.pipeline(ControlStore(self).leavingWaiting([claiming.statement]))
            return try results.dropLast().last.map(claiming.answer) ?? []
        }
        return try await database.transaction { connection in
            let records = try await claiming.run(on: connection)
            if !records.isEmpty { try await connection.run(noLongerReady(records.map(\.id))) }
            return records
        }
    }

    /// Claims due requests, the oldest first: closed to cancellation, under a first lease, with one attempt counted. A
    /// simultaneous claim of another worker skips them.
    ///
    /// - Parameters:
    ///   - plan: The fingerprint of this process's plan: erasures under a later one are left to others.
    ///   - endsGrace: Whether erasures whose grace period is over are claimed too.
    func claiming(limit: Int, owner: String, under plan: String, endsGrace: Bool) -> StoreQuery<[ErasureRecord]> {
        let states = endsGrace ? "e.state IN ('requested', 'grace')" : "e.state = 'requested'"
        let isReady = """
            r.ready_at <= \(fromNow("0")) AND \(states) \
            AND NOT EXISTS (SELECT 1 FROM \(holds) AS h WHERE h.erasure = e.id) \
            AND NOT \(isLater("e.plan_fingerprint", than: "$4"))
            """
        let free =
            "SELECT r.erasure FROM \(requestTable) AS r JOIN \(erasures) AS e ON e.id = r.erasure WHERE \(isReady)"
        let set = """
            SET state = 'fenced', epoch = epoch + 1, attempts = attempts + 1, owner = $2, \
            lease_until = \(fromNow("$3"))
            """
        let parameters: [SQLValue] = [
            .integer(Int64(limit)), .text(owner), .integer(Int64(lease)), .text(plan),
        ]
        if dialect.changesInQueries {
            // By lists of keys, because a join could be planned so that it reads every request there has ever been.
            return StoreQuery(
                SQLStatement(
                    """
                    WITH free AS (\(free) ORDER BY r.ready_at LIMIT $1 FOR UPDATE OF e, r SKIP LOCKED), \
                    taken AS (UPDATE \(requestTable) AS r SET ready_at = NULL \
                    WHERE r.erasure = ANY (ARRAY(SELECT f.erasure FROM free AS f))) \
                    UPDATE \(erasures) AS e \(set) WHERE e.id = ANY (ARRAY(SELECT f.erasure FROM free AS f)) \
                    RETURNING \(ErasureRecord.columns(of: "e"))
                    """, parameters), ErasureRecord.all)
        }
        return StoreQuery(
            SQLStatement(
                """
                UPDATE \(erasures) \(set) WHERE id IN (\(free) ORDER BY r.ready_at LIMIT $1) \
                RETURNING \(ErasureRecord.columns)
                """, parameters), ErasureRecord.all)
    }

    /// SQLite: the erasures that `claiming` has claimed are no longer ready. PostgreSQL's statement includes this.
    private func noLongerReady(_ ids: [UUID]) -> SQLStatement {
        SQLStatement("UPDATE \(requestTable) SET ready_at = NULL WHERE erasure \(isAmong("$1"))", [identifiers(ids)])
    }

    /// Abandoned erasures that may continue: not on hold, with their pause over, with this number of attempts, and not
    /// under a later plan than that of the fingerprint `plan`.
    func abandonedUnheld(
        limit: Int, under plan: String, attempts: ClosedRange<Int> = 0...Int(Int32.max)
    ) -> StoreQuery<[ErasureRecord]> {
        StoreQuery(
            SQLStatement(
                """
                SELECT \(ErasureRecord.columns) FROM \(erasures) WHERE \(Self.isUnderWay) \
                AND (lease_until IS NULL OR lease_until < \(fromNow("0"))) AND \(isNotHeld) \
                AND NOT EXISTS (SELECT 1 FROM \(requestTable) AS r WHERE r.erasure = \(erasures).id \
                AND r.ready_at > \(fromNow("0"))) AND attempts BETWEEN $2 AND $3 \
                AND NOT \(isLater("plan_fingerprint", than: "$4")) ORDER BY requested_at, id LIMIT $1
                """,
                [
                    .integer(Int64(limit)), .integer(Int64(attempts.lowerBound)), .integer(Int64(attempts.upperBound)),
                    .text(plan),
                ]),
            ErasureRecord.all)
    }

    /// The workers that hold anything now: `(owner)`.
    var owners: StoreQuery<[String]> {
        StoreQuery(
            SQLStatement(
                """
                SELECT DISTINCT owner FROM \(erasures) WHERE \(Self.isUnderWay) AND owner IS NOT NULL \
                AND lease_until >= \(fromNow("0"))
                """), { $0.rows.compactMap { $0.first?.text } })
    }

    /// Frees what a process held that is certainly dead: its leases need not run out. A transaction that it has left in
    /// the server ends first.
    func free(from owner: String) -> SQLStatement {
        let isHeld = unlocked("owner = $1 AND \(Self.isUnderWay)")
        return SQLStatement("UPDATE \(erasures) SET lease_until = NULL WHERE \(isHeld)", [.text(owner)])
    }

    /// The same condition without the erasures that another transaction locks. Mostly that is the transaction of their
    /// worker, which lives, however old its lease seems. SQLite has one writer at a time.
    private func unlocked(_ condition: String) -> String {
        guard dialect.takesSeveralWriters else { return condition }
        return """
            id = ANY (ARRAY(SELECT id FROM \(erasures) WHERE \(condition) FOR NO KEY UPDATE SKIP LOCKED))
            """
    }

    /// Live erasures that no worker holds any longer, oldest first: handed back, or with an expired lease.
    func abandoned(limit: Int) -> StoreQuery<[ErasureRecord]> {
        StoreQuery(
            SQLStatement(
                """
                SELECT \(ErasureRecord.columns) FROM \(erasures) WHERE \(Self.isUnderWay) \
                AND (lease_until IS NULL OR lease_until < \(fromNow("0"))) ORDER BY requested_at, id LIMIT $1
                """, [.integer(Int64(limit))]), ErasureRecord.all)
    }

    /// How an erasure that another transaction locks is taken over.
    enum Locked: Sendable {
        /// After its transaction has ended: a command reports the outcome.
        case awaited
        /// Not now: a worker has other erasures, and looks again.
        case skipped
    }

    /// Takes an erasure over: the next lease number, a new owner, one more attempt. If another worker was faster or the
    /// owner is still alive, nothing changes and no row is returned.
    ///
    /// - Parameters:
    ///   - plan: The fingerprint of this process's plan: an erasure under a later one is not taken.
    ///   - isForced: Whether the former owner is known to be dead, so that its lease need not run out.
    ///   - locked: A transaction of the owner may take longer than the lease, which it renews before it ends.
    func take(
        _ record: ErasureRecord, owner: String, under plan: String, isForced: Bool, locked: Locked
    ) -> StoreQuery<ErasureRecord?> {
        let isMeant = """
            id = $1 AND epoch = $2 AND \(isFree(isForced)) AND NOT \(isLater("plan_fingerprint", than: "$5"))
            """
        return StoreQuery(
            SQLStatement(
                """
                UPDATE \(erasures) SET epoch = epoch + 1, owner = $3, lease_until = \(fromNow("$4")), \
                attempts = attempts + 1 WHERE \(locked == .skipped ? unlocked(isMeant) : isMeant) \
                RETURNING \(ErasureRecord.columns)
                """,
                [
                    identifier(record.id), .integer(record.epoch), .text(owner), .integer(Int64(lease)), .text(plan),
                ]), ErasureRecord.first)
    }

    /// Whether `take` leaves an erasure to others only because it is under a later plan.
    func isLeft(_ record: ErasureRecord, under plan: String, isForced: Bool) -> StoreQuery<Bool> {
        StoreQuery(
            SQLStatement(
                """
                SELECT count(*) FROM \(erasures) WHERE id = $1 AND epoch = $2 AND \(isFree(isForced)) \
                AND \(isLater("plan_fingerprint", than: "$3"))
                """, [identifier(record.id), .integer(record.epoch), .text(plan)]),
            { $0.scalar?.integer ?? 0 > 0 })
    }

    private func isFree(_ isForced: Bool) -> String {
        let isOver = isForced ? "" : " AND (lease_until IS NULL OR lease_until < \(fromNow("0")))"
        return "state IN ('fenced', 'running', 'verifying')\(isOver) AND \(isNotHeld)"
    }

    // MARK: Giving back

    /// Lets an erasure rest after an external failure: no worker takes it before `seconds` have passed. Only if it was
    /// handed back, or is ours under the known lease number.
    ///
    /// - Parameter failures: How many failures that counts as.
    func rest(_ id: UUID, epoch: Int64, seconds: Double, failures: Int64 = 1) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(requestTable) SET failures = failures + $4, ready_at = \(fromNow("$3")) WHERE erasure = $1 \
            AND EXISTS (SELECT 1 FROM \(erasures) AS e WHERE e.id = $1 AND e.epoch = $2 AND e.owner IS NULL) \
            RETURNING failures
            """, [identifier(id), .integer(epoch), .double(seconds), .integer(failures)])
    }

    /// Ends the pause of an erasure that waits to be tried again, after the given number of seconds if there is one.
    func endPause(of id: UUID, after seconds: Double = 0) -> SQLStatement {
        let isWaiting = """
            erasure = $1 AND EXISTS (SELECT 1 FROM \(erasures) AS e WHERE e.id = $1 \
            AND e.state IN ('fenced', 'running', 'verifying')
            """
        guard seconds > 0 else {
            return SQLStatement(
                "UPDATE \(requestTable) SET ready_at = NULL WHERE \(isWaiting))", [identifier(id)])
        }
        return SQLStatement(
            "UPDATE \(requestTable) SET ready_at = \(fromNow("$2")) WHERE \(isWaiting) AND e.owner IS NULL)",
            [identifier(id), .double(seconds)])
    }

    /// Lets the pauses after failures begin again with the shortest one.
    func forgetFailures(of id: UUID) -> SQLStatement {
        SQLStatement("UPDATE \(requestTable) SET failures = 0 WHERE erasure = $1 AND failures > 0", [identifier(id)])
    }

    /// Parks an erasure that we hold under this lease number, or have handed back and no worker has taken over since.
    func park(
        _ id: UUID, epoch: Int64, cause: String, code: FarewellError.Code
    ) -> StoreQuery<Bool> {
        StoreQuery(
            SQLStatement(
                """
                UPDATE \(erasures) SET state = 'needs attention', cause = $3, cause_code = $4, owner = NULL, \
                lease_until = NULL WHERE id = $1 AND epoch = $2 AND state IN ('fenced', 'running', 'verifying')
                """, [identifier(id), .integer(epoch), .text(cause), .text(code.rawValue)]),
            { $0.affected == 1 })
    }

    func failures(of id: UUID) -> StoreQuery<Int> {
        StoreQuery(
            SQLStatement("SELECT failures FROM \(requestTable) WHERE erasure = $1", [identifier(id)]),
            { Int($0.scalar?.integer ?? 0) })
    }
}
