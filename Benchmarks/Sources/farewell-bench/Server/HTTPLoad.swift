// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// Calls made as quickly as they are answered, by wrk in a process of its own with as many threads as there are cores.
struct HTTPLoad: Sendable {
    /// The script, in `Benchmarks/Load`.
    let script: String
    /// A file whose lines are shared out among the threads.
    let lines: URL
    var arguments: [String] = []
    var connections = 16
    let seconds: Int

    /// More would only take turns with each other, and with the server.
    private static let threads = ProcessInfo.processInfo.activeProcessorCount

    /// The result.
    struct Result: Sendable {
        /// Answered as wanted.
        let good: Int
        /// Answered 429 or 503.
        let busy: Int
        /// Anything else, and connections that broke.
        let bad: Int
        let took: Duration
        let median: Duration
        let p99: Duration

        var rate: Double { Double(good) / took.seconds }
        var text: String { "\(rate.short)/s, p50 \(median.text), p99 \(p99.text)" }

        /// The result, where nothing went wrong.
        func checked() throws -> Result {
            guard bad == 0, busy == 0, good > 0 else {
                throw FarewellError(
                    "bench.load", .ours,
                    "Of the calls \(good) were answered well, \(busy) with 429 or 503, \(bad) otherwise.")
            }
            return self
        }
    }

    func run(against address: String) async throws -> Result {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Load").standardized
        let output = try await Self.run(
            [
                "wrk", "-t\(Self.threads)", "-c\(connections)", "-d\(seconds)s", "--timeout", "30s", "-s",
                folder.appending(path: "\(script).lua").path, address, "--", lines.path,
            ] + arguments,
            ["FAREWELL_LOAD": folder.path, "FAREWELL_THREADS": "\(Self.threads)"])
        let last = output.split(separator: "\n").last { $0.hasPrefix("RESULT ") }
        let numbers = (last ?? "").split(separator: " ").compactMap { Int($0) }
        guard numbers.count == 6 else {
            throw FarewellError("bench.load", .ours, "wrk did not tell what it found: \(output.suffix(500))")
        }
        return Result(
            good: numbers[0], busy: numbers[1], bad: numbers[2], took: .microseconds(numbers[3]),
            median: .microseconds(numbers[4]), p99: .microseconds(numbers[5]))
    }

    private static func run(_ words: [String], _ environment: [String: String]) async throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let data = (try? output.fileHandleForReading.readToEnd()) ?? Data()
                process.waitUntilExit()
                continuation.resume(returning: String(decoding: data, as: UTF8.self))
            }
        }
    }
}
