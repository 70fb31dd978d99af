// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation

/// The common values of every part of a run.
package struct ErasureContext: Sendable {
    let database: any SQLDatabase
    let prepared: PreparedPlan
    let control: ControlStore
    let keys: KeyStore
    let ledger: LedgerFile
    package let environment: EngineEnvironment
    private(set) var options: ErasureOptions
    let observe: ErasureObserver
    /// The connectors that erase in the plan's systems, by their names.
    var connectors: [String: any Connector] = [:]
    /// The plan, where it does not fit the schema: nothing may be carried out.
    var unfit: UnfitPlan?
    let contention: Contention
    let audit: AuditLog
    let clock: StoreClock
    /// Whether workers take up again what is handed back. Otherwise the run itself waits where a pause is short.
    var hasWorkers = false

    var owner: String { environment.owner }

    /// The parts of the rows in the order of the plan; rows and identity are one if they are neighbours, so that a
    /// small account is erased in one transaction.
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

    /// Whether a transaction need not wait for the disk, because a later one of the same run does, and all earlier
    /// entries of the log are then on the disk too. Not if files are erased or third-party systems called: their
    /// deletions survive a loss of power, and the record of them must not be lost.
    var canLeaveWaiting: Bool {
        database.dialect.commitsWithoutWaiting && prepared.plan.folders.isEmpty && prepared.plan.systems.isEmpty
    }

    /// The end time of some erasures, by the store's clock, and never before one of the requests: the process that
    /// accepted them may have read that clock a little earlier or later.
    func endTime(of erasures: [OpenedErasure]) -> Date {
        erasures.map(\.record.requestedAt).reduce(environment.now(), max)
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
            audit: audit, clock: clock, hasWorkers: hasWorkers)
    }

    /// Keeps the lease of some erasures while `body` runs: renewed at a third of its length.
    func keepingLease<Value: Sendable>(
        _ erasures: [OpenedErasure], _ body: () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while true {
                    try await environment.sleep(.seconds(max(control.lease / 3, 1)))
                    // A failed renewal may succeed the next time; every write checks the lease anyway.
                    _ = try? await database.run(control.leases.renew(erasures, owner: environment.owner))
                }
            }
            defer { group.cancelAll() }
            return try await body()
        }
    }
}
