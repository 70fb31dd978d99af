// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

/// The transaction of a step. It begins with guards: it changes nothing unless the worker still holds the erasures and
/// the schema is still the plan's.
struct StepTransaction: Sendable {
    let prepared: PreparedPlan
    let control: ControlStore
    let owner: String
    /// PostgreSQL: how the turn is taken.
    var turn = Turn()

    /// Whether this is Farewell's only transaction that erases rows now, and the longest wait for that, in seconds.
    struct Turn: Sendable {
        var isAlone = false
        var seconds: Int?
    }

    private var dialect: SQLDialect { prepared.schema.dialect }

    /// A transaction that changes rows, with everything but its changes: it makes sure that it is still ours to do.
    ///
    /// - Parameters:
    ///   - next: The state the erasures have when the transaction ends; `nil` leaves them as they are.
    ///   - isCounting: Whether rows are counted first and deleted then.
    func changes(
        _ erasures: [OpenedErasure], next: ErasureState? = nil, leavesWaiting: Bool = false, isCounting: Bool = false
    ) -> GuardedChanges {
        var guarded = GuardedChanges(prepared)
        guarded[.turn] = [control.begin]
        if dialect.takesSeveralWriters {
            guarded[.turn] += control.takeTurn(
                alone: turn.isAlone || isCounting && prepared.hasSharedRows, within: turn.seconds)
            guarded[.turn].append(control.boundWaiting)
            guarded[.deferredKeys] = prepared.checkedKeys(control)
        }
        if leavesWaiting { guarded[.turn].append(control.leaveWaiting) }
        guarded[.lease] =
            next.map { control.leases.guardLease(erasures, owner: owner, state: .running, next: $0) }
            ?? [control.leases.guardLease(erasures, owner: owner, state: .running)]
        guarded[.schema] = prepared.guards(control)
        return guarded
    }

    /// The beginning of the same, for a transaction that changes no rows.
    func opening(_ erasures: [OpenedErasure], leavesWaiting: Bool = false) -> [SQLStatement] {
        var guarded = changes(erasures, leavesWaiting: leavesWaiting)
        return guarded.next(through: .schema).statements
    }

    /// Ends the transaction, under a lease from now on: the transaction may have taken longer than the lease with which
    /// it began, and another worker would take the erasures over at the commit.
    func closing(_ erasures: [OpenedErasure]) -> [SQLStatement] {
        [control.leases.renew(erasures, owner: owner), control.commit]
    }

    /// Runs a transaction that begins with guards; says which of them stopped it, when one did.
    func guarded<Value>(
        _ erasures: [OpenedErasure], _ state: ErasureState = .running, on connection: any SQLConnection,
        _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch let error as FarewellError where error.family != .tryAgain {
            throw try await explained(error, erasures, state, connection)
        }
    }

    /// The meaning of an error in a guarded transaction. A guard raises an error without details; a change of the
    /// schema may cause any error. So both are checked. The guard against too many rows divides by zero.
    private func explained(
        _ error: FarewellError, _ erasures: [OpenedErasure], _ state: ErasureState, _ connection: any SQLConnection
    ) async throws -> FarewellError {
        _ = try? await connection.run(control.rollback)
        let stamp = try await connection.run(SchemaStamp(dialect: dialect).read).scalar
        if stamp != prepared.stamp { return GuardFailure.schemaChanged }
        let enforcesKeys = try await connection.run(dialect.enforcesKeys).scalar?.integer
        guard enforcesKeys != 0 else { return GuardFailure.keysNotEnforced }
        let held = try await control.leases.countHeld(erasures, owner: owner, state: state).run(on: connection)
        guard held == erasures.count else { return GuardFailure.leaseLost }
        // A division by zero in a function of the database does not come from our guard.
        return error.code == "sql.22012" && error.refusedPlace == nil ? GuardFailure.largeAccount : error
    }
}

extension ErasureContext {
    /// - Parameter turn: PostgreSQL: how a transaction that erases rows takes its turn.
    func stepTransaction(_ turn: StepTransaction.Turn = StepTransaction.Turn()) -> StepTransaction {
        StepTransaction(prepared: prepared, control: control, owner: owner, turn: turn)
    }
}
