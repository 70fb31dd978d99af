// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation

/// What every part of a run works with.
package struct ErasureContext: Sendable {
    let database: any SQLDatabase
    let prepared: PreparedPlan
    let control: ControlStore
    let keys: KeyStore
    let ledger: LedgerFile
    package let environment: EngineEnvironment
    private(set) var options: ErasureOptions
    let observe: ErasureObserver
    /// Who erases in the plan's systems, by their names.
    var connectors: [String: any Connector] = [:]
    /// The plan, where it does not fit the schema: nothing may be carried out.
    var unfit: UnfitPlan?
    let contention: Contention
    let audit: AuditLog
    let clock: StoreClock

    var owner: String { environment.owner }

    /// The parts of the rows in the order of the plan; rows and identity are one where they are neighbours,
    /// so that a small account goes in one transaction.
    var parts: [RowErasure.Part] {
        let stages = prepared.plan.order.filter { $0 != .files }
        let areNeighbours = zip(prepared.plan.order, prepared.plan.order.dropFirst()).contains {
            $0 == (.rows, .identity)
        }
        let last: ErasureState =
            prepared.plan.order.last == .files && !prepared.plan.folders.isEmpty
                || !prepared.plan.systems(.identity).isEmpty ? .running : .verifying
        if areNeighbours || stages.count < 2 {
            return [.init(step: "rows", scope: .everything, next: last)]
        }
        return [
            .init(step: "rows", scope: .rows, next: .running),
            .init(step: "identity", scope: .identity, next: last),
        ]
    }

    /// Whether a transaction need not wait for the disk by itself, because a later one of the same run does, and all
    /// before it in the log is then on the disk too. Not where files are erased or other systems asked: what is gone
    /// there stays gone when the server loses its power, and the record of it must not be lost with it.
    var canLeaveWaiting: Bool {
        database.dialect.commitsWithoutWaiting && prepared.plan.folders.isEmpty && prepared.plan.systems.isEmpty
    }

    /// When some erasures end, by the store's clock, and never before one of them was asked for: the process that
    /// accepted them may have read that clock a little earlier or later.
    func endTime(of members: [ErasureMember]) -> Date {
        members.map(\.record.requestedAt).reduce(environment.now(), max)
    }

    func subjectHash(_ key: SQLValue) -> SubjectHash {
        keys.subjectHash(table: prepared.plan.subject.table, key: key.asSubject)
    }

    /// The same with the search that the subject's request asked for, where the caller asks for none.
    func searching(for subject: SealedSubject) -> ErasureContext {
        guard options.deepScan == .none else { return self }
        var context = self
        context.options.deepScan = DeepScanExtent(rows: subject.deepRows)
        return context
    }

    /// The same with the plan prepared anew.
    func with(_ prepared: PreparedPlan) -> ErasureContext {
        ErasureContext(
            database: database, prepared: prepared, control: control, keys: keys, ledger: ledger,
            environment: environment,
            options: options, observe: observe, connectors: connectors, unfit: unfit, contention: contention,
            audit: audit, clock: clock)
    }

    /// Keeps the lease of some erasures while `body` runs: renewed at a third of its length.
    func keepingLease<Value: Sendable>(
        _ members: [ErasureMember], _ body: () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while true {
                    try await environment.sleep(.seconds(max(control.lease / 3, 1)))
                    // What cannot be renewed this time may be the next; whoever writes checks the lease anyway.
                    _ = try? await database.withConnection { connection in
                        try await connection.run(control.leases.renew(members, owner: environment.owner))
                    }
                }
            }
            defer { group.cancelAll() }
            return try await body()
        }
    }
}
