// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// The plans that processes have loaded, in the order in which each was first loaded: no process carries out an erasure
/// that was accepted under a later plan than its own.
///
/// All plans of one source have one number. Those of which only receipts of an earlier release are known have none as
/// source.
struct PlanStore: StoreTables {
    let dialect: SQLDialect
    let lease: Int

    /// How long an erasure that no process takes has waited before the order of the plans counts as the cause, in
    /// seconds: a process with the later plan may be starting, or have a queue.
    static let longestQueue: Int64 = 60

    // MARK: Loading

    /// Enters a plan that is not known: behind all others, or beside the same one from another folder.
    func enter(_ plan: LoadedPlan, in database: any SQLDatabase) async throws {
        let statements = [
            SQLStatement(
                """
                INSERT INTO \(loadedPlans) (fingerprint, source, number, since) VALUES ($1, $2, \
                coalesce((SELECT max(p.number) FROM \(loadedPlans) AS p WHERE p.source = $2), \
                (SELECT coalesce(max(p.number), 0) + 1 FROM \(loadedPlans) AS p)), \(fromNow("0"))) \
                ON CONFLICT (fingerprint) DO UPDATE SET source = excluded.source
                """, [.text(plan.fingerprint), .text(plan.source)]), level(plan),
        ]
        _ = try await database.transaction { try await $0.pipeline(turn + statements) }
    }

    /// Makes a known plan the newest, because an operator says so.
    func renew(_ plan: LoadedPlan) -> [SQLStatement] {
        turn + [
            SQLStatement(
                """
                UPDATE \(loadedPlans) SET number = (SELECT max(p.number) + 1 FROM \(loadedPlans) AS p), \
                left_at = NULL WHERE source = $1 OR fingerprint = $2
                """, [.text(plan.source), .text(plan.fingerprint)]), level(plan),
        ]
    }

    /// PostgreSQL: one process after the other enters its plan. SQLite has one writer.
    private var turn: [SQLStatement] {
        guard dialect.takesSeveralWriters else { return [] }
        return [SQLStatement("SELECT pg_advisory_xact_lock(hashtext('farewell.loaded_plans'))")]
    }

