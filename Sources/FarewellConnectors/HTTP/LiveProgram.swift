// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import NIOPosix

/// Runs a program of the operator's that writes a key: without a shell, with nothing to read, and not for longer than
/// a minute.
struct LiveProgram: Sendable {
    let words: [String]
    let environment: [String: String]
    private static let patience: Int32 = 60_000
    private static let longest = 1 << 16

    /// The exit status and the output; `nil` if it could not be started, did not end in time or wrote too much.
    func ended() async -> (status: Int32, output: [UInt8])? {
        let process = Process()
        // Found in PATH, as a shell finds it.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.environment = environment
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        let (ends, end) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { ended in
            end.yield(ended.terminationStatus)
            end.finish()
        }
        do { try process.run() } catch { return nil }
        try? output.fileHandleForWriting.close()
        // Waits on a thread that may block.
        let descriptor = output.fileHandleForReading.fileDescriptor
        let written = try? await NIOThreadPool.singleton.runIfActive { Self.everything(from: descriptor) }
        let number = process.processIdentifier
        if written ?? nil == nil { kill(number, SIGKILL) }
        // A program that has closed its output and still runs is terminated as well.
        let limit = Task {
            try await Task.sleep(for: .milliseconds(Self.patience))
            kill(number, SIGKILL)
        }
        defer { limit.cancel() }
        var status: Int32 = -1
        for await ended in ends { status = ended }
        try? output.fileHandleForReading.close()
        return (written ?? nil).map { (status, $0) }
    }

    /// All output up to the end; `nil` if it is too late or too long.
    private static func everything(from descriptor: Int32) -> [UInt8]? {
        let start = ContinuousClock.now
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let left = patience - Int32((ContinuousClock.now - start) / .milliseconds(1))
            var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard left > 0, poll(&event, 1, left) > 0 else { return nil }
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return count == 0 ? bytes : nil }
            bytes += buffer[..<count]
            guard bytes.count <= longest else { return nil }
        }
    }
}
