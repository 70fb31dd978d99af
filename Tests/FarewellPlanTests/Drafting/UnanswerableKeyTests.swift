// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

/// Keys by which a user's row refers to another user's, where the row that stays cannot lose the value.
struct UnanswerableKeyTests {
    private static let profiles = SchemaSketch.table("profiles", "id int pk", "user_id int not-null unique -> users.id cascade")

    private static func draft(_ tables: SchemaTable...) throws -> (plan: Plan, schema: Schema) {
        let schema = Schema(dialect: .sqlite, tables: tables)
        return (try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan, schema)
    }

    private static func errors(_ plan: Plan, _ schema: Schema) -> [Finding] {
        PlanCheck.findings(plan, schema).filter { $0.severity == .error }
    }

    @Test(
        "PL-1 PL-3 a key to another user that can neither be null nor be replaced is an error of check, and no question",
        arguments: [
            ["next_id int not-null unique -> users.id"], ["next_id int not-null unique -> users.id cascade"],
            ["next_id int not-null unique -> profiles.id"],
        ])
    func refused(_ columns: [String]) throws {
        var users = SchemaSketch.table("users", "id int pk", "email text unique")
        let more = SchemaSketch.table("users", "id int pk", columns[0])
        users.columns.append(more.columns[1])
        users.uniqueKeys += more.uniqueKeys
        users.foreignKeys = more.foreignKeys
        let (plan, schema) = try Self.draft(users, Self.profiles)
        #expect(!plan.questions.contains { $0.columns == ["next_id"] }, "\(plan.questions)")
        for plan in [plan, plan.answeringAll(.owner), plan.answeringAll(.unrelated)] {
            let errors = Self.errors(plan, schema)
            #expect(errors.map(\.code) == ["key.unanswerable"] && errors[0].column == "next_id", "\(errors)")
            let remedy = errors.first?.remedy ?? ""
            #expect(remedy.contains("null") && remedy.contains("`shared: erase`"), "\(errors)")
        }
        // A key with an answer is a question, or needs none.
        var open = schema
        let place = try #require(open.tables.firstIndex { $0.name == users.name })
        let column = try #require(open.tables[place].columns.firstIndex { $0.name == "next_id" })
        open.tables[place].uniqueKeys.removeAll { $0 == ["next_id"] }
        open.tables[place].columns[column].isNullable = true
        let answered = try PlanDerivation.draft(from: open, subject: ColumnName(TableName("users"), "id")).plan.answeringAll(.reference)
        #expect(Self.errors(answered, open) == [])
    }

    @Test("PL-1 PL-3 a key of a user's row to rows that are deleted with their own user needs no answer and no link")
    func own() throws {
        func draft(_ home: String, _ owner: String) throws -> (plan: Plan, schema: Schema) {
            try Self.draft(
                SchemaSketch.table("users", "id int pk", "email text unique", "home_id int \(home)"),
                SchemaSketch.table("homes", "id int pk", "user_id int \(owner)", "street text"))
        }
        for owner in ["not-null -> users.id cascade", "not-null -> users.id"] {
            let (plan, schema) = try draft("not-null -> homes.id", owner)
            #expect(!plan.questions.contains { $0.columns == ["home_id"] }, "\(plan.questions)")
            let found = PlanCheck.findings(plan.answeringAll(.owner), schema).filter { $0.column == "home_id" }
            #expect(found.map(\.code) == ["link.cycle"] && found.first?.severity == .note, "\(found)")
        }
        // The value can be emptied, the rows may be another user's, or SQLite refuses to delete the user's row first.
        for (home, owner) in [
            ("-> homes.id", "not-null -> users.id cascade"), ("not-null -> homes.id", "-> users.id cascade"),
            ("not-null -> homes.id", "not-null -> users.id restrict"),
        ] {
            let (plan, schema) = try draft(home, owner)
            let unasked = PlanCheck.findings(plan.answeringAll(.owner), schema).filter { $0.column == "home_id" }
            let isAsked = plan.questions.contains { $0.columns == ["home_id"] }
            #expect(isAsked || !unasked.isEmpty, "\(home) \(owner): \(plan.questions)")
            #expect(!unasked.contains { $0.code == "link.cycle" && $0.message.contains("parked") })
        }
    }

