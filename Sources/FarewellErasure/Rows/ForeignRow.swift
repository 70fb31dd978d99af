// SPDX-License-Identifier: Apache-2.0

import FarewellSQL

/// A row that belongs to none of some subjects, with a name that it holds.
struct ForeignRow: Hashable {
    private let row: [SQLValue]

    /// - Parameter row: The row's key, and the name.
    init(_ row: [SQLValue]) { self.row = row }

    var name: String? { row.last?.text }
}
