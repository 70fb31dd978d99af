// SPDX-License-Identifier: Apache-2.0

/// A limit for work that waits for something else. Work that takes longer is cancelled.
package struct Deadline: Sendable {
    package let limit: Duration
    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameter sleep: Waits; throws when its task is cancelled.
    package init(limit: Duration, sleep: @escaping @Sendable (Duration) async throws -> Void) {
        self.limit = limit
        self.sleep = sleep
    }

    /// - Returns: The result; `nil` if the limit passed before it was there. The work has ended by that time.
    /// - Throws: errors of the work.
    package func run<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value? {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                try await sleep(limit)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}
