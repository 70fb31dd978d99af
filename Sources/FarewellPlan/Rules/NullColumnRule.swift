// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// `null`: the column is emptied.
struct NullColumnRule: ColumnRuleKind {
    static let word = "null"
    static let meaning = "The column is set to null."
    static let plain: ColumnRule? = .null
    static let givesNull = true

    func movesKey(_ column: String) -> Bool { true }

    func findings(_ place: ColumnPlace) -> [Finding] {
        guard !place.column.isNullable else { return [place.collision].compactMap(\.self) }
        return [
            place.finding(
                "column.null-refused", "The rule is null, but the column may not be null.",
                "Use {constant: …} or hash, or make the column nullable.")
        ]
    }

    func value(
        for column: SchemaColumn, _ assignment: ColumnAssignment, _ build: inout RowStatementBuilder
    ) throws -> String? { "NULL" }

    func violation(
        of target: String, _ column: SchemaColumn, _ assignment: ColumnAssignment, _ build: inout RowStatementBuilder
    ) -> String? { "\(target) IS NOT NULL" }

    func settled(in column: SchemaColumn, _ dialect: SQLDialect) -> ConstantProbe.Settled? {
        ConstantProbe.Settled(column: column, constant: nil)
    }
}
