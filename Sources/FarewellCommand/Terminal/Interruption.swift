// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// Ctrl-C and SIGTERM: the first asks the work to stop cleanly, a second ends the process at once.
enum Interruption {
    /// Runs `work`; the first signal calls `notice` and cancels the task, which hands back what it holds and returns.
    static func heeded<Value: Sendable>(
        notice: @escaping @Sendable () async -> Void, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
        let sources = [SIGINT, SIGTERM].map { watch($0) { continuation.yield() } }
        defer { sources.forEach { $0.cancel() } }
        let task = Task { try await work() }
        let watcher = Task {
            for await _ in signals {
                await notice()
                task.cancel()
            }
        }
        defer { watcher.cancel() }
        return try await task.value
    }

    private static func watch(_ number: Int32, _ heard: @escaping @Sendable () -> Void) -> any DispatchSourceSignal {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number)
        source.setEventHandler {
            heard()
            // From now on the signal does what it does to every program.
            signal(number, SIG_DFL)
        }
        source.resume()
        return source
    }
}
