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

/// The folder in which a device keeps what must outlive the process: its own, mode 0700, never through a symbolic link.
///
/// Processes that share a session share the folder: on Apple's systems it is in the container of the app group. It is a
/// folder for this purpose alone, such as `account`, and never the container itself: back-ups leave out all that is in
/// it. A device keeps one file beside it, with the name of the folder and `.user`, which is in back-ups: it has a
/// salted hash of the user to whom the data on the device belongs. Nothing can be written beside a container, and
/// without that file data from a restored back-up counts as no user's.
public struct StateFolder: Sendable {
    public let path: String

    /// Makes the folder and its parents if they are missing.
    ///
    /// - Throws: `device.storage` if it cannot be made, or belongs to another user.
    public init(_ path: String) throws {
        self.path = path
        try? FileManager.default.createDirectory(
            atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path, withIntermediateDirectories: true)
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw trouble("The state folder cannot be created") }
        var status = stat()
        guard lstat(path, &status) == 0 else { throw trouble("The state folder cannot be inspected") }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
            throw FarewellError(
                "device.storage", .yoursToFix, "Other users can change the state folder, or it is not a folder.",
                remedy: "Give it another path, or run chmod 700 on it.")
        }
        if status.st_mode & 0o077 != 0, chmod(path, 0o700) != 0 { throw trouble("The state folder cannot be secured") }
        protect()
    }

    func file(_ name: String) -> String { path + "/" + name }

    /// A file's bytes; `nil` when there is none, for certain.
    ///
    /// - Throws: `device.record-unreadable` for more than `limit` bytes, which no version of Farewell has written.
    func read(_ name: String, limit: Int = 1 << 20) throws -> Data? {
        let descriptor = open(file(name), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw trouble("\(name) cannot be opened")
        }
        defer { close(descriptor) }
        do {
            return try WholeRead.data(of: descriptor, limit: limit)
        } catch .tooLarge {
            throw FarewellError(
                "device.record-unreadable", .ours,
                "\(name) in the state folder is too large to be a file of Farewell.")
        } catch .system(let cause) {
            throw trouble("\(name) cannot be read", cause)
        }
    }

    /// Replaces a file as a whole, with mode 0600: after a crash there are the old bytes or the new ones.
    ///
    /// The caller holds the lock of the file.
    func replace(_ name: String, with data: Data) throws {
        let fresh = name + ".new"
        if unlink(file(fresh)) != 0, errno != ENOENT { throw trouble("\(name) cannot be written") }
        let descriptor = open(file(fresh), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw trouble("\(name) cannot be written") }
        let written = data.withUnsafeBytes { WholeWrite.write($0, to: descriptor) } && fsync(descriptor) == 0
        let cause = errno
        close(descriptor)
        guard written, rename(file(fresh), file(name)) == 0 else {
            let cause = written ? errno : cause
            unlink(file(fresh))
            throw trouble("\(name) cannot be written", cause)
        }
        try sync()
    }

    /// The decision stored in this folder; if there is none, it is made now, while other processes wait.
    package func decided(_ name: String, _ decide: () -> String) throws -> String {
        String(decoding: try made(name) { Data(decide().utf8) }, as: UTF8.self)
    }

    /// The bytes of a file; if there are none that can be used, they are made now, while other processes wait.
    func made(
        _ name: String, isUsable: (Data) -> Bool = { _ in true }, _ make: () throws -> Data
    ) throws -> Data {
        if let kept = try usable(name, isUsable) { return kept }
        let lock = open(file(name + ".lock"), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw trouble("\(name) cannot be opened") }
        defer { close(lock) }
        while flock(lock, LOCK_EX) != 0 {
            guard errno == EINTR else { throw trouble("\(name) cannot be locked") }
        }
        if let kept = try usable(name, isUsable) { return kept }
        let fresh = try make()
        try replace(name, with: fresh)
        return fresh
    }

    private func usable(_ name: String, _ isUsable: (Data) -> Bool) throws -> Data? {
        do {
            return try read(name).flatMap { isUsable($0) ? $0 : nil }
        } catch let error as FarewellError where error.family == .ours {
            return nil
        }
    }

    /// Removes a file; one that is not there is fine.
    func remove(_ name: String) throws {
        if unlink(file(name)) == 0 { return try sync() }
        guard errno == ENOENT else { throw trouble("\(name) cannot be removed") }
    }

    private func sync() throws {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw trouble("The state folder cannot be opened") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw trouble("The state folder cannot be written") }
    }

    func trouble(_ what: String, _ cause: Int32 = errno) -> FarewellError {
        FarewellError("device.storage", .tryAgain, "\(what) (error \(cause) of the system).")
    }
}
