// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// One of our programs in a process of its own that serves HTTP, or works, from its start until `stop`.
final class ServerProcess: Sendable {
    /// `http://127.0.0.1:…`; empty where it does not say so.
    let address: String
    /// From the start of the process to its word that it has begun.
    let startTook: Duration
    private let process: Process
    private let input = Pipe()

    /// Starts a program that stands beside this one, and waits until it says where it listens, or another word.
    convenience init(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], log: URL,
        until word: String = "Listening on "
    ) async throws {
        try await self.init(
            at: Self.folder.appending(path: program), arguments, environment: environment, log: log, until: word)
    }

    /// Starts any program, in the same way. Its input ends with it.
    init(
        at program: URL, _ arguments: [String], environment: [String: String] = [:], log: URL, until word: String
    ) async throws {
        process = Process()
        process.executableURL = program
        process.standardInput = input
        process.arguments = arguments
        // A server refuses to start with a setting that it does not know, and those of the benchmark are none of its.
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("FAREWELL_BENCH_") }
            .merging(environment) { $1 }
        _ = FileManager.default.createFile(atPath: log.path, contents: nil)
        process.standardError = try FileHandle(forWritingTo: log)
        let output = Pipe()
        process.standardOutput = output
        let watch = Stopwatch()
        try process.run()
        let line = await Self.line(from: output.fileHandleForReading, with: word)
        startTook = watch.elapsed()
        guard let line else {
            process.terminate()
            throw FarewellError(
                "bench.no-server", .ours, "\(program.lastPathComponent) did not start.",
                remedy: "Its log is \(log.path).")
        }
        address = line
    }

    /// Runs a program beside this one to completion, and returns its exit status; its output goes into a
    /// log.
    static func status(of program: String, _ arguments: [String], log: URL) async throws -> Int32 {
        let process = Process()
        process.executableURL = folder.appending(path: program)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        _ = FileManager.default.createFile(atPath: log.path, contents: nil)
        let log = try FileHandle(forWritingTo: log)
        process.standardOutput = log
        process.standardError = log
        try await process.runToEnd()
        return process.terminationStatus
    }

    /// Where the programs of this build are.
    static var folder: URL {
        URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
    }

    /// Memory that is the process's own now, in MiB (`VmRSS`); nil where the system does not tell.
    var memory: Double? {
        let path = "/proc/\(process.processIdentifier)/status"
        guard let status = try? String(contentsOfFile: path, encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
            let kilobytes = line.split(separator: " ").dropFirst().first.flatMap({ Double($0) })
        else { return nil }
        return kilobytes / 1024
    }

    var identifier: Int32 { process.processIdentifier }

    func signal(_ number: Int32) { _ = kill(process.processIdentifier, number) }

    /// Asks it to end, by its signal and by the end of what it reads, and waits until it has.
    func stop() async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [process, input] in
                try? input.fileHandleForWriting.close()
                process.terminate()
                process.waitUntilExit()
                continuation.resume()
            }
        }
    }

    /// Lends processes to `body`, and ends them whatever happens.
    static func ending<Value>(
        _ processes: [ServerProcess], after body: () async throws -> Value
    ) async throws -> Value {
        do {
            let value = try await body()
            for process in processes { await process.stop() }
            return value
        } catch {
            for process in processes {
                process.signal(SIGKILL)
                await process.stop()
            }
            throw error
        }
    }

    /// The text after `words` on the first line that has them; nil when the output ends before.
    private static func line(from output: FileHandle, with words: String) async -> String? {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var text = ""
                while true {
                    let piece = output.availableData
                    guard !piece.isEmpty else { return continuation.resume(returning: nil) }
                    text += String(decoding: piece, as: UTF8.self)
                    guard let place = text.range(of: words), text[place.upperBound...].contains("\n") else { continue }
                    let found = text[place.upperBound...].prefix { !$0.isWhitespace }
                    return continuation.resume(returning: String(found))
                }
            }
        }
    }
}
