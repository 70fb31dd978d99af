// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
internal import Yams

/// A kind of rule for the rows of a table: its notation, its requirements, and its effect.
///
/// A new kind is one conforming type, a case of `Rule`, and its two lines in `Rule+Kind.swift`. Everything else asks
/// the kind.
protocol TableRuleKind: Sendable {
    /// The word in plan files, drawings and receipts.
    static var word: String { get }
    /// The lines that explain it at the head of a plan file.
    static var explanation: [String] { get }
    /// One sentence for the documentation: what happens to the rows.
    static var meaning: String { get }
    /// An entry of a table, as lines of YAML.
    static var example: [String] { get }
    /// The keys of a table's entry that no other kind has.
    static var keys: [String] { get }
    static var colour: RuleColour { get }
    /// Whether the subject's rows are deleted.
    static var erasesRows: Bool { get }
    /// Whether the table holds rows of a subject.
    static var isPersonal: Bool { get }

    /// Reads the rule from the entry of a table; reports what is missing or malformed.
    static func read(_ record: [String: Node], _ entry: Node, _ nodes: inout PlanNodes) -> Rule?

    /// The values of `keys` as a plan file writes them: `reason: "Tax law."`.
    var lines: [String] { get }
    /// Why and how long rows are kept.
    var retention: Retention? { get }
    /// The addition to the word in a drawing.
    var note: String? { get }
    /// A preview's word for the treatment of the rows; `until` is the last day on which they are kept.
    func fate(until: CalendarDay?, isOver: Bool) -> String
    /// A receipt's count of rows, and of links in other subjects' rows that were emptied; `nil`: none.
    func count(rows: Int, links: Int, at place: String) -> PlaceCount?
    /// The mismatches of the rule itself.
    func findings(_ entry: TablePlan, _ table: SchemaTable, _ context: CheckContext) -> [Finding]
    /// Whether a run needs the right to `delete` or `update`.
    func needs(_ right: String, _ entry: TablePlan) -> Bool
}

extension TableRuleKind {
    static var keys: [String] { [] }
    static var erasesRows: Bool { false }
    static var isPersonal: Bool { true }
    /// Whether the subject's rows stay, so that each column has a rule.
    static var rowsStay: Bool { isPersonal && !erasesRows }

    var lines: [String] { [] }
    var retention: Retention? { nil }
    var note: String? { nil }
    func findings(_ entry: TablePlan, _ table: SchemaTable, _ context: CheckContext) -> [Finding] { [] }
}