    @Test("PL-1 the remedy of a reference says what is possible: no value for a unique column, no owner for a user's row")
    func remedies() throws {
        func remedy(_ table: String, _ column: String) throws -> String {
            let (users, link) = (SchemaSketch.table("users", "id int pk", "email text unique"), "id int pk")
            var other = SchemaSketch.table(table, link, column)
            if table == "users" { other.columns.append(users.columns[1]) }
            let schema = Schema(dialect: .sqlite, tables: table == "users" ? [other] : [users, other])
            let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id"))
            var plan = draft.plan.answeringAll(.unrelated)
            plan.edit(table) { entry in
                entry.rule = table == "users" ? .erase : .anonymise
                let name = other.columns[1].name
                var link = Link(columns: [name], target: TableName("users"), targetColumns: ["id"], onDelete: .noAction)
                link.role = .reference
                entry.links = [link]
                if table != "users" { entry.columns = other.columns.map { .init($0.name, .notPersonal) } }
            }
            return try #require(Self.errors(plan, schema).first { $0.code == "link.reference-not-null" }?.remedy)
        }
        let free = try remedy("posts", "editor_id int not-null -> users.id")
        #expect(free.contains("`set:`") && free.contains("`role: owner`"), "\(free)")
        let unique = try remedy("posts", "editor_id int not-null unique -> users.id")
        #expect(!unique.contains("`set:`") && unique.contains("`role: owner`"), "\(unique)")
        let own = try remedy("users", "manager_id int not-null -> users.id")
        #expect(own.contains("`set:`") && !own.contains("`role: owner`"), "\(own)")
    }

    @Test(
        "PL-1 a remedy that is followed contradicts no other: rows of the subject that cannot lose a key are erased",
        arguments: [DeleteAction.setNull, .cascade, .noAction])
    func followed(_ action: DeleteAction) throws {
        var comments = SchemaSketch.table("comments", "id int pk", "author_id int not-null -> users.id", "body text")
        comments.foreignKeys[0].onDelete = action
        let (draft, schema) = try Self.draft(SchemaSketch.table("users", "id int pk", "email text unique"), comments)
        var plan = draft.answeringAll(.owner)
        func write(_ role: Link.Role) {
            plan.edit("comments") { entry in
                var link = Link(columns: ["author_id"], target: TableName("users"), targetColumns: ["id"], onDelete: action)
                link.role = role
                (entry.rule, entry.links) = (.anonymise, [link])
                entry.columns = comments.columns.map { .init($0.name, $0.name == "body" ? ColumnRule.null : .notPersonal) }
            }
        }
        write(.reference)
        let first = try #require(Self.errors(plan, schema).first { $0.code == "link.reference-not-null" }?.remedy)
        #expect(first.contains("`role: owner` with the rule erase"), "\(first)")
        write(.owner)
        let second = try #require(Self.errors(plan, schema).first { $0.code.rawValue.hasPrefix("key.") }?.remedy)
        #expect(second.contains("give this table the rule erase") && second.contains("nullable"), "\(second)")
        plan.edit("comments") { entry in
            entry.rule = .erase
            entry.columns = comments.columns.map { .init($0.name) }
        }
        #expect(Self.errors(plan, schema) == [])
    }

    @Test("PL-1 PL-4 a key that would set a column to null that may not be null is an error, also in rows that are erased")
    func emptied() throws {
        let (plan, schema) = try Self.draft(
            SchemaSketch.table("users", "id int pk", "email text unique", "manager_id int not-null -> users.id set null"),
            SchemaSketch.table(
                "posts", "id int pk", "user_id int not-null -> users.id cascade", "editor_id int not-null -> users.id set null"))
        let errors = Self.errors(plan.answeringAll(.owner), schema)
        #expect(errors.map(\.code) == ["key.blocks", "key.blocks"], "\(errors)")
        #expect(errors.map(\.column) == ["editor_id", "manager_id"])
        #expect(errors.map { $0.remedy?.contains("`role: owner`") } == [true, false], "\(errors)")
        var owned = plan.answeringAll(.owner)
        owned.edit("posts") { entry in
            var link = Link(columns: ["editor_id"], target: TableName("users"), targetColumns: ["id"], onDelete: .setNull)
            link.role = .owner
            entry.links.append(link)
        }
        let left = Self.errors(owned, schema).filter { $0.code == "key.blocks" }
        #expect(left.map(\.column) == ["manager_id"], "\(left)")
        var replaced = plan.answeringAll(.owner)
        for (table, column) in [("users", "manager_id"), ("posts", "editor_id")] {
            replaced.edit(table) { entry in
                entry.links.removeAll { $0.columns == [column] }
                var link = Link(columns: [column], target: TableName("users"), targetColumns: ["id"], onDelete: .setNull)
                (link.role, link.replacement) = (.reference, "1")
                entry.links.append(link)
            }
        }
        #expect(Self.errors(replaced, schema) == [])
    }
}
