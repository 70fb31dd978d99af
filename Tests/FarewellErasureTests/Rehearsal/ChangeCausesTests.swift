// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import Testing

/// The effects that a rehearsal offers for the plan, from the changes that it has seen.
struct ChangeCausesTests {
    /// A table with a trigger for each row that writes these tables.
    private static func table(_ name: String, _ body: String? = nil, isForEachRow: Bool = true) -> SchemaTable {
        var table = SchemaTable(
            name: TableName(name), columns: [SchemaColumn(name: "id", type: "int", kind: .integer, isNullable: false)],
            primaryKey: ["id"])
        if let body {
            table.triggers = [
                SchemaTrigger(name: "\(name)_trigger", events: ["delete"], definition: body, isForEachRow: isForEachRow)
            ]
        }
        return table
    }

    private static let both = "INSERT INTO album_audit SELECT id FROM old; INSERT INTO member_audit SELECT id FROM old"

    private static func prepared(
        _ declared: [TriggerEffect] = [], _ member: String = both, isForEachRow: Bool = true, keys: [ForeignKey] = []
    ) throws -> PreparedPlan {
        var tables = [
            table("album", "INSERT INTO album_audit VALUES (OLD.id)"), table("album_audit"),
            table("album_member", member, isForEachRow: isForEachRow), table("member_audit"),
            table("people", "INSERT INTO people_audit VALUES (OLD.id)"), table("people_audit"),
        ]
        tables[2].foreignKeys = keys
        var plan = Plan(
            subject: SubjectRoot(table: TableName("people"), key: "id"),
            tables: tables.map {
                TablePlan(table: $0.name, rule: $0.name.name == "people" ? .erase : .notPersonal, columns: [.init("id")])
            })
        plan.effects = declared
        return try PreparedPlan(
            plan: plan, schema: Schema(dialect: .sqlite, tables: tables), planFingerprint: "", schemaFingerprint: "", stamp: .null)
    }

    private static func changes(_ rows: [String: RowChanges]) -> [TableName: RowChanges] {
        Dictionary(rows.map { (TableName($0.key), $0.value) }) { first, _ in first }
    }

    /// Three members and then one album are deleted; each writes a row of `album_audit`.
    private static var causes: ChangeCauses {
        var causes = ChangeCauses()
        causes.note(
            changes([
                "album_member": RowChanges(deleted: 3), "album_audit": RowChanges(inserted: 3), "member_audit": RowChanges(inserted: 3),
            ]), of: [TableName("album_member")])
        causes.note(changes(["album": RowChanges(deleted: 1), "album_audit": RowChanges(inserted: 1)]), of: [TableName("album")])
        return causes
    }

    private static func difference(_ table: String, _ excess: Int) -> ChangeDifference {
        ChangeDifference(table: TableName(table), kind: .inserted, rows: excess, predicted: "none", excess: excess)
    }

    private static func effect(_ table: String, _ also: String, _ inserts: TriggerEffect.Bound) -> TriggerEffect {
        TriggerEffect(on: TableName(table), also: TableName(also), inserts: inserts)
    }

    @Test("PL-4 rows that triggers of two tables write are an effect of each, and a trigger with two statements has two effects")
    func severalCauses() throws {
        let found = Self.causes.effects(
            explaining: [Self.difference("album_audit", 4), Self.difference("member_audit", 3)], in: try Self.prepared())
        let expected = [
            Self.effect("album", "album_audit", .perRow(1)), Self.effect("album_member", "album_audit", .perRow(1)),
            Self.effect("album_member", "member_audit", .perRow(1)),
        ]
        #expect(Set(found) == Set(expected) && found.count == 3, "\(found)")
        let names = ChangeCauses.triggers(behind: found, in: try Self.prepared())
        #expect(Set(names) == ["“album_trigger” of “album”", "“album_member_trigger” of “album_member”"])
    }

    @Test("PL-4 the effects of a rehearsal contain what the plan declares of the same tables already")
    func declared() throws {
        let known = Self.effect("album_member", "album_audit", .perRow(1))
        let prepared = try Self.prepared([known])
        let one = Self.causes.effects(explaining: [Self.difference("album_audit", 1)], in: prepared)
        #expect(one == [Self.effect("album", "album_audit", .perRow(1))], "what is declared explains the other three")
        var twice = ChangeCauses()
        let rows = Self.changes(["album_member": RowChanges(deleted: 2), "album_audit": RowChanges(inserted: 6)])
        twice.note(rows, of: [TableName("album_member")])
        let more = twice.effects(explaining: [Self.difference("album_audit", 4)], in: prepared)
        #expect(more == [Self.effect("album_member", "album_audit", .perRow(3))])
    }

    @Test("PL-4 a trigger that writes once for each statement has no number for each row")
    func forStatements() throws {
        let prepared = try Self.prepared([], "INSERT INTO member_audit VALUES (1)", isForEachRow: false)
        var causes = ChangeCauses()
        let rows = Self.changes(["album_member": RowChanges(deleted: 5), "member_audit": RowChanges(inserted: 1)])
        causes.note(rows, of: [TableName("album_member")])
        let found = causes.effects(explaining: [Self.difference("member_audit", 1)], in: prepared)
        #expect(found == [Self.effect("album_member", "member_audit", .any)])
    }

    @Test("PL-4 a trigger for statements that reads the changed rows is offered with all rows that it writes, also after a cascade")
    func afterCascade() throws {
        let key = ForeignKey(columns: ["id"], target: TableName("people"), targetColumns: ["id"], onDelete: .cascade)
        let body = "REFERENCING OLD TABLE AS old INSERT INTO member_audit SELECT count(*) FROM old"
        let prepared = try Self.prepared([], body, isForEachRow: false, keys: [key])
        var causes = ChangeCauses()
        let members = Self.changes(["album_member": RowChanges(deleted: 1), "member_audit": RowChanges(inserted: 1)])
        causes.note(members, of: [TableName("album_member")])
        // The key finds no row of the user any more, and fires the trigger.
        let people = Self.changes(["people": RowChanges(deleted: 1), "member_audit": RowChanges(inserted: 1)])
        causes.note(people, of: [TableName("people")])
        let found = causes.effects(explaining: [Self.difference("member_audit", 2)], in: prepared)
        #expect(found == [Self.effect("album_member", "member_audit", .perRow(2))], "\(found)")
    }
}