    /// Gives all plans of one source the number of the latest of them.
    private func level(_ plan: LoadedPlan) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(loadedPlans) SET number = (SELECT max(p.number) FROM \(loadedPlans) AS p WHERE p.source = $1) \
            WHERE source = $1
            """, [.text(plan.source)])
    }

    // MARK: Looking

    /// A plan among the others.
    struct Place: Sendable, Hashable {
        /// Whether a later one was loaded.
        let isFollowed: Bool
        /// Whether processes with an earlier one have lately left erasures that no process takes.
        let isAwaited: Bool
    }

    /// The place of a plan; `nil` if it was never loaded.
    ///
    /// - Parameter isExact: Whether only the plan from the same folder counts, and not that of the same source.
    func place(of plan: LoadedPlan, isExact: Bool = false) -> StoreQuery<Place?> {
        let own = "source = $1 \(isExact ? "AND" : "OR") fingerprint = $2"
        return StoreQuery(
            SQLStatement(
                """
                SELECT o.number, (SELECT count(*) FROM \(loadedPlans) AS l WHERE l.number > o.number), \
                (SELECT count(*) FROM \(loadedPlans) AS l WHERE l.number < o.number AND l.left_at > \(fromNow("$3"))) \
                FROM (SELECT max(number) AS number FROM \(loadedPlans) WHERE \(own)) AS o
                """, [.text(plan.source), .text(plan.fingerprint), .integer(-Self.longestQueue)]),
            { result in
                guard let row = result.rows.first, row.count == 3, row[0].integer != nil else { return nil }
                return Place(isFollowed: row[1].integer ?? 0 > 0, isAwaited: row[2].integer ?? 0 > 0)
            })
    }

    /// Erasures under a later plan that no process takes, oldest first: ready, abandoned, or parked because a plan did
    /// not fit.
    func left(by plan: LoadedPlan, limit: Int) -> StoreQuery<[UUID]> {
        let begun = "e.state IN ('fenced', 'running', 'verifying')"
        return StoreQuery(
            SQLStatement(
                """
                SELECT e.id FROM \(erasures) AS e LEFT JOIN \(requestTable) AS r ON r.erasure = e.id \
                WHERE e.state NOT IN ('done', 'cancelled') AND \(isAfter(plan: "e.plan_fingerprint")) \
                AND NOT EXISTS (SELECT 1 FROM \(holds) AS h WHERE h.erasure = e.id) \
                AND (e.state IN ('requested', 'grace') AND r.ready_at < \(fromNow("$3")) \
                OR \(begun) AND e.lease_until < \(fromNow("$3")) \
                OR \(begun) AND e.lease_until IS NULL AND (r.ready_at IS NULL OR r.ready_at < \(fromNow("$3"))) \
                OR e.state = 'needs attention' AND (e.cause_code LIKE 'plan.%' OR e.cause_code IN ($4, $5))) \
                ORDER BY e.requested_at, e.id LIMIT $6
                """,
                [
                    .text(plan.source), .text(plan.fingerprint), .integer(-Self.longestQueue),
                    .text(GuardFailure.schemaChanged.code.rawValue), .text(GuardFailure.planChanged.code.rawValue),
                    .integer(Int64(limit)),
                ]), { $0.rows.compactMap { $0.first?.identifier } })
    }

    /// The number of second looks at erasures under a later plan that no process takes.
    func countLeftLooks(by plan: LoadedPlan) -> StoreQuery<Int> {
        StoreQuery(
            SQLStatement(
                """
                SELECT count(*) FROM \(keepsakes) AS k JOIN \(erasures) AS e ON e.id = k.erasure \
                WHERE e.state = 'done' AND k.look_at < \(fromNow("$3")) AND \(isAfter(plan: "e.plan_fingerprint"))
                """, [.text(plan.source), .text(plan.fingerprint), .integer(-Self.longestQueue)]),
            { Int($0.scalar?.integer ?? 0) })
    }

    /// Tells the processes with a later plan that this one leaves erasures to them, or no longer does.
    func note(_ standing: PlanStanding, of plan: LoadedPlan) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(loadedPlans) SET left_at = \(standing == .outdated ? fromNow("0") : "NULL") \
            WHERE fingerprint = $1
            """, [.text(plan.fingerprint)])
    }

    /// Whether the plan of one fingerprint was loaded later than that of another; not if one of them is unknown.
    func wasLoadedLater(_ fingerprint: String, than own: String) -> StoreQuery<Bool> {
        StoreQuery(
            SQLStatement(
                """
                SELECT count(*) FROM \(loadedPlans) AS l JOIN \(loadedPlans) AS o ON l.number > o.number \
                WHERE l.fingerprint = $1 AND o.fingerprint = $2
                """, [.text(fingerprint), .text(own)]), { $0.scalar?.integer ?? 0 > 0 })
    }

    /// That a fingerprint is one of a later plan than the one whose source and fingerprint are `$1` and `$2`.
    private func isAfter(plan: String) -> String {
        """
        (SELECT l.number FROM \(loadedPlans) AS l WHERE l.fingerprint = \(plan)) > \
        (SELECT max(o.number) FROM \(loadedPlans) AS o WHERE o.source = $1 OR o.fingerprint = $2)
        """
    }
}

extension PlanStore {
    /// The standing of a plan, for a process that has loaded it, or that only looks.
    ///
    /// - Parameter place: The plan's place; `nil` if it was never loaded.
    func standing(
        of plan: LoadedPlan, at place: Place?, on connection: any SQLConnection
    ) async throws -> PlanStanding {
        guard let place else { return .newest }
        guard place.isFollowed else { return place.isAwaited ? .unserved : .newest }
        if try await !left(by: plan, limit: 1).run(on: connection).isEmpty { return .outdated }
        return try await countLeftLooks(by: plan).run(on: connection) > 0 ? .outdated : .superseded
    }
}
