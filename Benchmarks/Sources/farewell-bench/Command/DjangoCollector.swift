// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSample
import Foundation

/// Django's collector in a process that stays: `Benchmarks/Django/collector.py`, one account at a time, each in a
/// transaction of its own.
final class DjangoCollector: Sendable {
    /// How the accounts reach it.
    enum Mode: String {
        /// One after the other on a connection that stays open.
        case stays
        /// A request each, with a connection of its own: Django's default settings.
        case requests
    }

    private let process: Process
    private let input = Pipe()
    private let output = Pipe()

    /// Starts one on a database, lends it to `body`, ends it.
    static func with<Value>(
        _ store: PeopleDatabase, _ mode: Mode, _ body: (DjangoCollector) async throws -> Value
    ) async throws -> Value {
        let collector = try await DjangoCollector(store, mode)
        defer { try? collector.input.fileHandleForWriting.close() }
        return try await body(collector)
    }

    private init(_ store: PeopleDatabase, _ mode: Mode) async throws {
        let root = URL(filePath: try ExampleFolder(near: [#filePath]).path).deletingLastPathComponent()
        process = Process()
        process.executableURL = root.appending(path: ".venv/bin/python3")
        process.arguments =
            [
                root.appending(path: "Benchmarks/Django/collector.py").path, store.world.address(of: store.name),
            ] + (mode == .requests ? [mode.rawValue] : [])
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        guard await line() == "Ready" else {
            throw FarewellError(
                "bench.no-django", .yoursToFix, "Django did not start.", remedy: "Scripts/install bench installs it.")
        }
    }

    func runner(_ name: String) -> QueueRace.Runner {
        .init(name: name) { [self] keys in
            let batch = (keys + [""]).map { $0 + "\n" }.joined()
            try input.fileHandleForWriting.write(contentsOf: Data(batch.utf8))
            guard await line() == "\(keys.count)" else {
                throw FarewellError("bench.django", .ours, "Django did not delete all accounts.")
            }
        }
    }

    /// The next line that it writes; nil when it has ended.
    private func line() async -> String? {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [output] in
                var text = ""
                while !text.hasSuffix("\n") {
                    let piece = output.fileHandleForReading.availableData
                    guard !piece.isEmpty else { return continuation.resume(returning: nil) }
                    text += String(decoding: piece, as: UTF8.self)
                }
                continuation.resume(returning: text.trimmingCharacters(in: .newlines))
            }
        }
    }
}
