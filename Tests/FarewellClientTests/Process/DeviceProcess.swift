// SPDX-License-Identifier: Apache-2.0
import Eventually
import Farewell
import FarewellClient
import Foundation
import Testing

/// An example app as a real process, with a folder of its own, and the server it speaks to.
final class DeviceProcess: Sendable {
    let profile: ExampleProfile
    let folder: String
    let server: String

    init(_ profile: ExampleProfile = .sessions, server: String) {
        self.profile = profile
        self.server = server
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("app-\(UUID().uuidString)").path
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }

    struct End: Sendable {
        let status: Int32
        let wasKilled: Bool
        let output: String
    }

    static let environment = ProcessInfo.processInfo.environment.merging([
        "FAREWELL_PASSWORD": "correct horse battery staple", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nobody/is/there",
    ]) { $1 }

    /// Where the programs are that were built with this one.
    static func program(_ name: String) -> String {
        URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent(name).path
    }

    /// Runs a verb to completion, or until it is killed after the nth recorded state by a given signal.
    func run(_ verb: String..., dieAfter: Int = 0, by signal: Int32 = SIGKILL) async throws -> End {
        try await start(verb, dieAfter: dieAfter, by: signal).end()
    }

    func start(_ verb: [String], dieAfter: Int = 0, by signal: Int32 = SIGKILL) throws -> Running {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.program(profile.program))
        process.arguments = [server, folder] + verb
        process.environment = Self.environment.merging([
            "FAREWELL_DIE_AFTER": "\(dieAfter)", "FAREWELL_DIE_BY": "\(signal)",
            // Preferences, and whatever else it might leave at home, are found with all the rest.
            "HOME": "\(folder)/own", "XDG_CONFIG_HOME": "\(folder)/own/config", "XDG_CACHE_HOME": "\(folder)/own/cache",
            // A crash tells all it can, but for looking up names, which takes minutes.
            "SWIFT_BACKTRACE": "enable=yes,symbolicate=off,threads=all,registers=all,color=no,interactive=no",
        ]) { $1 }
        let said = FileManager.default.temporaryDirectory.appendingPathComponent("said-\(UUID().uuidString)").path
        return Running(process: process, said: said, task: Task { try await process.ended(writingTo: said) })
    }

    struct Running: Sendable {
        let process: Process
        let said: String
        let task: Task<String, any Error>

        /// The system's number of it, once it has one.
        func number() async throws -> Int32 {
            try await eventually { process.processIdentifier > 0 }
            return process.processIdentifier
        }

        func end() async throws -> End {
            let output = try await task.value
            try? FileManager.default.removeItem(atPath: said)
            return End(
                status: process.terminationStatus, wasKilled: process.terminationReason == .uncaughtSignal, output: output)
        }
    }

    /// The app's files in its folder, besides keys, locks, claims, the choice of a place for tokens and the note that it
    /// was used, and folders of its own home.
    var leftovers: [String] {
        let all = (FileManager.default.enumerator(atPath: folder)?.allObjects as? [String]) ?? []
        let own = [
            "state", "state/installation.key", "state/place", "state/session.stored", "state/claim", "state/deletion.claim",
        ]
        return all.filter { name in
            if name.hasSuffix(".lock") || own.contains(name) { return false }
            let kind = (try? FileManager.default.attributesOfItem(atPath: folder + "/" + name))?[.type] as? FileAttributeType
            return !name.hasPrefix("own") || kind != .typeDirectory
        }.sorted()
    }
}

extension Process {
    /// Runs it to completion without blocking a thread; returns its output, even if others hold its output open.
    func ended(writingTo path: String) async throws -> String {
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        let file = FileHandle(forWritingAtPath: path)
        _ = try file?.seekToEnd()
        standardOutput = file
        standardError = file
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            terminationHandler = { _ in continuation.resume() }
            do { try run() } catch { continuation.resume(throwing: error) }
        }
        return String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    }
}
