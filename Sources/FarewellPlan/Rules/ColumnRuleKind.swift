// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
internal import Yams

/// A kind of rule for one column of a row that stays: its notation, its requirements, and its effect.
///
/// A new kind is one conforming type, a case of `ColumnRule`, and its two lines in `ColumnRule+Kind.swift`. Everything
/// else asks the kind.
protocol ColumnRuleKind: Sendable {
    /// The word in plan files: the whole rule (`null`), or the key of its value (`{constant: gone}`).
    static var word: String { get }
    /// One sentence for the documentation: what happens to the value.
    static var meaning: String { get }
    /// The rule that the word alone stands for; `nil` if a value follows.
    static var plain: ColumnRule? { get }
    /// How the rule is written, e.g. `{constant: "removed"}`.
    static var example: String { get }
    /// The members of the value's JSON Schema, one a line.
    static var schema: [String] { get }
    /// Whether the new value is derived from the old one, so that reading cannot show that it was replaced.
    static var isMadeOfOld: Bool { get }
    /// Whether it changes the value.
    static var changesValue: Bool { get }
    /// Whether the new value always differs from the old one, so that keys of the database always follow.
    static var alwaysDiffers: Bool { get }
    /// Whether the column is null afterwards. The defaults of the members below then suit it.
    static var givesNull: Bool { get }
    /// Whether the large object that the column names is deleted, also where the row itself is.
    static var deletesObjects: Bool { get }
    /// Whether several rows may get the same value that is not null.
    static var mayRepeat: Bool { get }
    /// Whether the value stays for the reason of the table's retention.
    static var isRetained: Bool { get }

    /// Reads the rule from the value behind its word; reports what is malformed.
    static func read(_ value: Node, _ nodes: inout PlanNodes) -> ColumnRule?

    /// The rule as a plan file writes it.
    var written: String { get }
    /// The constant that every row gets.
    var constantText: String? { get }
    /// The expression that computes the value from the row's own columns.
    var computation: ColumnExpression? { get }
    /// Whether a key's column no longer names the row that it named, once this rule has been applied.
    func movesKey(_ column: String) -> Bool
    /// Why the column cannot take the rule.
    func findings(_ place: ColumnPlace) -> [Finding]
    /// The same where the row itself is deleted, for a rule that means something there.
    func findingsWhereErased(_ place: ColumnPlace) -> [Finding]
    /// The new value in SQL; `nil` if the old one stays.
    func value(
        for column: SchemaColumn, _ assignment: ColumnAssignment, _ build: inout RowStatementBuilder
    ) throws -> String?
    /// A condition for rows that still hold another value in `target`; `nil` if reading cannot show it.
    func violation(
        of target: String, _ column: SchemaColumn, _ assignment: ColumnAssignment, _ build: inout RowStatementBuilder
    ) -> String?
    /// Whether a value reads as one that this rule wrote into the column.
    func isWritten(_ text: String, in column: SchemaColumn) -> Bool
    /// The new value in SQL if it is computed from the row's own columns, so that it can be computed again.
    func computed(_ assignment: ColumnAssignment, _ build: inout RowStatementBuilder) throws -> String?
    /// The value if it is known before there is a row.
    func settled(in column: SchemaColumn, _ dialect: SQLDialect) -> ConstantProbe.Settled?
}

extension ColumnRuleKind {
    static var plain: ColumnRule? { nil }
    static var example: String { word }
    static var schema: [String] { [] }
    static var isMadeOfOld: Bool { false }
    static var changesValue: Bool { true }
    static var alwaysDiffers: Bool { givesNull }
    static var givesNull: Bool { false }
    static var isRetained: Bool { false }
    static var mayRepeat: Bool { false }
    static var deletesObjects: Bool { false }

    static func read(_ value: Node, _ nodes: inout PlanNodes) -> ColumnRule? { plain }

    var written: String { Self.word }
    var constantText: String? { nil }
    var computation: ColumnExpression? { nil }
    func movesKey(_ column: String) -> Bool { Self.givesNull }
    func findings(_ place: ColumnPlace) -> [Finding] { [] }
    func findingsWhereErased(_ place: ColumnPlace) -> [Finding] { [] }

    func value(
        for column: SchemaColumn, _ assignment: ColumnAssignment, _ build: inout RowStatementBuilder
    ) throws -> String? { Self.givesNull ? "NULL" : nil }

    func violation(
        of target: String, _ column: SchemaColumn, _ assignment: ColumnAssignment, _ build: inout RowStatementBuilder
    ) -> String? { Self.givesNull ? "\(target) IS NOT NULL" : nil }

    func isWritten(_ text: String, in column: SchemaColumn) -> Bool {
        constantText.map { ExactText($0) == ExactText(text) } ?? false
    }

    func computed(_ assignment: ColumnAssignment, _ build: inout RowStatementBuilder) throws -> String? { nil }

    func settled(in column: SchemaColumn, _ dialect: SQLDialect) -> ConstantProbe.Settled? {
        Self.givesNull ? ConstantProbe.Settled(column: column, constant: nil) : nil
    }
}
