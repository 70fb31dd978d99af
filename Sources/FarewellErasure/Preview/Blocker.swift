// SPDX-License-Identifier: Apache-2.0

public import Farewell
import FarewellSQL

/// A key of the database that would stop the erasure, and the rows behind it.
public struct Blocker: Sendable, Hashable {
    /// The referencing table.
    public var table: TableName
    public var columns: [String]
    /// The table whose rows could not be deleted.
    public var target: TableName
    public var onDelete: DeleteAction
    public var rows: Int
    /// Primary keys of some of the rows, for the operator's eyes: they are values and belong in no log.
    public var examples: [String]

    public var message: String {
        "\(rows) row\(rows == 1 ? "" : "s") of \(table) refer\(rows == 1 ? "s" : "") by "
            + "(\(columns.joined(separator: ", "))) to rows of \(target) that would be erased."
    }
}
