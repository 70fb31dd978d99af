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
        let ids = members.map(\.id)
        let values = prepared.values(members)
        let effects = part.effects.map { $0.statement.bound(values, dialect: dialect) }
        let start = opening(ids)
        let end = [control.move(ids, to: part.next), control.commit]
        do {
            if dialect == .postgresql {
                let counting = control.finishCounting(
                    step: part.step, of: members, counts: program.counts.bound(values, dialect: dialect), at: now)
                let results = try await connection.pipeline(start + [counting] + effects + end)
                return try counts(results[start.count])
            }
            let results = try await connection.pipeline(start + [program.counts.bound(values, dialect: dialect)] + effects)
            let counted = Self.byPlace(results[start.count])
            let finish = ids.map { control.finish(step: part.step, of: $0, counts: counted, at: now) }
            _ = try await connection.pipeline(finish + end)
            return Dictionary(ids.map { ($0, counted) }) { first, _ in first }
        } catch let error as FarewellError {
            throw try await explained(error, ids, connection)
        }
    }

    /// Begins the transaction, sets what it needs, and makes sure that it is still ours to do.
    func opening(_ ids: [UUID]) -> [SQLStatement] {
        var statements = [control.begin]
        if dialect == .sqlite {
            statements.append(SQLStatement("PRAGMA defer_foreign_keys = ON"))
        } else if prepared.schema.tables.contains(where: { $0.foreignKeys.contains(where: \.isDeferrable) }) {
            statements.append(SQLStatement("SET CONSTRAINTS ALL DEFERRED"))
        }
        return statements + [
            control.guardLease(ids, owner: owner, state: .running),
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

    /// What a failed guard means: the statement that raises says nothing, so the reason is asked for.
    func explained(_ error: FarewellError, _ ids: [UUID], _ connection: any SQLConnection) async throws -> FarewellError {
        guard GuardFailure.isOne(error, dialect) else { return error }
        _ = try? await connection.run(SQLStatement("ROLLBACK"))
        let stamp = try await connection.run(SchemaStamp(dialect: dialect).read).scalar
        return stamp == prepared.stamp ? GuardFailure.leaseLost : GuardFailure.schemaChanged
    }
}

/// The errors behind a guard that stopped a transaction.
enum GuardFailure {
    static let leaseLost = FarewellError(
        "run.lease-lost", .tryAgain, "Another process has taken this erasure over; nothing was changed by this one.",
        remedy: "Ask for its status; it goes on there.")

    static let schemaChanged = FarewellError(
        "run.schema-changed", .yoursToFix, "The schema has changed since the run began; nothing was changed by this step.",
        remedy: "Run farewell check, correct the plan, and release the erasure.")

    /// Whether an error is what a guard raises: a division by zero on PostgreSQL, malformed JSON on SQLite.
    static func isOne(_ error: FarewellError, _ dialect: SQLDialect) -> Bool {
        dialect == .postgresql ? error.code == "sql.22012" : error.code.rawValue.hasPrefix("sql.") && error.family != .tryAgain
    }
}
