// SPDX-License-Identifier: Apache-2.0
import Farewell
internal import Yams

/// `not personal`: no row of the table leads to a subject.
struct NotPersonalRule: TableRuleKind {
    static let word = "not personal"
    static let meaning = "No row of the table leads to a subject."
    static let example = [
        "public.countries:",
        "  rule: not personal",
        "  columns: [code, name]",
    ]
    static let explanation = ["no row leads to a person"]
    static let colour = RuleColour.grey
    static let isPersonal = false

    static func read(_ record: [String: Node], _ entry: Node, _ nodes: inout PlanNodes) -> Rule? { .notPersonal }

    func fate(until: CalendarDay?, isOver: Bool) -> String { "not touched" }
    func count(rows: Int, links: Int, at place: String) -> PlaceCount? { nil }
    func needs(_ right: String, _ entry: TablePlan) -> Bool { false }
}
