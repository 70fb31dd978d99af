// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL

/// Counts a subject's rows for an export.
///
/// PostgreSQL: on a second connection, in the state of the database that the export reads, while the first connection
/// reads the rows. Where no second connection can have that state, the rows are counted before they are read.
struct SubjectCount: Sendable {
    let context: ErasureContext
    let key: SQLValue

    /// The count, once it is known.
    typealias Answer = () async throws -> SealedSubject

    private var prepared: PreparedPlan { context.prepared }

    /// Gives `read` the subject's key as the database holds it, and the count.
    ///
    /// - Parameter connection: Its transaction has just begun.
    /// - Throws: `subject.unknown`, at the latest from the count; errors of the database; what `read` throws.
    func given<Value: Sendable>(
        to read: (SQLValue, Answer) async throws -> Value, on connection: any SQLConnection
    ) async throws -> Value {
        let shared = try await sharedState(of: connection)
        guard try await prepared.isCurrent(on: connection) else { throw GuardFailure.schemaChanged }
        if let shared, let value = try await beside(connection, shared, read) { return value }
        let subject = try await subject(on: connection)
        return try await read(subject.key.value) { subject }
    }

    private func subject(on connection: any SQLConnection) async throws -> SealedSubject {
        let resolver = SubjectResolver(prepared: prepared)
        if let subject = try await resolver.resolve([key], .exported, on: connection)[key] { return subject }
        throw FarewellError(
            "subject.unknown", .yoursToFix,
            "No data of this subject was found: no row of \(prepared.plan.subject.table) has the key, "
                + "and no link refers to it.",
            remedy: "Check the key and the database.")
    }

    // MARK: The second connection

    /// The state of the database that a transaction reads, for a transaction of another connection.
    private struct SharedState {
        let database: any SparingDatabase
        let name: String
    }

    /// Citus: the state of other servers cannot be shared. Behind a pooler another server may answer.
    private func sharedState(of connection: any SQLConnection) async throws -> SharedState? {
        guard let database = context.database as? any SparingDatabase, connection.hasOwnSession,
            !prepared.program.graph.isDistributed
        else { return nil }
        do {
            let name = try await connection.run(.sharingState).scalar?.text
            return name.map { SharedState(database: database, name: $0) }
        } catch is FarewellError {
            // This server cannot, or this role may not.
            try await connection.run("ROLLBACK")
            try await connection.run(.beginningReadOnly)
            return nil
        }
    }

    /// - Returns: `nil` if there is no second connection in that state; `read` has not begun then.
    private func beside<Value: Sendable>(
        _ connection: any SQLConnection, _ shared: SharedState, _ read: (SQLValue, Answer) async throws -> Value
    ) async throws -> Value? {
        let (beginnings, beginning) = AsyncStream.makeStream(of: Void.self)
        let counting = Task { try await counted(shared, beginning) }
        return try await withTaskCancellationHandler {
            guard await beginnings.first(where: { true }) != nil else {
                _ = await counting.result
                try Task.checkCancellation()
                return nil
            }
            do {
                return try await read(key) { try await awaited(counting, connection) }
            } catch {
                throw await cause(error, counting)
            }
        } onCancel: {
            counting.cancel()
        }
    }

    /// - Parameter beginning: Has a value once the count begins, and ends without one if it cannot.
    /// - Returns: `nil` if there was no second connection.
    private func counted(
        _ shared: SharedState, _ beginning: AsyncStream<Void>.Continuation
    ) async throws -> SealedSubject? {
        defer { beginning.finish() }
        return try await shared.database.withSpareConnection { connection in
            guard connection.hasOwnSession else { return nil }
            let joining = SQLStatement("SET TRANSACTION SNAPSHOT '\(shared.name)'")
            // One of several hosts may be another server, which does not know the state.
            guard (try? await connection.pipeline([.beginningReadOnly, joining])) != nil else { return nil }
            beginning.yield()
            return try await subject(on: connection)
        }
    }

    private func awaited(
        _ counting: Task<SealedSubject?, any Error>, _ connection: any SQLConnection
    ) async throws -> SealedSubject {
        async let _: Void = keepAwake(connection)
        let subject = try await counting.value
        guard let subject else { throw CancellationError() }
        return subject
    }

    /// Until it is cancelled: a server or a pooler may end a transaction in which nothing happens.
    private func keepAwake(_ connection: any SQLConnection) async {
        while (try? await context.environment.sleep(.seconds(1))) != nil {
            // In a task of its own: a cancelled statement would end the transaction.
            let isThere = await Task { (try? await connection.run(.nothing)) != nil }.value
            guard isThere else { return }
        }
    }

    /// If reading fails in the database, the count may have failed earlier, or is about to: its error has the cause.
    private func cause(_ error: any Error, _ counting: Task<SealedSubject?, any Error>) async -> any Error {
        let isOfDatabase = (error as? FarewellError)?.code.rawValue.hasPrefix("sql.") ?? false
        if !isOfDatabase { counting.cancel() }
        guard case .failure(let first) = await counting.result, isOfDatabase, first is FarewellError else {
            return error
        }
        return first
    }
}
