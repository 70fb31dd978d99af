// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A folder held open: names are looked up in this folder, wherever it is moved and whatever takes its place.
final class OpenFolder {
    #if canImport(Darwin)
    private let stream: UnsafeMutablePointer<DIR>
    #else
    private let stream: OpaquePointer
    #endif
    let descriptor: Int32

    /// Takes over the descriptor.
    init(_ raw: Int32) throws {
        guard let stream = fdopendir(raw) else {
            let failure = FileFailure(errno)
            close(raw)
            throw failure.error("A folder cannot be listed")
        }
        self.stream = stream
        descriptor = raw
    }

    deinit { closedir(stream) }

    /// The root of a tree: a real folder, not a link to one.
    static func root(_ path: String) throws -> OpenFolder {
        let raw = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        if raw >= 0 { return try OpenFolder(raw) }
        switch errno {
        case ENOENT:
            throw FarewellError(
                "folder.root-missing", .yoursToFix, "The root of a folder store does not exist.",
                remedy: "Mount it, or correct root in the plan. A missing root never counts as an empty one.")
        case ELOOP, ENOTDIR:
            throw FarewellError(
                "folder.root-not-a-folder", .yoursToFix, "The root of a folder store is a link or not a folder.",
                remedy: "Name the real folder as root in the plan.")
        default: throw FileFailure(errno).error("The root of a folder store cannot be opened")
        }
    }

    /// The file of a name, a link itself and not its target; `nil` if there is nothing of that name.
    func status(of name: FileName) throws -> stat? {
        var status = stat()
        if fstatat(descriptor, name.bytes, &status, AT_SYMLINK_NOFOLLOW) == 0 { return status }
        guard errno == ENOENT else { throw FileFailure(errno).error("An entry below a root cannot be inspected") }
        return nil
    }

    /// Opens a folder in this one; `nil` when the name is gone, or is no longer (or never was) a real folder.
    func folder(_ name: FileName) throws -> OpenFolder? {
        let raw = openat(descriptor, name.bytes, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        if raw >= 0 { return try OpenFolder(raw) }
        guard [ENOENT, ELOOP, ENOTDIR].contains(errno) else {
            throw FileFailure(errno).error("A folder below a root cannot be opened")
        }
        return nil
    }

    /// How an attempt to remove a name ended.
    enum Removal {
        case removed, gone, notEmpty
        /// It is a folder instead of the expected file, or the other way round.
        case otherKind
    }

    /// Removes a name that is not a folder. Of a link, only the link is removed, never its target.
    func removeFile(_ name: FileName) throws -> Removal {
        if unlinkat(descriptor, name.bytes, 0) == 0 { return .removed }
        let failure = FileFailure(errno)
        switch failure.number {
        case ENOENT: return .gone
        // Linux says EISDIR for a folder, POSIX allows EPERM too, which may also mean what it says.
        case EISDIR: return .otherKind
        case EPERM where try status(of: name).map { $0.st_mode & S_IFMT == S_IFDIR } == true: return .otherKind
        default: throw failure.error("A file below a root cannot be deleted")
        }
    }

    func removeFolder(_ name: FileName) throws -> Removal {
        if unlinkat(descriptor, name.bytes, AT_REMOVEDIR) == 0 { return .removed }
        switch errno {
        case ENOENT: return .gone
        case ENOTEMPTY, EEXIST: return .notEmpty
        case ENOTDIR: return .otherKind
        default: throw FileFailure(errno).error("A folder below a root cannot be deleted")
        }
    }

    /// The next name, in no order; `nil` at the end.
    func next() throws -> FileName? {
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw FileFailure(errno).error("A folder below a root cannot be read") }
                return nil
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: 1) { FileName(system: $0) }
            }
            if let name { return name }
        }
    }

    func rewind() { rewinddir(stream) }

    /// Waits until the removals in this folder are on the disk.
    func sync() throws {
        // Some file systems have nothing to wait for and say so.
        guard fsync(descriptor) == 0 || errno == EINVAL else {
            throw FileFailure(errno).error("Deletions below a root cannot be synced to disk")
        }
    }
}
