// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Why a database that answers takes no writes, found without a write.
///
/// The messages are the same for every database: they name no server, file or table.
package enum WriteObstacle {
    package static let standby = FarewellError(
        "sql.25006", .tryAgain, "The database server is a standby and accepts no writes.",
        remedy: "Promote it, or connect to the primary server.")
    package static let readOnly = FarewellError(
        "sql.25006", .tryAgain, "The database accepts no writes: its transactions are read-only.",
        remedy: "Set default_transaction_read_only to off, or connect to the primary server.")
    package static let readOnlyVolume = FarewellError(
        "sql.25006", .tryAgain, "The database's file is on a file system that is read-only.",
        remedy: "Mount it for writing.")
    package static let readOnlyFile = FarewellError(
        "sql.25006", .tryAgain, "The server may not write to the database's file or to its folder.",
        remedy: "Allow writing to both.")
    package static let diskFull = FarewellError(
        "sql.53100", .tryAgain, "The database's disk is full.", remedy: "Free space on it.")
    package static let diskFails = FarewellError(
        "sql.58030", .tryAgain, "The database's disk reports errors.", remedy: "Look at the database server's log.")

    /// The first words of the errors of a disk that takes no writes; one that is read badly may take them.
    static let failedWrites = ["Writing the SQLite file failed", "PostgreSQL could not write to its disk"]

    /// - Parameters:
    ///   - inRecovery: PostgreSQL's `pg_is_in_recovery()`.
    ///   - isReadOnly: PostgreSQL's `transaction_read_only`.
    static func of(inRecovery: Bool, isReadOnly: Bool) -> FarewellError? {
        inRecovery ? standby : isReadOnly ? readOnly : nil
    }

    /// - Parameters:
    ///   - volume: The file system that holds the SQLite file; nil if it says nothing.
    ///   - isWritable: Whether this process may write to the file and its folder.
    static func of(_ volume: DiskVolume?, isWritable: Bool) -> FarewellError? {
        if let volume {
            if volume.isReadOnly { return readOnlyVolume }
            if volume.freeBytes < DiskVolume.least { return diskFull }
        }
        return isWritable ? nil : readOnlyFile
    }
}

extension SQLDatabase {
    /// Looks whether the database takes writes, with reads alone: the server's role and settings, the file system of
    /// SQLite's file, and whether a write failed lately because the disk is full.
    ///
    /// - Returns: nil if nothing prevents a write.
    /// - Throws: the database's errors.
    package func writeObstacle() async throws -> FarewellError? {
        switch self {
        case let sqlite as SQLiteDatabase: return try await sqlite.obstacle()
        case let server as PostgreSQLDatabase: return try await server.obstacle()
        default: return nil
        }
    }
}

extension PostgreSQLDatabase {
    fileprivate func obstacle() async throws -> FarewellError? {
        let found = try await withConnection { connection in
            let row = try await connection.run(
                "SELECT pg_catalog.pg_is_in_recovery(), current_setting('transaction_read_only') = 'on'"
            ).rows.first
            let found = WriteObstacle.of(
                inRecovery: row?.first == .bool(true), isReadOnly: row?.last == .bool(true))
            // The session keeps its settings, and its server may have stepped down: the next look takes a fresh one.
            if found != nil { (connection as? PostgreSQLConnection.Lease)?.retire() }
            return found
        }
        return found ?? refusedWrites.recent()
    }
}

extension SQLiteDatabase {
    fileprivate func obstacle() async throws -> FarewellError? {
        try await run("SELECT 1")
        let path = path
        let found = try await BlockingWork.run {
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            let isWritable = [path, folder].allSatisfy { FileManager.default.isWritableFile(atPath: $0) }
            return WriteObstacle.of(DiskVolume(at: path), isWritable: isWritable)
        }
        return found ?? refusedWrites.recent()
    }
}
