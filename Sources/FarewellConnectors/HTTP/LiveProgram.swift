// SPDX-License-Identifier: Apache-2.0

import Farewell
import Subprocess

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// Runs a program of the operator's that writes a key: without a shell, with nothing to read, and not for longer than
/// a minute.
///
/// The program has ended when its own process has, also if another process that it left behind holds its output open.
struct LiveProgram: Sendable {
    let words: [String]
    let environment: [String: String]
    private static let deadline = Deadline(limit: .seconds(60)) { try await Task.sleep(for: $0) }
    private static let longest = 1 << 16

    /// An ended program.
    private struct Ended: Sendable {
        let status: Int32
        let output: [UInt8]
    }

    /// The exit status and the output; `nil` if it could not be started, did not end in time or wrote too much.
    func ended() async -> (status: Int32, output: [UInt8])? {
        let ended = try? await Self.deadline.run { try await run() }
        return (ended ?? nil).map { ($0.status, $0.output) }
    }

    private func run() async throws -> Ended {
        var options = PlatformOptions()
        // A group of its own, so that its children end with it if it takes too long.
        options.processGroupID = 0
        options.teardownSequence = [.send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero)]
        let variables = environment.map { (Environment.Key(stringLiteral: $0.key), $0.value) }
        // Found in PATH, as a shell finds it.
        let ended = try await Subprocess.run(
            .path("/usr/bin/env"), arguments: Arguments(words),
            environment: .custom(Dictionary(uniqueKeysWithValues: variables)), platformOptions: options,
            output: .bytes(limit: Self.longest), error: .discarded)
        let status =
            switch ended.terminationStatus {
            case .exited(let status): status
            // As shells report it.
            case .signaled(let signal): 128 + signal
            }
        return Ended(status: status, output: ended.standardOutput)
    }
}
