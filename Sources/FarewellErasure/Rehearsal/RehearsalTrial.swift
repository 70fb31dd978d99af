// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Tries statements inside a rehearsal's transaction, each time behind a savepoint, and counts what they changed.
final class RehearsalTrial {
    private let connection: any SQLConnection
    private let counters: ChangeCounters?
    private let watch: ChangeGuard
    private var before: SQLResult?
    /// The changes that the database did not refuse.
    private(set) var changes: [TableName: RowChanges] = [:]
    /// Whether the database itself has ended the transaction (`RAISE(ROLLBACK)`): nothing may be tried any longer.
    private(set) var isOver = false

    init(_ watch: ChangeGuard, _ counters: ChangeCounters?, on connection: any SQLConnection) async throws {
        self.watch = watch
        self.counters = counters
        self.connection = connection
        before = try await connection.pipeline(watch.beginning).last
    }

    /// The outcome of a trial.
    enum Outcome {
        case done([SQLResult], changes: [TableName: RowChanges])
        case refused(FarewellError)
    }

    /// - Parameter isKept: Whether the changes count as the erasure's own.
    /// - Throws: Temporary errors, such as a lock that another transaction holds.
    func attempt(_ statements: [SQLStatement], isKept: Bool = true) async throws -> Outcome {
        try await connection.run("SAVEPOINT farewell_rehearsal")
        let results: [SQLResult]
        do {
            results = try await connection.pipeline(statements)
        } catch let error as FarewellError where error.family != .tryAgain {
            try await takeBack()
            return .refused(error)
        }
        try await connection.run("RELEASE SAVEPOINT farewell_rehearsal")
        return .done(results, changes: try await read(isKept: isKept))
    }

    private func takeBack() async throws {
        if !connection.dialect.takesSeveralWriters {
            // Never continue outside the transaction: there each statement would be committed.
            let isOpen = try? await connection.run("SELECT farewell_is_open()").scalar?.integer
            guard isOpen == 1 else {
                isOver = true
                return
            }
        }
        try await connection.run("ROLLBACK TO SAVEPOINT farewell_rehearsal")
        try await connection.run("RELEASE SAVEPOINT farewell_rehearsal")
        // Attempts stay in PostgreSQL's counters and in SQLite's: from here they count anew.
        _ = try await read(isKept: false)
    }

    private func read(isKept: Bool) async throws -> [TableName: RowChanges] {
        guard let counters, let before, let after = try await connection.pipeline(watch.reading).last else {
            return [:]
        }
        let found = try counters.changes(from: before, to: after)
        self.before = after
        if isKept { changes.merge(found, uniquingKeysWith: +) }
        return found
    }
}
