// SPDX-License-Identifier: Apache-2.0

/// How long a rehearsal may keep others waiting: it holds the locks of an erasure until it is rolled back.
public struct RehearsalLimits: Sendable, Hashable {
    /// The longest wait for another transaction's lock, in seconds.
    public var lock: Int
    /// How many seconds one statement may take; on SQLite, which has no such limit, one subject.
    public var statement: Int
    /// From how many rows on an account is erased in pieces.
    public var largeAccount: Int

    public init(lock: Int = 2, statement: Int = 30, largeAccount: Int = 20_000) {
        self.lock = max(lock, 1)
        self.statement = max(statement, 1)
        self.largeAccount = max(largeAccount, 1)
    }
}
