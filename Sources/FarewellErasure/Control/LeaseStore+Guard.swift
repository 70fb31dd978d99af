// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// The checks that this worker still owns its erasures.
extension LeaseStore {
    /// Fails unless every one of the erasures is still ours: held by us under the known lease number, in the given
    /// state, and not on hold. Locks them until the transaction ends, so that no other worker takes one over in
    /// between; other programs may refer to them meanwhile, as a repeated request's ticket does.
    ///
    /// The statement raises an error instead of returning a count, so that a pipeline stops before the first delete
    /// without a further round trip.
    func guardLease(_ opened: [OpenedErasure], owner: String, state: ErasureState) -> SQLStatement {
        let parameters =
            leaseParameters(opened, owner: owner)
            + [.text(state.rawValue), .integer(Int64(opened.count))]
        if dialect.takesSeveralWriters {
            return SQLStatement(
                """
                SELECT CASE WHEN count(*) = $5 THEN 1 ELSE 1 / (count(*) - count(*)) END FROM \
                (SELECT 1 FROM \(erasures) WHERE \(isOurs(opened)) AND state = $4 ORDER BY id FOR NO KEY UPDATE) AS held
                """, parameters)
        }
        return SQLStatement(
            """
            SELECT CASE WHEN count(*) = $5 THEN 1 ELSE json('lease lost') END FROM \(erasures) \
            WHERE \(isOurs(opened)) AND state = $4
            """, parameters)
    }

    /// The same check; then moves the erasures to their next state with a new lease, which others see when the
    /// transaction ends.
    func guardLease(
        _ opened: [OpenedErasure], owner: String, state: ErasureState, next: ErasureState
    ) -> [SQLStatement] {
        guard dialect.changesInQueries else {
            return [guardLease(opened, owner: owner, state: state), move(opened.map(\.id), to: next)]
        }
        return [
            SQLStatement(
                """
                WITH held AS (UPDATE \(erasures) SET state = $6, lease_until = \(fromNow("$7")) \
                WHERE \(isOurs(opened)) AND state = $4 RETURNING 1) \
                SELECT CASE WHEN count(*) = $5 THEN 1 ELSE 1 / (count(*) - count(*)) END FROM held
                """,
                leaseParameters(opened, owner: owner) + [
                    .text(state.rawValue), .integer(Int64(opened.count)), .text(next.rawValue), .integer(Int64(lease)),
                ])
        ]
    }

    /// The number of erasures that are ours in the given state: the guard's condition, queried after it has failed.
    func countHeld(_ opened: [OpenedErasure], owner: String, state: ErasureState) -> StoreQuery<Int> {
        StoreQuery(
            SQLStatement(
                "SELECT count(*) FROM \(erasures) WHERE \(isOurs(opened)) AND state = $4",
                leaseParameters(opened, owner: owner) + [.text(state.rawValue)]), { Int($0.scalar?.integer ?? 0) })
    }

    /// The number of erasures that we hold, in any state; it waits for no lock.
    func countHeld(_ opened: [OpenedErasure], owner: String) -> StoreQuery<Int> {
        StoreQuery(
            SQLStatement(
                "SELECT count(*) FROM \(erasures) WHERE \(isHeld(opened))", leaseParameters(opened, owner: owner)),
            { Int($0.scalar?.integer ?? 0) })
    }

    func move(_ ids: [UUID], to state: ErasureState) -> SQLStatement {
        SQLStatement(
            "UPDATE \(erasures) SET state = $2, lease_until = \(fromNow("$3")) WHERE id \(isAmong("$1"))",
            [identifiers(ids), .text(state.rawValue), .integer(Int64(lease))])
    }

    /// Moves erasures whose steps are all done to `verifying`. The number of affected rows is that of erasures still
    /// owned.
    func verify(_ opened: [OpenedErasure], owner: String) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(erasures) SET state = 'verifying', lease_until = \(fromNow("$4")) \
            WHERE \(isOurs(opened)) AND state IN ('running', 'verifying')
            """, leaseParameters(opened, owner: owner) + [.integer(Int64(lease))])
    }

    func renew(_ opened: [OpenedErasure], owner: String) -> SQLStatement {
        SQLStatement(
            "UPDATE \(erasures) SET lease_until = \(fromNow("$4")) WHERE \(isHeld(opened))",
            leaseParameters(opened, owner: owner) + [.integer(Int64(lease))])
    }

    /// Hands erasures back, so that any worker may take them at once. The attempt does not count, because it was no
    /// crash.
    func handBack(_ opened: [OpenedErasure], owner: String) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(erasures) SET owner = NULL, lease_until = NULL, \
            attempts = CASE WHEN attempts > 0 THEN attempts - 1 ELSE 0 END WHERE \(isHeld(opened))
            """, leaseParameters(opened, owner: owner))
    }

    /// Held by us, and not on hold: a hold that was placed at the moment of the claim did not see the lease that it
    /// must end.
    private func isOurs(_ opened: [OpenedErasure]) -> String { "\(isHeld(opened)) AND \(isNotHeld)" }

    /// An erasure is held under a lease number, not by a name alone: a worker that slept past the lease, even within
    /// one process, knows an old number.
    private func isHeld(_ opened: [OpenedErasure]) -> String {
        if dialect.hasArrays, opened.count == 1 {
            return "owner = $2 AND id = ($1::uuid[])[1] AND epoch = ($3::bigint[])[1]"
        }
        let hasNumber =
            dialect.hasArrays
            ? "(id, epoch) IN (SELECT * FROM unnest($1::uuid[], $3::bigint[]))"
            : "id || ' ' || epoch \(dialect.isAmong("$3", "text"))"
        return "owner = $2 AND id \(isAmong("$1")) AND \(hasNumber)"
    }

    private func leaseParameters(_ opened: [OpenedErasure], owner: String) -> [SQLValue] {
        let leases: [SQLValue] = opened.map { erasure in
            let epoch = erasure.record.epoch
            return dialect.hasArrays ? .integer(epoch) : .text("\(erasure.id.text) \(epoch)")
        }
        return [identifiers(opened.map(\.id)), .text(owner), .array(leases)]
    }
}
