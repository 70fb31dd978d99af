// SPDX-License-Identifier: Apache-2.0

/// The extent of the search for the subject's identifiers after an erasure.
public enum DeepScanExtent: Sendable, Hashable {
    case none
    /// The most rows of each table.
    case bounded(rows: Int)
    /// Every row of every table.
    case complete
}

extension DeepScanExtent {
    /// As a subject's request stores it.
    init(rows: Int?) {
        switch rows {
        case nil: self = DeepScanExtent.none
        case .some(let rows): self = rows > 0 ? .bounded(rows: rows) : .complete
        }
    }

    /// 0 is all, `nil` is none.
    var rows: Int? {
        switch self {
        case .none: nil
        case .bounded(let rows): rows
        case .complete: 0
        }
    }
}
