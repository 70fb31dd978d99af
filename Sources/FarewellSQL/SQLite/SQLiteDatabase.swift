// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import GRDB

/// A SQLite file: secure deletion (erased bytes are overwritten with zeros) and foreign keys are on for every
/// connection. Committed data is on the disk (`synchronous` is `FULL`). The first write turns the write-ahead log on.
///
/// If the path leads to another file later, as after a restore, connections to that file are opened, and a call under
/// way throws `sql.file-replaced`.
///
/// It has the SQL function `farewell_keyed_hash(key, value)`: HMAC-SHA-256 in lower-case hex.
public final class SQLiteDatabase: SQLDatabase {
    public let path: String
    public var dialect: SQLDialect { .sqlite }
    let pool: ConnectionPool<SQLiteConnection>
    let refusedWrites = RefusedWrites()

    /// - Throws: `sql.missing-file` if there is no such file and `configuration` does not create one.
    public init(path: String, configuration: SQLiteConfiguration = SQLiteConfiguration()) throws {
        try Self.check(path, configuration.access)
        self.path = path
        let wasOpened = Guarded(false)
        pool = ConnectionPool(limit: configuration.maximumConnections, wait: configuration.connectionWait) {
            try await BlockingWork.run {
                // If the file has existed, it is not created again.
                if wasOpened.withLock({ $0 }), SQLiteFile.identity(at: path) == nil { throw SQLiteFile.replaced }
                let connection = try SQLiteConnection(path: path, configuration: configuration)
                wasOpened.withLock { $0 = true }
                return connection
            }
        }
    }

    public func withConnection<Value: Sendable>(
        _ body: (any SQLConnection) async throws -> Value
    ) async throws -> Value {
        try await refusedWrites.noting { try await pool.withConnection(body) }
    }

    public func close() async {
        pool.close()
    }

    private static func check(_ path: String, _ access: SQLiteConfiguration.Access) throws {
        // SQLite gives these names a meaning of their own: a database in memory, another for each connection.
        guard !path.isEmpty, !path.hasPrefix(":"), !path.hasPrefix("file:"), !path.contains("\0") else {
            throw FarewellError(
                "sql.bad-address", .yoursToFix, "The SQLite address is not the path of a file.",
                remedy: "Give a path such as sqlite:app.sqlite.")
        }
        try SQLiteFile.requireOrdinary(at: path)
        if SQLiteFile.identity(at: path) == nil, access != .createIfMissing {
            throw FarewellError(
                "sql.missing-file", .yoursToFix, "There is no SQLite file at \(path).",
                remedy: "Check the path; Farewell never creates an empty database by accident.")
        }
    }
}
