// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Work that may block (name look-up, opening a file, asking a server to cancel), on a thread of its own so
/// that Swift concurrency's few threads stay free.
package enum BlockingWork {
    package static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            start { continuation.resume(with: Result(catching: work)) }
        }
    }

    package static func start(_ work: @escaping @Sendable () -> Void) {
        Thread.detachNewThread(work)
    }
}
