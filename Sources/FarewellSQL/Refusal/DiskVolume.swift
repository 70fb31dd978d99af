// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The file system that holds a file.
struct DiskVolume: Sendable, Hashable {
    var isReadOnly: Bool
    /// Bytes that this process may still write.
    var freeBytes: UInt64

    /// Below this SQLite can append no more than a few pages to its log.
    static let least: UInt64 = 256 << 10

    init(isReadOnly: Bool, freeBytes: UInt64) {
        self.isReadOnly = isReadOnly
        self.freeBytes = freeBytes
    }

    /// nil if the system does not say.
    init?(at path: String) {
        var found = statvfs()
        guard statvfs(path, &found) == 0, found.f_blocks > 0 else { return nil }
        // The last blocks are for the system's own user.
        let blocks = geteuid() == 0 ? found.f_bfree : found.f_bavail
        isReadOnly = UInt64(found.f_flag) & UInt64(ST_RDONLY) != 0
        freeBytes = UInt64(blocks) &* UInt64(found.f_frsize)
    }
}
