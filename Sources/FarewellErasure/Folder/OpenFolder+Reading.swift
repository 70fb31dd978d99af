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

extension OpenFolder {
    /// The bytes of an ordinary file in this folder, piece by piece, at most as many as it has now; `false` where the
    /// name is gone or is no ordinary file, such as a link, which is not followed.
    func read(_ name: FileName, _ body: ([UInt8]) throws -> Void) throws -> Bool {
        let raw = openat(descriptor, name.bytes, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard raw >= 0 else {
            if [ENOENT, ELOOP, ENXIO].contains(errno) { return false }
            throw FileFailure(errno).error("A file below a root cannot be opened")
        }
        defer { close(raw) }
        var status = stat()
        guard fstat(raw, &status) == 0 else {
            throw FileFailure(errno).error("A file below a root cannot be inspected")
        }
        guard status.st_mode & S_IFMT == S_IFREG else { return false }
        var left = Int(status.st_size)
        while left > 0 {
            let wanted = min(left, 1 << 16)
            var failure: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
                let got = sysRead(raw, buffer.baseAddress, wanted)
                if got < 0 { failure = errno }
                filled = max(0, got)
            }
            if failure == EINTR { continue }
            guard failure == 0 else { throw FileFailure(failure).error("A file below a root cannot be read") }
            guard !bytes.isEmpty else { break }
            try body(bytes)
            left -= bytes.count
        }
        return true
    }
}

// Inside a type with a method of this name, the system's call needs a name of its own.
private func sysRead(_ raw: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int { read(raw, buffer, count) }
