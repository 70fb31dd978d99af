// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage

/// A pipe with room for one line: a process that writes its progress into it goes no further than its reader, however
/// busy the machine is.
struct LinePipe: Sendable {
    let writer: FileDescriptor
    private let reader: FileDescriptor

    /// The smallest size a pipe has: one page, so one write where each takes a page of its own.
    private static let page: Int32 = 4_096

    // Of Linux, and not among what Swift sees of its C library.
    private static let setPipeSize: Int32 = 1_031
    #if arch(arm64)
    private static let inPackets: Int32 = 0o200000
    #else
    private static let inPackets: Int32 = 0o40000
    #endif

    init() throws {
        (reader, writer) = try FileDescriptor.pipe()
        let changes = [
            fcntl(writer.rawValue, Self.setPipeSize, Self.page), fcntl(writer.rawValue, F_SETFL, Self.inPackets),
            fcntl(writer.rawValue, F_SETFD, FD_CLOEXEC), fcntl(reader.rawValue, F_SETFD, FD_CLOEXEC),
        ]
        guard !changes.contains(-1) else { throw Errno(rawValue: errno) }
    }

    /// The next line; `nil` when no writer is left.
    func next() async throws -> String? {
        try await withCheckedThrowingContinuation { continuation in
            // A thread that may wait: those of Swift's own tasks may not.
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result {
                        var bytes = [UInt8](repeating: 0, count: Int(Self.page))
                        let count = try bytes.withUnsafeMutableBytes { try reader.read(into: $0) }
                        return count == 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
                    })
            }
        }
    }

    /// For the reader, when it is done; the writer's end is the process's.
    func close() throws { try reader.close() }
}
