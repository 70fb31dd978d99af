// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// `large object`: the large object that the column names is deleted, unless another row names it too; the column is
/// emptied where the row stays.
struct LargeObjectColumnRule: ColumnRuleKind {
    static let word = "large object"
    static let meaning = "PostgreSQL's large object that the column names is deleted, unless another row names it."
    static let plain: ColumnRule? = .largeObject
    static let givesNull = true
    static let deletesObjects = true

    func movesKey(_ column: String) -> Bool { true }

    func findings(_ place: ColumnPlace) -> [Finding] {
        guard !place.column.isNullable else { return unfit(place) }
        return [
            place.finding(
                "column.null-refused", "The rule is large object, which empties the column, but it may not be null.",
                "Make the column nullable, or erase the row.")
        ]
    }

    func findingsWhereErased(_ place: ColumnPlace) -> [Finding] { unfit(place) }

    private func unfit(_ place: ColumnPlace) -> [Finding] {
        guard !place.column.mayNameLargeObjects else { return [] }
        return [
            place.finding(
                "column.no-large-object",
                "The rule is large object, but a column of type \(place.type) refers to none.",
                "Use the rule for columns of type oid or lo of PostgreSQL.")
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

extension SchemaColumn {
    /// Whether PostgreSQL's large objects may be named here: by a number (`oid`), or by a type made for that (`lo`).
    package var mayNameLargeObjects: Bool { type == "oid" || namesLargeObjects }

    /// Whether the type says that they are (the extension `lo`).
    package var namesLargeObjects: Bool { type == "lo" || type.hasSuffix(".lo") }
}

extension SchemaTable {
    /// Whether a trigger of the extension `lo` deletes the objects itself with a row.
    package var managesLargeObjects: Bool {
        triggers.contains { $0.definition == "lo_manage" && $0.events.contains("delete") }
    }
}
