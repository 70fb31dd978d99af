// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Why a database takes no writes, found without a write.
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
    /// A frozen server, or one behind a broken network: its connections stay open, and nothing arrives on them.
    package static let silent = FarewellError(
        "sql.08006", .tryAgain, "The database does not answer.",
        remedy: "Check that its server runs and can be reached.")
    /// A pooler answers nothing by itself: whether it waits or the database does cannot be seen from here.
    package static let silentPooler = FarewellError(
        "sql.08006", .tryAgain,
        "The database's pooler does not answer: all its connections are in use, or the database does not answer it.",
        remedy: "Look at the pooler's waiting clients, and check that the database's server runs.")
    /// Nothing can be asked meanwhile: long statements or waits for locks hold the connections, or their server has
    /// fallen silent.
    package static let allInUse = FarewellError(
        "sql.pool-exhausted", .tryAgain,
        "All connections of this process to the database are in use, and no answer has arrived on any for seconds.",
        remedy: "Look for long statements and waits for locks in pg_stat_activity.")
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
