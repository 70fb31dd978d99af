// SPDX-License-Identifier: Apache-2.0
import Farewell
internal import Yams

/// `erase`: the subject's rows are deleted.
struct EraseRule: TableRuleKind {
    static let word = "erase"
    static let meaning = "The subject's rows are deleted."
    static let example = [
        "public.messages:",
        "  rule: erase",
        "  links:",
        "    - {from: sender_id, to: public.users.id, key: cascade}",
        "  columns: [id, sender_id, body]",
    ]
    static let explanation = ["the person's rows are deleted"]
    static let colour = RuleColour.amber
    static let erasesRows = true

    static func read(_ record: [String: Node], _ entry: Node, _ nodes: inout PlanNodes) -> Rule? { .erase }

    func fate(until: CalendarDay?, isOver: Bool) -> String { "erased" }

    func count(rows: Int, links: Int, at place: String) -> PlaceCount? {
        PlaceCount(place: place, erased: rows, anonymised: links)
    }

    func needs(_ right: String, _ entry: TablePlan) -> Bool {
        right == "delete" || right == "update" && entry.links.contains { $0.shared == .unlink || $0.isReference }
    }
}
