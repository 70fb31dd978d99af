// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellPlan
import FarewellSQL
import Yams

/// `archive`: the rows are moved away. The package has no such rule: in tests it stands for `erase`.
struct ArchiveRule: TableRuleKind {
    static let word = "archive"
    static let meaning = "The rows are moved to an archive."
    static let example = ["people:", "  rule: archive", "  to: old_people"]
    static let explanation = ["the rows are moved to an archive"]
    static let keys = ["to"]
    static let colour = RuleColour.violet
    static let erasesRows = true

    static func read(_ record: [String: Node], _ entry: Node, _ nodes: inout PlanNodes) -> Rule? {
        guard record["to"] != nil else {
            nodes.report(entry, "`to` is missing: an archived table names its archive.")
            return nil
        }
        return .erase
    }

    func fate(until: CalendarDay?, isOver: Bool) -> String { "archived" }
    func count(rows: Int, links: Int, at place: String) -> PlaceCount? { PlaceCount(place: place, erased: rows) }
    func needs(_ right: String, _ entry: TablePlan) -> Bool { right == "delete" }

    func findings(_ entry: TablePlan, _ table: SchemaTable, _ context: CheckContext) -> [Finding] {
        guard table.primaryKey.isEmpty else { return [] }
        return [
            Finding(
                "archive.no-key", .error, table: entry.table, "A table without a primary key cannot be archived.",
                remedy: "Give it a primary key.")
        ]
    }
}
