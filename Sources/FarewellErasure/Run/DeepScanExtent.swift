// SPDX-License-Identifier: Apache-2.0

/// How far the search for the person's identifiers goes after an erasure.
public enum DeepScanExtent: Sendable, Hashable {
    case none
    /// At most so many rows of each table.
    case bounded(rows: Int)
    /// Every row of every table.
    case complete
}
