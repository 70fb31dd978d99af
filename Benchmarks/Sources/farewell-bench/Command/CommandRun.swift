// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// A program that ran to its end: how long, and how much memory it had at most.
struct CommandRun: Sendable {
    let took: Duration
    /// The most that was resident, in MiB; 0 where the system does not tell.
    let memory: Double
    /// What it wrote.
    let log: URL

    /// Runs the command beside this program.
    init(_ arguments: [String], log: URL) async throws {
        try await self.init(at: ServerProcess.folder.appending(path: "farewell"), arguments, log: log)
    }

    /// - Throws: `bench.program` unless it exits with 0.
    init(at program: URL, _ arguments: [String], log: URL) async throws {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        _ = FileManager.default.createFile(atPath: log.path, contents: nil)
        let output = try FileHandle(forWritingTo: log)
        process.standardOutput = output
        process.standardError = output
        let watch = Stopwatch()
        let ended = Signal()
        memory = try await withThrowingTaskGroup(of: Double.self) { tasks in
            tasks.addTask {
                var most = 0.0
                while !ended.isGiven {
                    most = max(most, ProcessMemory.most(of: process.processIdentifier) ?? 0)
                    try await ContinuousClock().sleep(for: .milliseconds(20))
                }
                return most
            }
            defer { ended.give() }
            try await process.runToEnd()
            ended.give()
            return try await tasks.next() ?? 0
        }
        took = watch.elapsed()
        self.log = log
        guard process.terminationStatus == 0 else {
            throw FarewellError(
                "bench.program", .ours,
                "\(program.lastPathComponent) \(arguments.first ?? "") ended with \(process.terminationStatus).",
                remedy: "Its log is \(log.path).")
        }
    }
}

extension Process {
    /// Starts it and waits for its end. `waitUntilExit` keeps a processor busy on a run loop without sources.
    func runToEnd() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            terminationHandler = { _ in continuation.resume() }
            do {
                try run()
            } catch {
                terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
    }
}
