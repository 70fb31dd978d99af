// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Rows that the plan deletes together with the row that they refer to.
struct OwnRowConditionsTests {
    @Test("PL-4 rows of one owner are deleted together, unless one is a user, whose row goes without the owner's")
    func users() {
        let families = SchemaSketch.table("families", "id int pk", "maker int -> people.id cascade")
        let people = SchemaSketch.table("people", "id int pk", "family int -> families.id cascade", "email text")
        let rooms = SchemaSketch.table("rooms", "id int pk", "family int -> families.id cascade")
        let notes = SchemaSketch.table(
            "notes", "id int pk", "family int -> families.id cascade", "editor int -> people.id", "room int -> rooms.id")
        func link(_ column: String, _ target: SchemaTable, _ role: Link.Role? = nil) -> Link {
            let action = role == .reference ? DeleteAction.noAction : .cascade
            return Link(columns: [column], target: target.name, targetColumns: ["id"], onDelete: action, role: role)
        }
        let references = [link("editor", people, .reference), link("room", rooms, .reference)]
        let entry = TablePlan(table: notes.name, rule: .erase, links: [link("family", families)] + references)
        let plan = Plan(
            subject: SubjectRoot(table: people.name, key: "id"),
            tables: [
                TablePlan(table: families.name, rule: .erase, links: [link("maker", people)]),
                TablePlan(table: people.name, rule: .erase, links: [link("family", families)]),
                TablePlan(table: rooms.name, rule: .erase, links: [link("family", families)]), entry,
            ])
        let schema = Schema(dialect: .postgresql, tables: [families, people, rooms, notes])
        let conditions = references.map { OwnRowConditions($0, of: entry, plan, schema) }
        // The family goes with its maker only, and so a note that another member edited stays.
        #expect(conditions[0].kept.map { $0.isKept.contains("\"maker\"") } == [true])
        #expect(conditions[1].kept.count == 1 && !conditions[1].areUnknown)
    }
}
