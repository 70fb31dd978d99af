// SPDX-License-Identifier: Apache-2.0
import CSQLiteChanges
import Farewell
import GRDB

/// One SQLite connection on GRDB's serial queue: statements run in the order they were given.
final class SQLiteConnection: PooledConnection {
    private struct State: Sendable {
        var lease = 0
        var isOpen = true
        var inTransaction = false
        /// SQLite rolled the transaction back itself (disk full, I/O error, interrupt). Later statements must not run
        /// outside of it by accident, so they are refused until ROLLBACK, as PostgreSQL does.
        var isAborted = false
        /// Why.
        var abortion: FarewellError?
        /// Whether the journal is still the one that the file had. The first write changes it, and no earlier: a
        /// database that is refused stays as it is.
        var keepsJournal: Bool
    }

    private let queue: DatabaseQueue
    private let path: String
    private let file: SQLiteFile.Identity?
    private let state: Guarded<State>
    private let spelling = Guarded(SQLiteSpelling())

    init(path: String, configuration: SQLiteConfiguration) throws {
        try SQLiteFile.requireOrdinary(at: path)
        if configuration.access != .readOnly { SQLiteFile.makeIfMissing(at: path) }
        self.path = path
        state = Guarded(
            State(keepsJournal: configuration.access != .readOnly && configuration.journal == .writeAhead))
        let before = SQLiteFile.identity(at: path)
        do {
            queue = try DatabaseQueue(path: path, configuration: Self.grdb(configuration))
            file = SQLiteFile.identity(at: path)
            // Replaced while it was opened: which of the two it is, is not known.
            guard file != nil, before == nil || before == file else {
                try? queue.close()
                throw SQLiteFile.replaced
            }
            guard configuration.access != .readOnly else { return }
            // A library may be built with another default, by which a power failure takes back what was committed.
            try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        } catch let error as DatabaseError {
            throw SQLiteFailure(error).error
        }
    }

    struct Lease: SQLConnection {
        let connection: SQLiteConnection
        let number: Int
        var dialect: SQLDialect { .sqlite }

        func run(_ statement: SQLStatement) async throws -> SQLResult {
            try await connection.perform(lease: number) { try connection.execute(statement, $0) }
        }

        func read(_ query: SQLStatement, _ body: @escaping @Sendable ([[SQLValue]]) throws -> Void) async throws {
            try await connection.perform(lease: number) { try connection.read(query, $0, body) }
        }

        func pipeline(_ statements: [SQLStatement]) async throws -> [SQLResult] {
            try await connection.perform(lease: number) { try connection.pipeline(statements, $0) }
        }
    }

    var isUsable: Bool { state.withLock { $0.isOpen } && !isReplaced }

    /// Whether the path leads to another file now, as after a restore: this connection still has the former one.
    private var isReplaced: Bool { SQLiteFile.identity(at: path) != file }

    func host<Value>(_ body: (Lease) async throws -> Value) async throws -> Value {
        let value = try await body(lend())
        guard !isReplaced else { throw SQLiteFile.replaced }
        return value
    }

    func lend() -> Lease {
        let number = state.withLock { state in
            state.lease += 1
            return state.lease
        }
        return Lease(connection: self, number: number)
    }

    func settle() async -> Bool {
        let needsRollback = state.withLock { state in
            state.lease += 1
            state.isAborted = false
            state.abortion = nil
            return state.inTransaction
        }
        guard needsRollback else { return isUsable }
        return await withCheckedContinuation { continuation in
            // The call-back form ignores the task's cancellation, as it must.
            queue.asyncWriteWithoutTransaction { db in
                try? db.rollback()
                self.state.withLock { $0.inTransaction = false }
                continuation.resume(returning: !db.isInsideTransaction)
            }
        }
    }

    func end() {
        state.withLock { $0.isOpen = false }
        let queue = queue
        BlockingWork.start { try? queue.close() }
    }

    /// Runs `work` on GRDB's queue. If the task is cancelled, its statements are interrupted.
    func perform<Value: Sendable>(
        lease: Int, _ work: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        guard state.withLock({ $0.lease == lease }) else { throw Self.returned }
        let interruption = SQLiteInterruption(queue.interrupt)
        defer { interruption.end() }
        do {
            return try await withTaskCancellationHandler {
                try await queue.writeWithoutTransaction { db in
                    try self.noted(db) { try interruption.during { try work(db) } }
                }
            } onCancel: {
                interruption.begin()
            }
        } catch let error as DatabaseError {
            throw SQLiteFailure(error).error
        }
    }

    /// Runs `work` and notes the transaction that it leaves open, or has lost.
    private func noted<Value>(_ db: Database, _ work: () throws -> Value) throws -> Value {
        let before = db.isInsideTransaction
        defer { state.withLock { $0.inTransaction = db.isInsideTransaction } }
        do {
            return try work()
        } catch {
            let failure = Self.failure(error, db)
            if before, !db.isInsideTransaction {
                state.withLock { state in
                    state.isAborted = true
                    state.abortion = failure as? FarewellError
                }
            }
            throw failure
        }
    }

