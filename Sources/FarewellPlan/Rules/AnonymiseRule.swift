// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
internal import Yams

/// `anonymise`: the rows stay and stop being personal.
struct AnonymiseRule: TableRuleKind {
    static let word = "anonymise"
    static let meaning = "The subject's rows stay and stop being personal. Each column has a rule."
    static let example = [
        "public.comments:",
        "  rule: anonymise",
        "  links:",
        "    - {from: author_id, to: public.users.id, key: no action}",
        "  columns: {id: not personal, author_id: null, body: {constant: \"removed\"}}",
    ]
    static let colour = RuleColour.blue

    static var explanation: [String] {
        let words = ColumnRules.plain.filter { !$0.isRetained }.map { $0.word }.joined(separator: ", ")
        let written = ColumnRules.written.map { $0.example }.joined(separator: " or ")
        return ["the rows are kept; each column has a rule: \(words),", written]
    }

    static func read(_ record: [String: Node], _ entry: Node, _ nodes: inout PlanNodes) -> Rule? { .anonymise }

    func fate(until: CalendarDay?, isOver: Bool) -> String { "made anonymous" }

    func count(rows: Int, links: Int, at place: String) -> PlaceCount? {
        PlaceCount(place: place, anonymised: rows + links)
    }

    func needs(_ right: String, _ entry: TablePlan) -> Bool {
        right == "update"
            && (entry.columns.contains { $0.rule?.changesValue ?? true }
                || entry.links.contains { $0.isReference || $0.shared == .unlink })
    }

    /// The rule must change something.
    func findings(_ entry: TablePlan, _ table: SchemaTable, _ context: CheckContext) -> [Finding] {
        let changes = entry.columns.contains { $0.rule?.changesValue ?? true }
        let isEmptied = entry.links.contains { $0.isReference || $0.onDelete == .setNull || $0.onDelete == .setDefault }
        guard !changes, !isEmptied, !context.isErasedBySystem(entry.table) else { return [] }
        return [
            Finding(
                "anonymise.nothing", .warning, table: entry.table,
                "The rule is anonymise, but no column is changed: the rows remain personal.",
                remedy: "Give the columns that identify the person a rule such as null or hash.")
        ]
    }
}
