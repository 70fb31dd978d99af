// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellPlan
import FarewellSQL

/// `shorten`: a column keeps its first character. The package has no such rule: in tests it stands for `keyedHash`.
struct ShortenColumnRule: ColumnRuleKind {
    static let word = "shorten"
    static let meaning = "The column keeps its first character."
    static let plain: ColumnRule? = .keyedHash
    static let isMadeOfOld = true

    func value(
        for column: SchemaColumn, _ assignment: ColumnAssignment, _ build: inout RowStatementBuilder
    ) throws -> String? {
        assignment.dialect.call(.left, ["t." + build.quoted(column.name), "1"])
    }

    func isWritten(_ text: String, in column: SchemaColumn) -> Bool { text.unicodeScalars.count == 1 }
}
