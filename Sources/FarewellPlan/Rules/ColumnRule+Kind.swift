// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The kinds of rules for columns, in the order in which they are offered.
enum ColumnRules {
    static let all: [any ColumnRuleKind.Type] = [
        NullColumnRule.self, HashColumnRule.self, ConstantColumnRule.self, ExpressionColumnRule.self,
        LargeObjectColumnRule.self, RetainColumnRule.self, NotPersonalColumnRule.self,
    ]

    /// The kinds that are a single word.
    static var plain: [any ColumnRuleKind.Type] { all.filter { $0.plain != nil } }
    /// The kinds that are a word and a value.
    static var written: [any ColumnRuleKind.Type] { all.filter { $0.plain == nil } }

    /// `null, hash, {constant: …} or not personal`.
    static var offer: String {
        let words = all.map { $0.plain == nil ? "{\($0.word): …}" : $0.word }
        return words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
    }
}

extension ColumnRule {
    /// The one place that knows which kind a case is.
    var kind: any ColumnRuleKind {
        switch self {
        case .null: NullColumnRule()
        case .constant(let text): ConstantColumnRule(text: text)
        case .keyedHash: HashColumnRule()
        case .expression(let expression): ExpressionColumnRule(expression: expression)
        case .largeObject: LargeObjectColumnRule()
        case .retain: RetainColumnRule()
        case .notPersonal: NotPersonalColumnRule()
        }
    }

    /// Whether a key's column no longer names the row that it named, once this rule has been applied.
    package func movesKey(_ column: String) -> Bool { kind.movesKey(column) }

    /// The constant that every row gets; `nil` if the rule is another.
    package var constantText: String? { kind.constantText }

    /// The expression that computes the value from the row's own columns; `nil` if the rule is another.
    var computation: ColumnExpression? { kind.computation }

    /// Whether several rows may get the same value that is not null.
    var mayRepeat: Bool { type(of: kind).mayRepeat }

    /// Whether it changes the value.
    package var changesValue: Bool { type(of: kind).changesValue }

    /// Whether the new value always differs from the old one.
    var alwaysDiffers: Bool { type(of: kind).alwaysDiffers }

    /// Whether the new value is derived from the old one, so that reading cannot show that it was replaced.
    package var isMadeOfOld: Bool { type(of: kind).isMadeOfOld }

    /// Whether the column is null afterwards.
    package var givesNull: Bool { type(of: kind).givesNull }

    /// Whether the large object that the column names is deleted, also where the row itself is.
    package var deletesObjects: Bool { type(of: kind).deletesObjects }

    /// Whether the value is kept for the reason of the table's retention.
    package var isRetained: Bool { type(of: kind).isRetained }

    /// Whether the plan's author says that the value cannot lead to a person.
    package var isNotPersonal: Bool { !changesValue && !isRetained }
}
