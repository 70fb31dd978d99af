// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The archive of an export while its subject reads it.
package final class ExportArchive: Sendable {
    /// How many bytes it has.
    package let size: Int
    private let descriptor: Int32
    private let isRemoved: Guarded<Bool>
    private static let piece = 1 << 18

    /// Takes over the descriptor.
    init(_ raw: Int32, isRemoved: Guarded<Bool>) throws {
        descriptor = raw
        self.isRemoved = isRemoved
        var status = stat()
        guard fstat(raw, &status) == 0 else {
            size = 0
            throw FileFailure(errno).error("An archive cannot be inspected")
        }
        size = Int(status.st_size)
    }

    deinit { close(descriptor) }

    /// The next bytes; none at the end.
    ///
    /// - Throws: `export.not-found` once the export has expired or was removed, also amid the reading.
    package func next() async throws -> [UInt8] {
        guard !isRemoved.withLock({ $0 }) else { throw ExportRequests.notFound }
        return try await BlockingWork.run { [self] in
            while true {
                var failure: Int32 = 0
                let bytes = [UInt8](unsafeUninitializedCapacity: Self.piece) { buffer, filled in
                    let got = read(descriptor, buffer.baseAddress, Self.piece)
                    if got < 0 { failure = errno }
                    filled = max(0, got)
                }
                if failure == 0 { return bytes }
                guard failure == EINTR else { throw FileFailure(failure).error("An archive cannot be read") }
            }
        }
    }
}
