// SPDX-License-Identifier: Apache-2.0

import FarewellSQL

/// The position of a reader of revocations.
struct ReaderPosition: Sendable, Hashable {
    let cursor: Int64?
    /// Whether it is due now.
    let isDue: Bool

    /// - Parameter result: `(feed_cursor, 1 or 0)`.
    @Sendable static func first(_ result: SQLResult) -> ReaderPosition? {
        result.rows.first.map { ReaderPosition(cursor: $0[0].integer, isDue: $0[1].integer == 1) }
    }
}

/// A reader of revocations that was taken.
struct ReaderClaim: Sendable, Hashable {
    let cursor: Int64
    let epoch: Int64
    let attempts: Int64

    /// - Parameter result: `(feed_cursor, epoch, attempts)`.
    @Sendable static func first(_ result: SQLResult) -> ReaderClaim? {
        guard let row = result.rows.first, let cursor = row[0].integer, let epoch = row[1].integer,
            let attempts = row[2].integer
        else { return nil }
        return ReaderClaim(cursor: cursor, epoch: epoch, attempts: attempts)
    }
}
