// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import FarewellKeys

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A file of an export while it is written: buffered, counted and hashed.
final class ExportFile: Sendable {
    private struct State: Sendable {
        var descriptor: Int32
        var buffer: [UInt8] = []
        var hash = SHA256()
        var bytes = 0
        /// How many of them the system has been asked to bring to the disk.
        var sent = 0
    }

    /// How many bytes a file has, and their SHA-256 in hexadecimal digits.
    typealias Size = (bytes: Int, sha256: String)

    private static let most = 1 << 16
    private static let sentAtOnce = 1 << 24
    private let state: Guarded<State>
    private let meter: ExportMeter
    private let isCounted: Bool

    /// Takes over the descriptor.
    ///
    /// - Parameter isCounted: Whether the meter counts the bytes: not those of a file that holds others once more.
    init(_ descriptor: Int32, meter: ExportMeter, isCounted: Bool) {
        state = Guarded(State(descriptor: descriptor))
        self.meter = meter
        self.isCounted = isCounted
    }

    deinit {
        state.withLock { state in
            if state.descriptor >= 0 { close(state.descriptor) }
        }
    }

    func write(_ bytes: [UInt8]) throws {
        try state.withLock { state in
            // A large part goes on as it is.
            if bytes.count >= Self.most {
                try flush(&state)
                return try put(bytes, &state)
            }
            state.buffer += bytes
            if state.buffer.count >= Self.most { try flush(&state) }
        }
    }

    func write(_ text: String) throws { try write(Array(text.utf8)) }

    /// Brings everything to the disk and closes the file.
    func end() throws -> Size {
        try state.withLock { state in
            try flush(&state)
            guard fsync(state.descriptor) == 0 else { throw Self.failure }
            close(state.descriptor)
            state.descriptor = -1
            return (state.bytes, state.hash.finalize().hexadecimal)
        }
    }

    private func flush(_ state: inout State) throws {
        try put(state.buffer, &state)
        state.buffer.removeAll(keepingCapacity: true)
    }

    private func put(_ bytes: [UInt8], _ state: inout State) throws {
        if isCounted { try meter.add(bytes: bytes.count) }
        meter.change()
        guard bytes.withUnsafeBytes({ WholeWrite.write($0, to: state.descriptor) }) else { throw Self.failure }
        bytes.withUnsafeBytes { state.hash.update(bufferPointer: $0) }
        state.bytes += bytes.count
        sendAhead(&state)
    }

    /// Has the system bring a large file to the disk while it is written, so that the end need not wait for all of it.
    ///
    /// Only a request: the end waits for the disk and reports its errors. On Linux this advice begins to write, and
    /// frees what is on the disk already, so that an export does not displace what the database has in memory.
    private func sendAhead(_ state: inout State) {
        #if os(Linux)
        guard state.bytes - state.sent >= Self.sentAtOnce else { return }
        _ = posix_fadvise(
            state.descriptor, off_t(state.sent), off_t(state.bytes - state.sent), POSIX_FADV_DONTNEED)
        state.sent = state.bytes
        #endif
    }

    private static var failure: FarewellError { FileFailure(errno).error("A file of the export cannot be written") }
}
