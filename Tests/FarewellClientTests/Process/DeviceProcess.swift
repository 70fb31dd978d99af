// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellClient
import Foundation
import Testing

/// The example app as a real process, and the server it speaks to.
final class DeviceProcess: Sendable {
    let folder: String
    let server: String

    init(server: String) {
        self.server = server
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("app-\(UUID().uuidString)").path
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }

    struct End: Sendable {
        let status: Int32
        let wasKilled: Bool
        let output: String
    }

    /// Runs a verb to its end, or to its death after the nth recorded state.
    func run(_ verb: String..., dieAfter: Int = 0) async throws -> End { try await start(verb, dieAfter: dieAfter).end() }

    func start(_ verb: [String], dieAfter: Int = 0) throws -> Running {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("sessions-example")
        process.arguments = [server, folder] + verb
        process.environment = ProcessInfo.processInfo.environment.merging([
            "FAREWELL_PASSWORD": "correct horse battery staple", "FAREWELL_DIE_AFTER": "\(dieAfter)",
        ]) { $1 }
        let said = FileManager.default.temporaryDirectory.appendingPathComponent("said-\(UUID().uuidString)").path
        return Running(process: process, said: said, task: Task { try await process.ended(writingTo: said) })
    }

    struct Running: Sendable {
        let process: Process
        let said: String
        let task: Task<String, any Error>

        func end() async throws -> End {
            let output = try await task.value
            try? FileManager.default.removeItem(atPath: said)
            return End(
                status: process.terminationStatus, wasKilled: process.terminationReason == .uncaughtSignal, output: output)
        }
    }

    /// What the app has left in its folder, beside keys and locks.
    var leftovers: [String] {
        let all = (FileManager.default.enumerator(atPath: folder)?.allObjects as? [String]) ?? []
        return all.filter { !$0.hasSuffix(".lock") && !$0.hasSuffix("installation.key") && $0 != "state" }.sorted()
    }
}

/// The small server in memory, which counts.
struct CountingServer {
    private let process: Process
    private let input: Pipe
    let url: String

    init() throws {
        process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Interop/device_server.py")
        process.arguments = ["python3", script.path]
        input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        var said = ""
        while !said.contains("\n") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw Odd("the server did not start") }
            said += String(decoding: data, as: UTF8.self)
        }
        url = said.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    func stop() {
        try? input.fileHandleForWriting.close()
        process.terminate()
    }

    struct Count: Decodable {
        let people: [String: String]
        let sessions: [String]
        let erasures: [[String: String]]
        let alarms, refreshes: Int
    }

    func count() async throws -> Count {
        let answer = try await LiveHTTPTransport().send(.init("GET", try #require(URL(string: url + "/control"))))
        return try JSONDecoder().decode(Count.self, from: answer.body)
    }
}

extension Process {
    /// Runs it to its end without keeping a thread waiting; what it wrote, also when others hold its output open.
    func ended(writingTo path: String) async throws -> String {
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        standardOutput = FileHandle(forWritingAtPath: path)
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            terminationHandler = { _ in continuation.resume() }
            do { try run() } catch { continuation.resume(throwing: error) }
        }
        return String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    }
}
