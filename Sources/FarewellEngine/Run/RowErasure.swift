// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// Erases the rows of some people and records it, in one transaction.
///
/// On PostgreSQL all of it travels in one round trip: the lease's guard, the schema's guard, counting into the
/// step's record, the deletes, the erasures' next state, the commit.
struct RowErasure: Sendable {
    let prepared: PreparedPlan
    let control: ControlStore
    let owner: String

    private var program: RowProgram { prepared.program }
    private var dialect: SQLDialect { prepared.schema.dialect }

    /// One part of the rows, as a step.
    struct Part: Sendable {
        let step: String
        let effects: [RowProgram.Effect]
        /// The same for an account erased in pieces.
        let pieces: [RowProgram.Effect]
        /// The state the erasures have afterwards.
        let next: ErasureState
    }

    /// Applies a part for all members and returns each one's counts by place.
    ///
    /// - Throws: `run.lease-lost` when somebody else has taken one of them over; `run.schema-changed`; or the
    ///   database's error. In every case nothing was changed.
    func apply(
        _ part: Part, to members: [ErasureMember], on connection: any SQLConnection, now: Date
    ) async throws -> [UUID: [String: Int]] {
        let end = [control.move(members.map(\.id), to: part.next), control.commit]
        return try await guarded(members, on: connection) {
            let start = opening(members)
            guard dialect == .postgresql else {
                _ = try await connection.pipeline(start)
                let counts = try await one(part, members, on: connection, now: now)
                _ = try await connection.pipeline(end)
                return counts
            }
            let values = prepared.values(members)
            let counting = control.finishCounting(
                step: part.step, of: members, counts: program.counts.bound(values, dialect: dialect), at: now)
            let effects = part.effects.flatMap(\.statements).map { $0.bound(values, dialect: dialect) }
            let results = try await connection.pipeline(start + [counting] + effects + end)
            return try counts(results[start.count])
        }
    }

    /// SQLite, whose statements are about one person each: one after the other in the transaction of all.
    private func one(
        _ part: Part, _ members: [ErasureMember], on connection: any SQLConnection, now: Date
    ) async throws -> [UUID: [String: Int]] {
        var counts: [UUID: [String: Int]] = [:]
        for member in members {
            let values = prepared.values([member])
            let statements = [program.counts] + part.effects.flatMap(\.statements)
            let results = try await connection.pipeline(statements.map { $0.bound(values, dialect: dialect) })
            let counted = Self.byPlace(results[0])
            _ = try await connection.run(control.finish(step: part.step, of: member.id, counts: counted, at: now))
            counts[member.id] = counted
        }
        return counts
    }

    /// Begins the transaction, sets what it needs, and makes sure that it is still ours to do.
    func opening(_ members: [ErasureMember]) -> [SQLStatement] {
        var statements = [control.begin]
        let isDeferrable = prepared.schema.tables.contains { $0.foreignKeys.contains(where: \.isDeferrable) }
        if dialect == .sqlite || isDeferrable { statements.append(control.deferKeys) }
        return statements + [
            control.guardLease(members, owner: owner, state: .running),
            SchemaStamp(dialect: dialect).guardUnchanged(prepared.stamp),
        ]
    }

    static func byPlace(_ result: SQLResult) -> [String: Int] {
        var counts: [String: Int] = [:]
        for row in result.rows {
            if let place = row[0].text, let rows = row[2].integer { counts[place, default: 0] += Int(rows) }
        }
        return counts
    }

    private func counts(_ result: SQLResult) throws -> [UUID: [String: Int]] {
        var counts: [UUID: [String: Int]] = [:]
        for row in result.rows {
            guard let id = row[0].identifier, let text = row[1].text else { continue }
            counts[id] = (try? JSONDecoder().decode([String: Int].self, from: Data(text.utf8))) ?? [:]
        }
        return counts
    }

    /// Runs a transaction that begins with guards; says which of them stopped it, when one did.
    func guarded<Value>(
        _ members: [ErasureMember], _ state: ErasureState = .running, on connection: any SQLConnection,
        _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch let error as FarewellError where error.family != .tryAgain {
            throw try await explained(error, members, state, connection)
        }
    }

    /// What an error in a guarded transaction means. A guard raises, which says nothing; a change of the schema may
    /// show as any error. So both are asked for.
    private func explained(
        _ error: FarewellError, _ members: [ErasureMember], _ state: ErasureState, _ connection: any SQLConnection
    ) async throws -> FarewellError {
        _ = try? await connection.run(control.rollback)
        let stamp = try await connection.run(SchemaStamp(dialect: dialect).read).scalar
        if stamp != prepared.stamp { return GuardFailure.schemaChanged }
        let held = try await connection.run(control.countHeld(members, owner: owner, state: state)).scalar?.integer
        return held == Int64(members.count) ? error : GuardFailure.leaseLost
    }
}

/// The errors behind a guard that stopped a transaction.
enum GuardFailure {
    static let leaseLost = FarewellError(
        "run.lease-lost", .tryAgain, "Another process has taken this erasure over; nothing was changed by this one.",
        remedy: "Ask for its status; it goes on there.")

    static let schemaChanged = FarewellError(
        "run.schema-changed", .yoursToFix,
        "The schema has changed since the run began; nothing was changed by this step.",
        remedy: "Run farewell check, correct the plan, and release the erasure.")
}
