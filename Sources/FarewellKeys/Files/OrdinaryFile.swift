// SPDX-License-Identifier: Apache-2.0
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Reads files that a user names, and nothing that could block: a pipe without a writer, a terminal, an endless device.
package enum OrdinaryFile {
    package enum Refusal: Error, Sendable {
        /// Nothing is there.
        case missing
        /// It is a folder, a pipe, a socket or a device.
        case notOrdinary
        /// It is there and cannot be read.
        case unreadable
    }

    /// The bytes of a file, at most `limit`.
    ///
    /// - Parameter allowsOpenPipes: Whether a pipe is read that the process already holds: `/dev/stdin`, `/dev/fd/63`.
    package static func read(
        _ path: String, limit: Int, allowsOpenPipes: Bool = false
    ) throws(Refusal) -> [UInt8] {
        let isHeld = allowsOpenPipes && ["/dev/stdin", "/dev/fd/", "/proc/self/fd/"].contains { path.hasPrefix($0) }
        // With O_NONBLOCK opening a pipe does not wait for its writer.
        let number = open(path, O_RDONLY | O_CLOEXEC | (isHeld ? 0 : O_NONBLOCK))
        guard number >= 0 else { throw errno == ENOENT || errno == ENOTDIR ? .missing : .unreadable }
        let file = Descriptor(number)
        guard let kind = (try? file.status())?.st_mode else { throw .unreadable }
        // The null device never blocks and is read as an empty file.
        guard isHeld || kind & S_IFMT == S_IFREG || path == "/dev/null" else { throw .notOrdinary }
        guard let bytes = try? file.readToEnd(limit: limit) else { throw .unreadable }
        return bytes
    }
}
