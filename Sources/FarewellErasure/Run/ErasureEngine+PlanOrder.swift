// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import Foundation

/// The order of the plans that processes have loaded.
extension ErasureEngine {
    /// Stores the schema, so that later differences can be described, and enters the plan in the order of the plans.
    ///
    /// - Parameter source: The fingerprint of the plan as its file says it; `nil` for a plan that does not fit, which
    ///   has no place in the order.
    static func remember(
        _ prepared: PreparedPlan, of source: String?, in control: ControlStore, on database: any SQLDatabase
    ) async throws {
        let snapshot = String(decoding: try JSONEncoder().encode(prepared.schema), as: UTF8.self)
        let schema = control.remember(schema: prepared.schemaFingerprint, snapshot: snapshot)
        guard let source else {
            _ = try await database.run(schema)
            return
        }
        let plan = LoadedPlan(fingerprint: prepared.planFingerprint, source: source)
        let looking = control.plans.place(of: plan, isExact: true)
        let results = try await database.pipeline([schema, looking.statement])
        if let last = results.last, try looking.answer(last) != nil { return }
        try await control.plans.enter(plan, in: database)
    }

    /// Why erasures wait for another plan, if they do: the plan does not fit, or another process has a later or an
    /// earlier one.
    package var planTrouble: FarewellError? { unfit?.error ?? standing.trouble }

    /// The standing of the plan in force, when it was last looked at.
    package var standing: PlanStanding { lastStanding.withLock { $0 } }

    /// Compares the plan in force with those that other processes have loaded, and tells them if this process leaves
    /// erasures to them.
    ///
    /// - Throws: an error of the database; then the last standing stays.
    package func lookAtStanding() async throws -> PlanStanding {
        let plan = loaded
        let found = try await unfit == nil ? look(at: plan) : .newest
        lastStanding.withLock { $0 = found }
        return found
    }

    private func look(at plan: LoadedPlan) async throws -> PlanStanding {
        let looking = control.plans.place(of: plan, isExact: true)
        var place = try await looking.run(in: database)
        if place == nil {
            // A back-up from before this plan was restored.
            try await control.plans.enter(plan, in: database)
            place = try await looking.run(in: database)
        }
        let (known, before) = (place, standing)
        return try await database.withConnection { connection in
            let standing = try await control.plans.standing(of: plan, at: known, on: connection)
            if [standing, before].contains(.outdated) {
                _ = try await connection.run(control.plans.note(standing, of: plan))
            }
            return standing
        }
    }

    // MARK: Without an engine

    /// The standing of a plan that a command has read. Changes nothing.
    ///
    /// - Parameter folder: The base of the plan's relative folders.
    /// - Returns: `newest` also for a plan that was never loaded: it will be.
    package static func standing(
        of plan: Plan, folder: String, in database: any SQLDatabase
    ) async throws -> PlanStanding {
        let (control, loaded) = (ControlStore(dialect: database.dialect), LoadedPlan(plan, folder: folder))
        return try await withoutStore(.newest) {
            try await database.withConnection { connection in
                let place = try await control.plans.place(of: loaded).run(on: connection)
                return try await control.plans.standing(of: loaded, at: place, on: connection)
            }
        }
    }

    /// The erasures that wait for a later plan than this one, at most so many. Changes nothing.
    package static func left(
        by plan: Plan, folder: String, limit: Int, in database: any SQLDatabase
    ) async throws -> [UUID] {
        let (control, loaded) = (ControlStore(dialect: database.dialect), LoadedPlan(plan, folder: folder))
        return try await withoutStore([]) {
            try await control.plans.left(by: loaded, limit: limit).run(in: database)
        }
    }

    /// Makes a plan the newest one again, because an operator says that it was changed back. Erasures that were
    /// accepted under a later one then continue under it.
    ///
    /// - Returns: Whether a later plan was known.
    package static func makeNewest(
        _ plan: Plan, folder: String, in database: any SQLDatabase, at now: Date
    ) async throws -> Bool {
        try await refuseNewerStore(in: database)
        let (control, loaded) = (ControlStore(dialect: database.dialect), LoadedPlan(plan, folder: folder))
        return try await database.transaction { connection in
            guard try await control.plans.place(of: loaded).run(on: connection)?.isFollowed == true else {
                return false
            }
            _ = try await connection.pipeline(control.plans.renew(loaded))
            let act = AuditLog.Act(act: "plan.accepted", details: ["plan": loaded.source])
            try await AuditLog(control: control).append([act], actor: "command", at: now, on: connection)
            return true
        }
    }

    /// A control store that was never made, or that an earlier release made, knows no order of plans; and a role that
    /// only looks may lack the right to read it.
    private static func withoutStore<Value: Sendable>(
        _ none: Value, _ read: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await read()
        } catch let error as FarewellError where ["sql.42P01", "sql.3F000", "sql.42501"].contains(error.code.rawValue) {
            return none
        }
    }
}

extension LoadedPlan {
    /// - Parameter folder: The base of the plan's relative folders.
    fileprivate init(_ plan: Plan, folder: String) {
        self.init(fingerprint: PlanFingerprint.of(plan.rooted(at: folder)), source: PlanFingerprint.of(plan))
    }
}