    /// The error, with the names that the database's own catalog has for it.
    private static func failure(_ error: any Error, _ db: Database) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        let refusals: [ResultCode] = [.SQLITE_ERROR, .SQLITE_CONSTRAINT, .SQLITE_CORRUPT, .SQLITE_MISMATCH]
        let isRefusal = refusals.contains(error.resultCode)
        return SQLiteFailure(error, names: isRefusal ? SQLiteNames(db, statement: error.sql) : nil).error
    }

    private func execute(_ statement: SQLStatement, _ db: Database) throws -> SQLResult {
        let verb = SQLVerb(statement.text)
        let (isAborted, cause) = state.withLock { ($0.isAborted, $0.abortion) }
        if isAborted {
            guard verb == .rollback else { throw cause ?? Self.aborted }
            state.withLock { state in
                state.isAborted = false
                state.abortion = nil
            }
            return SQLResult()
        }
        let text = spelling.withLock { $0.text(statement.text) }
        // SQLite compiles a kept statement again after a change of the schema, but not an explained one, which would
        // read the former schema where it was.
        let isExplained = verb == .query && SQLVerb.isExplained(statement.text)
        let prepared = try isExplained ? db.makeStatement(sql: text) : db.cachedStatement(sql: text)
        // SQLite counts BEGIN IMMEDIATE as a write, and an explained change, which changes nothing.
        if !prepared.isReadonly, verb != .query { try keepLog(db) }
        let arguments: [(any DatabaseValueConvertible)?] = try statement.parameters.map(SQLiteValue.encode)
        // The cursor steps; the values are read from the statement itself, for a `Row` first maps its columns' names.
        let cursor = try DatabaseValue.fetchCursor(prepared, arguments: StatementArguments(arguments))
        let columns = prepared.columnNames
        let indices = 0..<CInt(columns.count)
        var rows: [[SQLValue]] = []
        while try cursor.next() != nil {
            let stepped = prepared.sqliteStatement
            rows.append(indices.map { SQLiteValue.decode(DatabaseValue(sqliteStatement: stepped, index: $0)) })
        }
        return SQLResult(columns: columns, rows: rows, affected: verb == .change ? db.changesCount : 0)
    }

    /// One after the other; outside a transaction all or nothing, as PostgreSQL's pipelines are.
    private func pipeline(_ statements: [SQLStatement], _ db: Database) throws -> [SQLResult] {
        let alreadyInside = db.isInsideTransaction || state.withLock { $0.isAborted }
        let verbs = statements.map { SQLVerb($0.text) }
        let isPlain = verbs.allSatisfy { $0 == .change || $0 == .query || $0 == .other }
        let wrap = !alreadyInside && isPlain && verbs.contains { $0 != .query }
        do {
            if wrap {
                try keepLog(db)
                try db.beginTransaction(db.configuration.readonly ? .deferred : .immediate)
            }
            let results = try statements.map { try execute($0, db) }
            if wrap { try db.commit() }
            return results
        } catch {
            // Before the rollback, after which no key is broken any longer.
            let failure = Self.failure(error, db)
            if !alreadyInside, db.isInsideTransaction { try db.rollback() }
            throw failure
        }
    }

    /// Turns the write-ahead log on before the first write.
    private func keepLog(_ db: Database) throws {
        guard state.withLock({ $0.keepsJournal }), !db.isInsideTransaction else { return }
        guard try Self.logMode(db) == "wal" else {
            throw DatabaseError(message: "could not activate WAL Mode at path: \(path)")
        }
        state.withLock { $0.keepsJournal = false }
    }

    /// The file's journal mode after the attempt. SQLite waits for readers, and for a writer only where a transaction
    /// begins.
    private static func logMode(_ db: Database) throws -> String? {
        for _ in 0..<mostWriters {
            do {
                return try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                try db.beginTransaction(.immediate)
                try db.rollback()
            }
        }
        return try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
    }

    /// The number of other writers after which the change of the journal gives up.
    private static let mostWriters = 16

    private static func grdb(_ configuration: SQLiteConfiguration) -> Configuration {
        var grdb = Configuration()
        grdb.label = "farewell"
        grdb.allowsUnsafeTransactions = true
        grdb.readonly = configuration.access == .readOnly
        let wait = SQLiteLockWait.live(configuration.busyTimeout)
        grdb.busyMode = .callback { wait.waits(after: $0) }
        let isReadOnly = grdb.readonly
        grdb.prepareDatabase { db in
            db.add(function: KeyedHash.function)
            try Self.enforceConstraints(db)
            try db.observeChanges()
            guard !isReadOnly else { return }
            // A library built without secure deletion answers nothing or 0 here.
            guard try Int.fetchOne(db, sql: "PRAGMA secure_delete = 1") == 1 else {
                throw FarewellError(
                    "sql.no-secure-delete", .ours, "This SQLite cannot overwrite erased bytes (secure_delete).",
                    remedy: "Use a SQLite library built with secure deletion.")
            }
        }
        return grdb
    }

    /// A library may be built with other defaults, or without foreign keys. Triggers do not call themselves again, as
    /// by SQLite's own default.
    private static func enforceConstraints(_ db: Database) throws {
        for pragma in ["ignore_check_constraints = OFF", "recursive_triggers = OFF", "defer_foreign_keys = OFF"] {
            try db.execute(sql: "PRAGMA \(pragma)")
        }
        try db.execute(sql: "PRAGMA foreign_keys = ON")
        guard try Int.fetchOne(db, sql: "PRAGMA foreign_keys") == 1 else {
            throw FarewellError(
                "sql.no-foreign-keys", .ours, "This SQLite cannot enforce foreign keys.",
                remedy: "Use a SQLite library built with foreign keys and triggers.")
        }
    }

    private static let returned = FarewellError(
        "sql.connection-returned", .ours, "A connection was used after its return to the pool.")
    private static let aborted = FarewellError(
        "sql.25P02", .ours, "The transaction was rolled back by an earlier error; its statements are ignored.",
        remedy: "Roll back and begin again.")
}

extension Database {
    /// Counts every row that the connection changes from now on, and adds the functions that return the counts.
    fileprivate func observeChanges() throws {
        let result = csqlitechanges_observe(sqliteConnection.map(UnsafeMutableRawPointer.init))
        guard result == 0 else { throw DatabaseError(resultCode: ResultCode(rawValue: result)) }
    }
}
