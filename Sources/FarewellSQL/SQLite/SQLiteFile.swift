// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// A SQLite file as the file system has it.
enum SQLiteFile {
    /// Distinguishes a file from another at the same path.
    struct Identity: Sendable, Hashable {
        let device: UInt64
        let inode: UInt64
    }

    /// The file that a path leads to now; `nil` if there is none.
    static func identity(at path: String) -> Identity? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Identity(
            device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(truncatingIfNeeded: status.st_ino))
    }

    /// The data that was read or written is in a file that has no path any longer.
    static let replaced = FarewellError(
        "sql.file-replaced", .tryAgain, "The SQLite file was replaced or removed while it was in use.",
        remedy: "Try again. If a back-up was restored, run farewell reerase.")

    /// Requires that a path leads to an ordinary file, or to none: opening a pipe would wait for a writer, and a device
    /// is no database.
    static func requireOrdinary(at path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
        let kind = status.st_mode & S_IFMT == S_IFDIR ? "a folder" : "a pipe or a device"
        throw FarewellError(
            "sql.bad-address", .yoursToFix, "\(path) is \(kind), not a SQLite file.",
            remedy: "Give the path of the file.")
    }

    /// Makes an empty file that only its owner can read and write (0600), whatever the umask, if there is none;
    /// SQLite takes that for a database without tables, and gives the files beside it (-wal, -shm, -journal) the same
    /// mode.
    ///
    /// An existing file keeps its mode and is not even opened: closing it would release the locks that SQLite holds on
    /// it in this process. If it cannot be made, SQLite's own attempt reports the error.
    static func makeIfMissing(at path: String) {
        let path = target(of: path)
        #if os(Linux)
        _ = mknod(path, S_IFREG | mode, 0)
        #else
        let made = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode)
        if made >= 0 { close(made) }
        #endif
    }

    private static let mode: mode_t = 0o600
    /// As many as the system follows.
    private static let mostLinks = 40

    /// The target of a symbolic link that SQLite would follow, even if it does not exist yet.
    private static func target(of path: String) -> String {
        var path = path
        for _ in 0..<mostLinks {
            guard let next = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { return path }
            let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
            path = next.hasPrefix("/") ? next : folder + next
        }
        return path
    }
}
