// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// `hash`: the value is replaced by its keyed hash under a key that is destroyed with the run.
struct HashColumnRule: ColumnRuleKind {
    static let word = "hash"
    static let meaning = "The value is replaced by its keyed hash. The key is destroyed at the end of the erasure."
    static let plain: ColumnRule? = .keyedHash
    static let isMadeOfOld = true
    static let alwaysDiffers = true

    /// The digits of a hash without a subject (of nothing, under no key).
    private static let sample = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    func findings(_ place: ColumnPlace) -> [Finding] {
        if place.isReferring {
            return [
                place.finding(
                    "column.hash-unfit", "The column refers to another table's key; a hash would refer to nothing.",
                    place.keyRemedy)
            ]
        }
        guard !HashFit.fits(place.column) else { return [] }
        if let labels = place.column.labels {
            let null = place.column.isNullable ? "null or " : ""
            return [
                place.finding(
                    "column.hash-unfit", "A hash cannot be written to the enum \(place.type).",
                    "Use \(null)a constant that is one of its labels\(ColumnPlace.list(labels)).")
            ]
        }
        return [
            place.finding(
                "column.hash-unfit", "A hash does not fit \(place.type).",
                "Hash only text of at least \(HashFit.shortest) characters and uuid; "
                    + "otherwise use null or a constant."
            )
        ]
    }

    func value(
        for column: SchemaColumn, _ assignment: ColumnAssignment, _ build: inout RowStatementBuilder
    ) throws -> String? { assignment.hash(column, &build) }

    /// Whether it has the digits of a hash, cut as the run cuts it. Any UUID has those of one.
    func isWritten(_ text: String, in column: SchemaColumn) -> Bool {
        guard HashFit.fits(column), column.kind != .uuid else { return false }
        let isDigit: (UInt8) -> Bool = { $0.hexadecimalValue != nil && !$0.isASCIICapital }
        return text.utf8.count == min(column.maximumLength ?? 64, 64) && text.utf8.allSatisfy(isDigit)
    }

    /// Cut as the run cuts it.
    func settled(in column: SchemaColumn, _ dialect: SQLDialect) -> ConstantProbe.Settled? {
        guard HashFit.fits(column) else { return nil }
        let isUUID = dialect.holdsUUIDs(column.kind)
        let digits = Self.sample.prefix(isUUID ? 32 : column.maximumLength ?? 64)
        return ConstantProbe.Settled(column: column, constant: String(digits), isHash: true)
    }
}
