// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Findings that a plan from an earlier version may meet: each names what the plan can say, and saying it ends it.
struct AnswerableFindingTests {
    private static let users = TableName("users")

    private static func errors(_ plan: Plan, _ schema: Schema, _ code: Finding.Code) -> [Finding] {
        PlanCheck.findings(plan, schema).filter { $0.severity == .error && $0.code == code }
    }

    /// Rows whose column is unique, also in null.
    private static func schema(_ table: String, _ action: DeleteAction) -> Schema {
        let people = SchemaSketch.table("users", "id int pk", "email text unique")
        var other = SchemaSketch.table(table, "id int pk", "author int")
        other.foreignKeys = [ForeignKey(columns: ["author"], target: users, targetColumns: ["id"], onDelete: action)]
        other.indexes.append(SchemaIndex(name: "one", columns: ["author"], isUnique: true, areNullsEqual: true))
        guard table == "users" else { return Schema(dialect: .postgresql, tables: [people, other]) }
        other.columns.append(people.columns[1])
        return Schema(dialect: .postgresql, tables: [other])
    }

    private static func plan(_ schema: Schema, _ table: String, _ change: (inout Link) -> Void) throws -> Plan {
        var plan = try PlanDerivation.draft(from: schema, subject: ColumnName(users, "id")).plan.answeringAll(.reference)
        plan.edit(table) { entry in
            let key = schema.tables.first { $0.name.name == table }?.foreignKeys.first
            var link = Link(columns: ["author"], target: users, targetColumns: ["id"], onDelete: key?.onDelete)
            change(&link)
            if table != "users" {
                entry.rule = .anonymise
                entry.columns = ["id", "author"].map { .init($0, .notPersonal) }
            }
            entry.links = [link]
        }
        return plan
    }

    @Test("PL-3 SQL-28 the remedy for null that a unique key refuses names what the plan can say, and that settles it")
    func refusedNull() throws {
        let schema = Self.schema("notes", .noAction)
        var named = try Self.plan(schema, "notes") { $0.role = .reference }
        let first = try #require(Self.errors(named, schema, "key.null-not-unique").first?.remedy)
        #expect(first.hasPrefix("Write `role: owner` into the link") && first.contains("nulls as distinct"), "\(first)")
        named.edit("notes") { entry in
            entry.rule = .erase
            entry.links[0].role = .owner
            entry.columns = ["id", "author"].map { .init($0) }
        }
        #expect(Self.errors(named, schema, "key.null-not-unique") == [])

        let unlinked = try Self.plan(schema, "notes") { $0.shared = .unlink }
        let second = try #require(Self.errors(unlinked, schema, "key.null-not-unique").first?.remedy)
        #expect(second.hasPrefix("Write `shared: erase`"), "\(second)")

        // A user's row goes with its own user only.
        let own = Self.schema("users", .noAction)
        let third = try #require(
            Self.errors(try Self.plan(own, "users") { $0.role = .reference }, own, "key.null-not-unique").first?.remedy)
        #expect(third.hasPrefix("Let the index treat nulls as distinct") && !third.contains("owner"), "\(third)")
    }

    @Test("PL-6 SQL-26 half of a key that names no user is called not personal in a table whose rows are erased")
    func halves() throws {
        var notes = SchemaSketch.table("notes", "id int pk", "tenant int", "person int", "body text")
        notes.foreignKeys = [
            ForeignKey(
                columns: ["tenant", "person"], target: Self.users, targetColumns: ["tenant", "id"], onDelete: .cascade)
        ]
        var people = SchemaSketch.table("users", "id int pk", "tenant int not-null", "email text unique")
        people.uniqueKeys.append(["tenant", "id"])
        let schema = Schema(dialect: .postgresql, tables: [people, notes])
        var plan = try PlanDerivation.draft(from: schema, subject: ColumnName(Self.users, "id")).plan.answeringAll(.owner)
        plan.questions = []
        plan.edit("notes") { $0.links.removeAll { $0.columns == ["person"] } }
        let error = try #require(Self.errors(plan, schema, "link.half-key").first)
        #expect(error.remedy?.contains("{person: not personal}") == true, "\(error)")
        plan.edit("notes") { entry in
            for place in entry.columns.indices where entry.columns[place].name == "person" {
                entry.columns[place].rule = .notPersonal
            }
        }
        #expect(Self.errors(plan, schema, "link.half-key") == [])
    }

    @Test("PL-1 a question that answers lead to can also be settled by the column's rule, as the error says")
    func unasked() throws {
        let schema = Schema(
            dialect: .sqlite,
            tables: [
                SchemaSketch.table("users", "id int pk", "email text unique"),
                SchemaSketch.table("documents", "id int pk", "user_id int"),
                SchemaSketch.table("audit_logs", "id int pk", "document_id int", "email text", "action text"),
            ])
        var plan = try PlanDerivation.draft(from: schema, subject: ColumnName(Self.users, "id")).plan.answeringAll(.owner)
        let error = try #require(Self.errors(plan, schema, "column.unasked").first)
        #expect(error.remedy?.contains("{email: not personal}") == true, "\(error)")
        plan.edit("audit_logs") { entry in
            for place in entry.columns.indices where entry.columns[place].name == "email" {
                entry.columns[place].rule = .notPersonal
            }
        }
        #expect(Self.errors(plan, schema, "column.unasked") == [])
    }
}
