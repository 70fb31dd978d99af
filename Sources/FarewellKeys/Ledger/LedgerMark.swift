// SPDX-License-Identifier: Apache-2.0

/// The mark of a line in the ledger's file.
package enum LedgerMark: String, Sendable, Hashable, CaseIterable {
    /// Written by a version that confirmed nothing. The erasure counts as done.
    case former
    /// Written before the erasure is committed. It counts as done once another line confirms it.
    case begun
    /// Copied from the database. The erasure is done.
    case restored

    /// Whether the entry counts as done without a line that confirms it.
    var isConfirmed: Bool { self != .begun }
}
