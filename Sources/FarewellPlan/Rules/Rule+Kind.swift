// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The kinds of rules for tables, in the order in which they are explained.
enum TableRules {
    static let all: [any TableRuleKind.Type] = [
        EraseRule.self, AnonymiseRule.self, RetainRule.self, NotPersonalRule.self,
    ]
}

extension Rule {
    /// The one place that knows which kind a case is.
    var kind: any TableRuleKind {
        switch self {
        case .erase: EraseRule()
        case .anonymise: AnonymiseRule()
        case .retain(let retention): RetainRule(stated: retention)
        case .notPersonal: NotPersonalRule()
        }
    }

    /// The words of all rules: `erase`, `anonymise`, …
    package static var words: [String] { TableRules.all.map { $0.word } }

    /// The word used for this rule in the plan file, in pictures and in receipts.
    public var word: String { type(of: kind).word }

    /// Whether the subject's rows are deleted.
    package var erasesRows: Bool { type(of: kind).erasesRows }

    /// Whether the table holds rows of a subject.
    package var isPersonal: Bool { type(of: kind).isPersonal }

    /// Whether the subject's rows stay, so that each column has a rule.
    package var rowsStay: Bool { type(of: kind).rowsStay }

    /// Why and how long the rows are kept; `nil` if they are not.
    package var retention: Retention? { kind.retention }

    /// A preview's word for the treatment of the rows; `until` is the last day on which they are kept.
    package func fate(until: CalendarDay?, isOver: Bool) -> String { kind.fate(until: until, isOver: isOver) }

    /// A receipt's count of rows, and of links in other subjects' rows that were emptied; `nil`: none.
    package func count(rows: Int, links: Int, at place: String) -> PlaceCount? {
        kind.count(rows: rows, links: links, at: place)
    }
}
