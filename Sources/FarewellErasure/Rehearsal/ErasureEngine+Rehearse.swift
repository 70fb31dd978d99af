// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL

extension ErasureEngine {
    /// Erases each subject as a real run would, in its own transaction that is rolled back, and compares the changes in
    /// every table with the plan's prediction. It commits nothing, and needs no control store.
    ///
    /// - Parameter report: Receives the number of rehearsed subjects after each of them.
    /// - Returns: One for each subject, in their order.
    /// - Throws: `rehearsal.read-only` on a replica or a server that takes no writes; `subject.malformed`;
    ///   `sql.keys-off`; a temporary error if a lock or a statement took longer than the limits allow.
    public func rehearse(
        _ subjects: [String], limits: RehearsalLimits = RehearsalLimits(),
        report: (_ done: Int, _ of: Int) async -> Void = { _, _ in }
    ) async throws -> [Rehearsal] {
        let resolver = SubjectResolver(prepared: prepared)
        let keys = try subjects.map { (subject: $0, key: try resolver.key($0)) }
        var rehearsals: [Rehearsal] = []
        for (subject, key) in keys {
            try Task.checkCancellation()
            do {
                rehearsals.append(try await limited(subject, key, limits))
            } catch let error as FarewellError where error.code == "sql.stale-plan" {
                rehearsals.append(try await limited(subject, key, limits))
            }
            await report(rehearsals.count, keys.count)
        }
        return rehearsals
    }

    /// Effects that no rollback undoes, for the operator.
    public var whatRollbackLeaves: [String] { RollbackNotes(prepared.schema, prepared.program.graph).sentences }

    /// Whether the database reports how many rows were changed; otherwise a rehearsal finds refusals only.
    public var countsChanges: Bool { prepared.isWatching }

    /// PostgreSQL limits each statement; SQLite has no such limit, so there the whole is cancelled.
    private func limited(_ subject: String, _ key: SQLValue, _ limits: RehearsalLimits) async throws -> Rehearsal {
        guard !prepared.schema.dialect.takesSeveralWriters else { return try await rehearsed(subject, key, limits) }
        return try await withThrowingTaskGroup(of: Rehearsal.self) { group in
            group.addTask { try await rehearsed(subject, key, limits) }
            group.addTask {
                try await environment.sleep(.seconds(limits.statement))
                throw FarewellError(
                    "sql.57014", .tryAgain,
                    "The rehearsal of one subject took longer than \(limits.statement) s and was rolled back.",
                    remedy: "Allow more time; other programs cannot write to the file meanwhile.")
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }

    private func rehearsed(_ subject: String, _ key: SQLValue, _ limits: RehearsalLimits) async throws -> Rehearsal {
        let (prepared, context) = (self.prepared, context(ErasureOptions()))
        let transaction = RehearsalTransaction(prepared: prepared, control: control, limits: limits)
        return try await transaction.run(in: database) { connection in
            let found = try await SubjectResolver(prepared: prepared).resolve([key], on: connection)[key]
            guard let found else { return Rehearsal(subject: subject, isKnown: false) }
            let erasure = context.newErasure(found, state: .running, at: environment.now())
            var run = try await RehearsalRun(in: transaction, about: erasure, on: connection)
            return try await run.rehearse(subject)
        }
    }
}
