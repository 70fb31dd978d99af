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

    private var dialect: SQLDialect { prepared.schema.dialect }

    /// One part of the rows, as a step.
    struct Part: Sendable {
        let step: String
        let scope: RowProgram.Scope
        /// The state the erasures have afterwards.
        let next: ErasureState
    }

    /// How a part is applied to small accounts.
    struct Manner: Sendable {
        /// How many rows of one person are too many for this way; found out before anything is deleted.
        var limit: Int
        /// Whether the transaction leaves waiting for the disk to a later one.
        var leavesWaiting: Bool
    }

    /// Applies a part for all members and returns each one's counts by place.
    ///
    /// - Throws: `run.lease-lost` when somebody else has taken one of them over; `run.schema-changed`;
    ///   `run.large-account` when somebody has more rows than go in one transaction; or the database's error. In
    ///   every case nothing was changed.
    func apply(
        _ part: Part, to members: [ErasureMember], _ manner: Manner, on connection: any SQLConnection, now: Date
    ) async throws -> [UUID: [String: Int]] {
        guard dialect == .sqlite else {
            return try await apply(part, to: members, manner, then: [], on: connection, now: now).counts
        }
        return try await guarded(members, on: connection) {
            _ = try await connection.pipeline(
                opening(members, next: part.next, leavesWaiting: manner.leavesWaiting))
            let counts = try await one(part, members, manner, on: connection, now: now)
            try await connection.run(control.commit)
            return counts
        }
    }

    /// PostgreSQL: the same, with statements that follow the transaction in the same round trip.
    func apply(
        _ part: Part, to members: [ErasureMember], _ manner: Manner, then following: [SQLStatement],
        on connection: any SQLConnection, now: Date
    ) async throws -> (counts: [UUID: [String: Int]], following: [SQLResult]) {
        if part.scope == .everything, members.count == 1 || prepared.program.tellings == nil,
            let tally = prepared.programForOne.tally
        {
            return try await tallied(tally, part, members, manner, then: following, on: connection, now: now)
        }
        if members.count > 1, part.scope == .everything, let tellings = prepared.program.tellings {
            return try await told(tellings, part, members, manner, then: following, on: connection, now: now)
        }
        return try await guarded(members, on: connection) {
            let start = opening(members, next: part.next, leavesWaiting: manner.leavesWaiting)
            let program = prepared.program(for: members.count)
            let values = prepared.values(members)
            let counting = control.finishCounting(
                step: part.step, of: members, counts: program.counts.bound(values, dialect: dialect),
                limit: manner.limit, at: now)
            let effects = program.effects(of: part.scope).flatMap(\.statements)
                .map { $0.bound(values, dialect: dialect) }
            let results = try await connection.pipeline(
                start + [counting] + effects + [control.commit] + following)
            return (try counts(results[start.count]), results.suffix(following.count))
        }
    }

    /// PostgreSQL: one person after the other in the transaction of all, whose rows the server counts while it deletes
    /// them. Somebody with a great many is found out as below.
    private func tallied(
        _ tally: RowProgram.Tally, _ part: Part, _ members: [ErasureMember], _ manner: Manner,
        then following: [SQLStatement], on connection: any SQLConnection, now: Date
    ) async throws -> (counts: [UUID: [String: Int]], following: [SQLResult]) {
        try await guarded(members, on: connection) {
            let start = opening(members, next: part.next, leavesWaiting: manner.leavesWaiting)
            let effects = prepared.programForOne.effects(of: part.scope).flatMap(\.statements)
            let people = members.map { member in
                let values = prepared.values([member])
                let after = control.finishCounting(
                    step: part.step, of: [member], counts: tally.after.bound(values, dialect: dialect),
                    limit: manner.limit, at: now)
                return ([tally.before] + effects).map { $0.bound(values, dialect: dialect) } + [after]
            }
            let all = start + [control.boundStatements] + people.joined() + [control.commit]
            let results = try await bounded { try await connection.pipeline(all + following) }
            let records = people.indices.map { results[start.count + 1 + $0 * people[0].count + people[0].count - 1] }
            return (
                try records.map(counts).reduce(into: [:]) { $0.merge($1) { _, new in new } },
                results.suffix(following.count)
            )
        }
    }

    /// PostgreSQL, several people whose rows are told by the deletes themselves. Somebody with a great many rows is
    /// found out when a statement takes too long or has told of too many; then nothing of it was done.
    private func told(
        _ tellings: [RowProgram.Telling], _ part: Part, _ members: [ErasureMember], _ manner: Manner,
        then following: [SQLStatement], on connection: any SQLConnection, now: Date
    ) async throws -> (counts: [UUID: [String: Int]], following: [SQLResult]) {
        try await guarded(members, on: connection) {
            let start =
                opening(members, next: part.next, leavesWaiting: manner.leavesWaiting)
                + [control.boundStatements]
            let values = prepared.values(members)
            let deletes = tellings.map { $0.statement.bound(values, dialect: dialect) }
            let results = try await bounded { try await connection.pipeline(start + deletes) }
            let counts = counts(of: members, zip(tellings, results.dropFirst(start.count)))
            guard counts.values.allSatisfy({ $0.values.reduce(0, +) < manner.limit }) else {
                throw GuardFailure.largeAccount
            }
            let end = [control.finish(step: part.step, counts: counts, at: now), control.commit]
            return (counts, try await connection.pipeline(end + following).suffix(following.count))
        }
    }

    private func bounded<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as FarewellError where error.code == "sql.57014" && !Task.isCancelled {
            throw GuardFailure.slowAccount
        }
    }

    private func counts(
        of members: [ErasureMember], _ told: some Sequence<(RowProgram.Telling, SQLResult)>
    ) -> [UUID: [String: Int]] {
        let ids = Dictionary(members.map { ($0.subject.key.text, $0.id) }) { first, _ in first }
        var counts = Dictionary(members.map { ($0.id, [String: Int]()) }) { first, _ in first }
        for (telling, result) in told {
            let place = "\(prepared.program.graph.nodes[telling.node].table.name)"
            for row in result.rows {
                guard let id = row[0].text.flatMap({ ids[$0] }), let rows = row[1].integer else { continue }
                counts[id]?[place, default: 0] += Int(rows)
            }
        }
        return counts
    }

    /// SQLite, whose statements are about one person each: one after the other in the transaction of all.
    private func one(
        _ part: Part, _ members: [ErasureMember], _ manner: Manner, on connection: any SQLConnection, now: Date
    ) async throws -> [UUID: [String: Int]] {
        var counts: [UUID: [String: Int]] = [:]
        let program = prepared.programForOne
        for member in members {
            let values = prepared.values([member])
            let counted = Self.byPlace(try await connection.run(program.counts.bound(values, dialect: dialect)))
            guard counted.values.reduce(0, +) < manner.limit else { throw GuardFailure.largeAccount }
            let effects = program.effects(of: part.scope).flatMap(\.statements)
            _ = try await connection.pipeline(
                effects.map { $0.bound(values, dialect: dialect) }
                    + [control.finish(step: part.step, of: member.id, counts: counted, at: now)])
            counts[member.id] = counted
        }
        return counts
    }

    /// Begins the transaction, sets what it needs, and makes sure that it is still ours to do.
    ///
    /// - Parameter next: The state the erasures have when the transaction ends; `nil` leaves them as they are.
    func opening(
        _ members: [ErasureMember], next: ErasureState? = nil, leavesWaiting: Bool = false
    ) -> [SQLStatement] {
        var statements = [control.begin]
        if leavesWaiting { statements.append(control.leaveWaiting) }
        let isDeferrable = prepared.schema.tables.contains { $0.foreignKeys.contains(where: \.isDeferrable) }
        if dialect == .sqlite || isDeferrable { statements.append(control.deferKeys) }
        let lease =
            next.map { control.guardLease(members, owner: owner, state: .running, next: $0) }
            ?? [control.guardLease(members, owner: owner, state: .running)]
        return statements + lease + [SchemaStamp(dialect: dialect).guardUnchanged(prepared.stamp)]
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
    /// show as any error. So both are asked for. The guard against too many rows divides by zero.
    private func explained(
        _ error: FarewellError, _ members: [ErasureMember], _ state: ErasureState, _ connection: any SQLConnection
    ) async throws -> FarewellError {
        _ = try? await connection.run(control.rollback)
        let stamp = try await connection.run(SchemaStamp(dialect: dialect).read).scalar
        if stamp != prepared.stamp { return GuardFailure.schemaChanged }
        let held = try await connection.run(control.countHeld(members, owner: owner, state: state)).scalar?.integer
        guard held == Int64(members.count) else { return GuardFailure.leaseLost }
        return error.code == "sql.22012" ? GuardFailure.largeAccount : error
    }
}

/// The errors behind a guard that stopped a transaction.
enum GuardFailure {
    static let largeAccount = FarewellError(
        "run.large-account", .ours, "This account has too many rows to be erased in one transaction.",
        remedy: "It is erased in pieces.")

    static let slowAccount = FarewellError(
        "run.slow-account", .ours, "This account's rows took too long to be erased in one transaction.",
        remedy: "If they are many it is erased in pieces.")

    static let heldUp = FarewellError(
        "sql.57014", .tryAgain, "The statement was cancelled: it waited too long for rows that somebody else holds.",
        remedy: "Try again.")

    static let divisionByZero = FarewellError(
        "sql.22012", .yoursToFix, "A trigger or a rule of the database divided by zero while rows were erased.",
        remedy: "Correct it and release the erasure.")

    static let leaseLost = FarewellError(
        "run.lease-lost", .tryAgain, "Another process has taken this erasure over; nothing was changed by this one.",
        remedy: "Ask for its status; it goes on there.")

    static let schemaChanged = FarewellError(
        "run.schema-changed", .yoursToFix,
        "The schema has changed since the run began; nothing was changed by this step.",
        remedy: "Run farewell check, correct the plan, and release the erasure.")
}
