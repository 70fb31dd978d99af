// SPDX-License-Identifier: Apache-2.0
import Farewell
import GRDB
import GRDBSQLite

extension SQLiteDatabase {
    /// Hands over every byte of the database's file and of its write-ahead log, piece by piece. The log's index holds
    /// page numbers only.
    ///
    /// It reads through SQLite's own handles. Were the files opened here, closing them would drop the locks that this
    /// process holds on them (POSIX's rule for record locks), and another process could then take the log away from
    /// under it: https://www.sqlite.org/howtocorrupt.html, section 2.2.
    ///
    /// - Parameters:
    ///   - window: How many bytes a piece has at most.
    ///   - take: Given a file's number, from 0, and the piece that follows the one before; not on the caller's thread.
    public func readFiles(
        window: Int = 1 << 20, _ take: @escaping @Sendable (_ file: Int, _ piece: [UInt8]) -> Void
    ) async throws {
        try await withConnection { connection in
            // A connection knows its log once it has read.
            _ = try await connection.run("SELECT count(*) FROM sqlite_schema")
            guard let lease = connection as? SQLiteConnection.Lease else { return }
            try await lease.connection.perform(lease: lease.number) { db in
                let files = [SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER].compactMap {
                    OpenFile(db.sqliteConnection, $0)
                }
                for (number, file) in files.enumerated() {
                    try file.read(window: max(window, 1)) { take(number, $0) }
                }
            }
        }
    }

    /// SQLite's own handle of a file. Valid as long as its connection is not used otherwise.
    private struct OpenFile {
        let file: UnsafeMutablePointer<sqlite3_file>
        let methods: sqlite3_io_methods

        /// `nil` if there is no such file: a database in memory, or one without a log.
        init?(_ connection: OpaquePointer?, _ which: Int32) {
            var file: UnsafeMutablePointer<sqlite3_file>?
            guard sqlite3_file_control(connection, "main", which, &file) == SQLITE_OK, let file,
                let methods = file.pointee.pMethods
            else { return nil }
            (self.file, self.methods) = (file, methods.pointee)
        }

        func read(window: Int, _ take: ([UInt8]) -> Void) throws {
            var size: sqlite3_int64 = 0
            try check(methods.xFileSize?(file, &size))
            var place: sqlite3_int64 = 0
            while place < size {
                var piece = [UInt8](repeating: 0, count: min(window, Int(size - place)))
                try check(methods.xRead?(file, &piece, Int32(piece.count), place))
                take(piece)
                place += sqlite3_int64(piece.count)
            }
        }

        /// A file that became shorter meanwhile reads as zeros.
        private func check(_ code: Int32?) throws {
            guard let code, code != SQLITE_OK, code != ResultCode.SQLITE_IOERR_SHORT_READ.rawValue else { return }
            throw DatabaseError(resultCode: ResultCode(rawValue: code))
        }
    }
}
