// SPDX-License-Identifier: Apache-2.0
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Keeps account of files with several names, since removing one name leaves the bytes under the others.
///
/// Remembers only files that have more than one name or were kept: memory does not grow with ordinary files.
struct FileNames {
    private struct Identity: Hashable {
        let device: UInt64
        let inode: UInt64

        init(_ status: stat) {
            device = UInt64(truncatingIfNeeded: status.st_dev)
            inode = UInt64(truncatingIfNeeded: status.st_ino)
        }
    }

    private var othersLeft: Set<Identity> = []
    private var kept: Set<Identity> = []

    /// A name was removed; `status` is the file's just before.
    mutating func removed(_ status: stat) {
        guard status.st_mode & S_IFMT == S_IFREG else { return }
        if status.st_nlink > 1 {
            othersLeft.insert(Identity(status))
        } else if !othersLeft.isEmpty {
            othersLeft.remove(Identity(status))
        }
    }

    /// A file was left in place. Met again in a later pass, it counts once.
    mutating func keep(_ status: stat) { kept.insert(Identity(status)) }

    /// Files that still have a name somewhere.
    var withOthers: Int { othersLeft.count }
    var shared: Int { kept.count }
}
