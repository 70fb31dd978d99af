// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Some retained rows of one table: their sealed identity until the end of the retention.
package struct RetainedHandle: Sendable, Hashable, Codable {
    package var schema: String?
    package var table: String
    /// The treatment of the rows at the end: `Retention.Ending`.
    package var then: String
    package var marks: [RetainedRows.Mark]
    /// `RetainedRows.emptied`; `nil` if it was sealed before that was kept.
    package var emptied: [String]?
    /// The values of the marks, row by row; `nil` is null.
    package var rows: [[StoredValue?]]

    package init(
        schema: String?, table: String, then: String, marks: [RetainedRows.Mark], emptied: [String]?,
        rows: [[StoredValue?]]
    ) {
        self.schema = schema
        self.table = table
        self.then = then
        self.marks = marks
        self.emptied = emptied
        self.rows = rows
    }

    var name: TableName { TableName(schema: schema, table) }
}
