// SPDX-License-Identifier: Apache-2.0

/// How a SQLite file is opened.
public struct SQLiteConfiguration: Sendable, Hashable {
    /// The permitted use of the file.
    public enum Access: Sendable, Hashable {
        /// Reads and writes a file that exists.
        case readWrite
        /// Reads and writes; makes the file when it is missing.
        case createIfMissing
        /// Only reads; a write throws `sql.25006`.
        case readOnly
    }

    /// How a file that is written to keeps its journal.
    public enum Journal: Sendable, Hashable {
        /// As a write-ahead log, which lets others read meanwhile; the file remembers it. The first write turns it on,
        /// unless that is inside a transaction begun by a plain `BEGIN`.
        case writeAhead
        /// As the file has it: nothing about the file is changed.
        case unchanged
    }

    public var access: Access
    /// The file's journal mode; a file that is only read keeps its own in any case.
    public var journal: Journal
    /// The most connections open at once. SQLite has one writer at a time whatever the number.
    public var maximumConnections: Int
    /// How long a call waits for a free connection before it throws `sql.pool-exhausted`.
    public var connectionWait: Duration
    /// How long a statement waits for another connection's lock before it throws `sql.55P03`.
    public var busyTimeout: Duration

    public init(
        access: Access = .readWrite, maximumConnections: Int = 4, connectionWait: Duration = .seconds(10),
        busyTimeout: Duration = .seconds(10), journal: Journal = .writeAhead
    ) {
        self.access = access
        self.journal = journal
        self.maximumConnections = maximumConnections
        self.connectionWait = connectionWait
        self.busyTimeout = busyTimeout
    }
}
