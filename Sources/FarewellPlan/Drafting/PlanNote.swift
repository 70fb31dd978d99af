// SPDX-License-Identifier: Apache-2.0
import Farewell

/// Something the author of a plan should read beside it: a comment of the plan file.
public struct PlanNote: Sendable, Hashable {
    /// `nil`: about the whole plan.
    public var table: TableName?
    /// `nil`: about the whole table.
    public var column: String?
    /// One sentence, without names of people or values of rows.
    public var text: String

    public init(table: TableName? = nil, column: String? = nil, _ text: String) {
        self.table = table
        self.column = column
        self.text = text
    }
}
