// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Work that is cancelled when it takes too long.
struct Deadline: Sendable {
    let limit: Duration
    let sleep: @Sendable (Duration) async throws -> Void

    static let passed = FarewellError(
        "auth.request_timeout", .tryAgain, "Processing this request timed out, please retry after a moment.")

    /// - Throws: `auth.request_timeout`; the work has ended by that time.
    func run<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                try await sleep(limit)
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let value = first else {
                throw Self.passed
            }
            return value
        }
    }
}
