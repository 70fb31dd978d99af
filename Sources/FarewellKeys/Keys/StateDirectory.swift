// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The private folder of one installation (`.farewell`): keys and the ledger, readable by its owner only.
///
/// Everything is reached through the folder's handle, never through a symbolic link, and refused when others
/// could read or change it.
package struct StateDirectory: Sendable {
    package let path: String
    var lockWait = LockWait.live

    /// The folder at `path`, which must exist.
    package static func existing(at path: String) throws -> StateDirectory {
        let directory = StateDirectory(path: path)
        _ = try directory.opened()
        return directory
    }

    /// The folder at `path`, made with mode 0700 where it does not exist. Its parent must.
    package static func prepared(at path: String) throws -> StateDirectory {
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            throw FileFailure(errno).error("The state directory cannot be created")
        }
        return try existing(at: path)
    }

    init(path: String) { self.path = path }

    package func contains(_ name: String) throws -> Bool {
        let directory = try opened()
        var status = stat()
        if fstatat(directory.raw, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return true }
        guard errno == ENOENT else {
            throw FileFailure(errno).error("\(name) in the state directory cannot be inspected")
        }
        return false
    }

    /// A file's bytes; `nil` when there is no such file. Throws when it is longer than `limit`.
    package func read(_ name: String, limit: Int) throws -> Data? {
        guard let file = try open(name, O_RDONLY) else { return nil }
        guard try file.size() <= limit else {
            throw FarewellError(
                "state.too-large", .yoursToFix, "\(name) in the state directory is too large to be a file of Farewell.",
                remedy: Self.replacement)
        }
        return Data(try file.readToEnd(limit: limit))
    }

    /// Replaces a file's bytes as a whole: after a crash there are the old ones or the new ones.
    package func replace(_ name: String, with data: Data) throws {
        let directory = try opened()
        let temporary = name + ".new"
        if unlinkat(directory.raw, temporary, 0) != 0, errno != ENOENT { throw writing(name) }
        do {
            let raw = openat(directory.raw, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard raw >= 0 else { throw writing(name) }
            let file = Descriptor(raw)
            guard file.write(Array(data)), fsync(file.raw) == 0 else { throw writing(name) }
        }
        guard renameat(directory.raw, temporary, directory.raw, name) == 0 else { throw writing(name) }
        guard fsync(directory.raw) == 0 else { throw writing(name) }
    }

    /// Runs `body` while no other process does. Not re-entrant. Blocks until the lock is free.
    ///
    /// - Parameter name: The file that is locked. Work that must go on while other work holds a lock has its own file.
    /// - Throws: `state.busy` when the lock does not become free: the process that holds it was stopped.
    package func locked<Result>(_ name: String = "lock", _ body: () throws -> Result) throws -> Result {
        let lock = try openOrMake(name, O_RDWR)
        var looks = 1
        while try !lock.take() {
            guard looks < lockWait.looks else { throw Self.busy }
            looks += 1
            lockWait.pause()
        }
        return try body()
    }

    /// Runs `body` while no other process does, or returns `nil` at once if another process holds the lock.
    func lockedIfFree<Result>(_ name: String, _ body: () throws -> Result) throws -> Result? {
        let lock = try openOrMake(name, O_RDWR)
        guard try lock.take() else { return nil }
        return try body()
    }

    /// A file's text, made once: processes that start at the same moment all read what one of them has written. A file
    /// that exists is read without the lock, so that a process that was stopped holding the lock delays no other.
    ///
    /// - Throws: `state.busy`, and errors of the file.
    package func text(_ name: String, limit: Int, making make: () throws -> String) throws -> String {
        if let data = try read(name, limit: limit) { return String(decoding: data, as: UTF8.self) }
        return try locked {
            if let data = try read(name, limit: limit) { return String(decoding: data, as: UTF8.self) }
            let made = try make() + "\n"
            try replace(name, with: Data(made.utf8))
            return made
        }
    }

    /// The refusal of a file, as each use of it throws it; `nil` if it can be used, or if there is none.
    package func refusal(of name: String) -> FarewellError? {
        do {
            _ = try open(name, O_RDONLY)
            return nil
        } catch {
            return error as? FarewellError
        }
    }

    /// Opens a file, checked; `nil` when there is none.
    func open(_ name: String, _ flags: Int32) throws -> Descriptor? {
        let directory = try opened()
        let raw = openat(directory.raw, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        if raw < 0 {
            if errno == ENOENT { return nil }
            if errno == ELOOP || errno == EMLINK { throw link(name) }
            throw FileFailure(errno).error("\(name) in the state directory cannot be opened")
        }
        let file = Descriptor(raw)
        try check(try file.status(), isFolder: false, name)
        return file
    }

    /// Opens a file, making it with mode 0600 where there is none.
    func openOrMake(_ name: String, _ flags: Int32) throws -> Descriptor {
        if let file = try open(name, flags) { return file }
        let directory = try opened()
        let raw = openat(directory.raw, name, flags | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard raw >= 0 else { throw writing(name) }
        let file = Descriptor(raw)
        try check(try file.status(), isFolder: false, name)
        guard fsync(directory.raw) == 0 else { throw writing(name) }
        return file
    }

    private func opened() throws -> Descriptor {
        #if canImport(Darwin)
        let raw = Darwin.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        #elseif canImport(Musl)
        let raw = Musl.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        #else
        let raw = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        #endif
        guard raw >= 0 else {
            switch errno {
            case ENOENT:
                throw FarewellError(
                    "state.missing", .yoursToFix, "There is no state directory at the path given.",
                    remedy: "Name the folder that contains keys.json, usually .farewell beside the plan.")
            case ELOOP, ENOTDIR:
                throw FarewellError(
                    "state.not-a-folder", .yoursToFix, "The state directory is a symbolic link or not a folder.",
                    remedy: "Name a real folder.")
            default: throw FileFailure(errno).error("The state directory cannot be opened")
            }
        }
        let directory = Descriptor(raw)
        try check(try directory.status(), isFolder: true, "The state directory")
        return directory
    }

    private func check(_ status: stat, isFolder: Bool, _ name: String) throws {
        let kind = status.st_mode & S_IFMT
        guard kind == (isFolder ? S_IFDIR : S_IFREG) else {
            throw FarewellError(
                "state.wrong-kind", .yoursToFix, "\(name) is not an ordinary \(isFolder ? "folder" : "file").",
                remedy: Self.replacement)
        }
        guard status.st_uid == geteuid() else {
            throw FarewellError(
                "state.foreign-owner", .yoursToFix, "\(name) belongs to another user of this machine.",
                remedy: "Run as its owner, or change the owner with chown.")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw FarewellError(
                "state.readable-by-others", .yoursToFix,
                "\(name) can be read or changed by other users of this machine.",
                remedy: "Run chmod \(isFolder ? "700" : "600") on it, and treat the keys in it as exposed.")
        }
    }

    private static let replacement = "Move it away, and restore it from its back-up."

    private static let busy = FarewellError(
        "state.busy", .tryAgain, "Another process holds the lock of the state directory and does not release it.",
        remedy: "Find a suspended farewell process, resume or end it, then try again.")

    private func link(_ name: String) -> FarewellError {
        FarewellError(
            "state.link", .yoursToFix, "\(name) in the state directory is a symbolic link, which is not followed.",
            remedy: "Replace it with the real file.")
    }

    private func writing(_ name: String) -> FarewellError {
        FileFailure(errno).error("\(name) in the state directory cannot be written")
    }
}
