// SPDX-License-Identifier: Apache-2.0

import Farewell

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// An open file or folder of the operating system, closed at the end of its use.
package struct Descriptor: ~Copyable {
    let raw: Int32

    package init(_ raw: Int32) { self.raw = raw }

    deinit { close(raw) }

    func status() throws -> stat {
        var status = stat()
        guard fstat(raw, &status) == 0 else { throw FileFailure(errno).error("An open file cannot be inspected") }
        return status
    }

    func size() throws -> Int { Int(try status().st_size) }

    /// The number of bytes that can be added to a file of `size` bytes, as far as the system says: the free blocks, and
    /// the rest of the file's last one.
    func room(after size: Int) throws -> Int {
        let block = max(1, Int(try self.status().st_blksize))
        var volume = statvfs()
        guard fstatvfs(raw, &volume) == 0, volume.f_blocks > 0 else { return .max }
        // The last blocks are for the system's own user.
        let blocks = geteuid() == 0 ? volume.f_bfree : volume.f_bavail
        let free = UInt64(blocks) &* UInt64(volume.f_frsize)
        return Int(clamping: free &+ UInt64((block - size % block) % block))
    }

    /// Locks the file for this process until it is closed; `false` if another process holds it. Does not wait.
    func take() throws -> Bool {
        while flock(raw, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw FileFailure(errno).error("An open file cannot be locked") }
        }
        return true
    }

    /// Locks the file for this process until it is closed; waits while another process holds it.
    package func waitAndTake() throws {
        while flock(raw, LOCK_EX) != 0 {
            guard errno == EINTR else { throw FileFailure(errno).error("An open file cannot be locked") }
        }
    }

    /// Writes all of the bytes at the current end; `false` leaves the cause in `errno`.
    package func write(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { WholeWrite.write($0, to: raw) } }

    /// Reads on from the current place, at most `limit` bytes.
    package func readToEnd(limit: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < limit {
            let more = try read(min(1 << 16, limit - bytes.count))
            if more.isEmpty { break }
            bytes += more
        }
        return bytes
    }

    /// Reads up to `count` bytes; empty at the end.
    func read(_ count: Int) throws -> [UInt8] {
        while true {
            var failure: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                let got = sysRead(raw, buffer.baseAddress, count)
                if got < 0 { failure = errno }
                filled = max(0, got)
            }
            if failure == 0 { return bytes }
            guard failure == EINTR else { throw FileFailure(failure).error("A file cannot be read") }
        }
    }
}

// Inside a type with a method of this name, the system's call needs a name of its own.
private func sysRead(_ raw: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int { read(raw, buffer, count) }
