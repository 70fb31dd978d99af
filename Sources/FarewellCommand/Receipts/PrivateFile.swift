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

/// A file that only its owner can read, written as a whole: a reader finds all of it or nothing.
///
/// It does not wait for the disk: after a loss of power the file may be missing or empty.
struct PrivateFile {
    let folder: String
    let name: String

    private var path: String { folder + "/" + name }

    /// Writes beside the file and renames; makes the folder, for its owner only, if it does not exist.
    ///
    /// - Returns: Whether the file holds `text` now.
    func replace(with text: String) -> Bool {
        let temporary = "\(folder)/.\(name).\(getpid())"
        var file = Self.make(temporary)
        if file < 0, errno == ENOENT, mkdir(folder, 0o700) == 0 || errno == EEXIST { file = Self.make(temporary) }
        // A process of the same number was killed over it.
        if file < 0, errno == EEXIST, unlink(temporary) == 0 { file = Self.make(temporary) }
        guard file >= 0 else { return false }
        let isWritten = Self.write(text, to: file)
        guard close(file) == 0, isWritten, rename(temporary, path) == 0 else {
            unlink(temporary)
            return false
        }
        return true
    }

    /// Whether there is such a file and something in it.
    var hasContent: Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_size > 0
    }

    /// When a file or folder last changed, to the nanosecond where the system keeps it; `nil` if there is none.
    /// Foundation's attributes would look up the names of owner and group as well.
    static func changedAt(_ path: String) -> String? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        return "\(time.tv_sec).\(time.tv_nsec)"
    }

    /// When a file last changed, its content included; no program can set it back. `nil` if there is none.
    static func changedInodeAt(_ path: String) -> (seconds: Int, nanoseconds: Int)? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
        return (Int(status.st_ctimespec.tv_sec), Int(status.st_ctimespec.tv_nsec))
        #else
        return (Int(status.st_ctim.tv_sec), Int(status.st_ctim.tv_nsec))
        #endif
    }

    /// Removes a file that `replace` left half-written because its process was killed.
    func removeIfAbandoned() {
        guard name.hasPrefix("."), let process = name.split(separator: ".").last.flatMap({ Int32($0) }), process > 0,
            name.split(separator: ".").dropLast().last == "jws", kill(process, 0) == -1, errno == ESRCH
        else { return }
        unlink(path)
    }

    private static func make(_ path: String) -> Int32 {
        open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    }

    private static func write(_ text: String, to file: Int32) -> Bool {
        var text = text
        return text.withUTF8 { WholeWrite.write(UnsafeRawBufferPointer($0), to: file) }
    }
}
