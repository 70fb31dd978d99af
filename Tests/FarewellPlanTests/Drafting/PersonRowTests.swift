// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Rows that describe a person and belong to at most one user, although the database keeps them without that user.
struct PersonRowTests {
    private static let users = SchemaSketch.table("users", "id int pk", "email text unique")
    private static let diary = SchemaSketch.schema(
        .postgresql, users,
        SchemaSketch.table(
            "patients", "id int pk", "account_id int unique -> users.id set null", "full_name text", "born date",
            "city text not-null"),
        SchemaSketch.table("entries", "id int pk", "patient_id int not-null -> patients.id cascade", "body text"),
        SchemaSketch.table("alerts", "id int pk", "patient_id int -> patients.id", "kind text"))

    private static func draft(_ schema: Schema) throws -> Plan {
        try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
    }

    private static func rows(_ name: String, _ columns: String...) throws -> [PlanQuestion] {
        let table = SchemaSketch.table(name, ["id int pk", "user_id int unique -> users.id set null"] + columns)
        return try draft(Schema(dialect: .postgresql, tables: [users, table])).questions
    }

    @Test("PL-1 PL-3 whether a user's only row, which describes a person and outlives its key, is the user's is a question")
    func owned() throws {
        let plan = try Self.draft(Self.diary)
        let own = try #require(plan.questions.first { $0.table.name == "patients" })
        #expect(own.columns == ["account_id"] && own.answers == [.owner, .reference], "\(own)")
        #expect(own.reason.contains("at most one such row"), "\(own)")
        for name in ["entries", "alerts"] {
            let child = try #require(plan.questions.first { $0.table.name == name }, "\(name)")
            #expect(child.answers.first == .owner, "\(child)")
        }
        let owned = plan.answeringAll(.owner)
        #expect(owned[TableName("patients")]?.rule == .erase && owned[TableName("entries")]?.rule == .erase)
        #expect(PlanCheck.findings(owned, Self.diary).filter { $0.severity == .error } == [])
    }

    @Test("PL-1 only columns of a person make such a question: a device, a team and a row that a user handled stay")
    func others() throws {
        #expect(try Self.rows("patients", "born date").map(\.columns) == [["user_id"]])
        #expect(try Self.rows("players", "name text").first?.columns == ["user_id"])
        #expect(try Self.rows("contacts_of_users", "phone text").first?.columns == ["user_id"])
        for words in [("devices", "name text"), ("teams", "full_name text"), ("slots", "is_born bool")] {
            #expect(try !Self.rows(words.0, words.1).contains { $0.columns == ["user_id"] }, "\(words)")
        }
        let handled = SchemaSketch.table(
            "patients", "id int pk", "approved_by int unique -> users.id set null", "full_name text")
        let several = SchemaSketch.table("patients", "id int pk", "user_id int -> users.id set null", "full_name text")
        for table in [handled, several] {
            let plan = try Self.draft(Schema(dialect: .postgresql, tables: [Self.users, table]))
            #expect(plan.questions.map(\.columns) == [["full_name"]], "\(plan.questions)")
        }
    }

    @Test("PL-1 PL-6 where such a row stays, an answer empties its name and birth date, and the plan passes the check")
    func anonymised() throws {
        var plan = try Self.draft(Self.diary)
        for place in plan.questions.indices { plan.questions[place].answer = .reference }
        let text = PlanFile.text(for: plan)
        let followed = try FollowingQuestions(text, path: "p", Self.diary)
        plan = try PlanFile.read(Array(followed.text.utf8), path: "p")
        let asked = try #require(plan.questions.last)
        #expect(asked.columns == ["full_name", "born"] && asked.answers == [.anonymise, .unrelated], "\(asked)")
        #expect(asked.through?.columns == ["account_id"] && asked.replacement == nil)
        let emptied = plan.answeringAll(.anonymise)
        let entry = try #require(emptied[TableName("patients")])
        #expect(entry.rule == .anonymise && entry.links.map(\.role) == [.owner], "\(entry)")
        #expect(entry.columns.map(\.rule) == [.notPersonal, .null, .null, .null, .notPersonal], "\(entry)")
        #expect(emptied.answered() == emptied)
        #expect(!PlanCheck.findings(emptied, Self.diary).contains { $0.code == "column.unasked" || $0.code == "question.open" })
        let read = try PlanFile.read(Array(PlanFile.text(for: emptied).utf8), path: "p")
        #expect(read == emptied.answered())
        // Rows that are deleted after all lose no single values.
        plan = emptied
        plan.tables = try PlanFile.read(Array(followed.text.utf8), path: "p").tables
        plan.questions[try #require(plan.questions.firstIndex { $0.columns == ["account_id"] })].answer = .owner
        #expect(plan.answered()[TableName("patients")]?.rule == .erase)
        // `not personal` keeps the values.
        plan = try PlanFile.read(Array(followed.text.utf8), path: "p").answeringAll(.unrelated)
        #expect(plan[TableName("patients")]?.columns.contains { $0.rule == .null } == false)
    }

    @Test("PL-6 a word replaces a name that may not be null, unless it is unique; the rest is only not personal")
    func replaced() throws {
        let table = SchemaSketch.table(
            "orders", "id int pk", "customer_id int -> users.id set null", "first_name text not-null",
            "last_name text not-null unique", "street text")
        let plan = try Self.draft(Schema(dialect: .postgresql, tables: [Self.users, table]))
        let asked = plan.questions.map { "\($0.columns.joined()) \($0.answers.map(\.rawValue)) \($0.replacement ?? "-")" }
        #expect(
            asked.sorted() == [
                "first_name [\"anonymise\", \"not personal\"] deleted", "last_name [\"not personal\"] -",
                "street [\"anonymise\", \"not personal\"] -",
            ], "\(plan.questions)")
        let answered = plan.answeringAll(.anonymise)
        let rules = try #require(answered[TableName("orders")]).columns.map(\.rule)
        #expect(rules == [.notPersonal, .null, .constant("deleted"), .notPersonal, .null], "\(rules)")
        #expect(PlanFile.text(for: plan).contains("set: \"deleted\""))
    }

    @Test("PL-1 PL-6 of rows with several users, no answer removes a name; of rows that a user handled, not personal is first")
    func several() throws {
        func asked(_ keys: String...) throws -> [PlanQuestion.Answer]? {
            let table = SchemaSketch.table("tickets", ["id int pk", "customer_name text"] + keys)
            return try Self.draft(Schema(dialect: .postgresql, tables: [Self.users, table]))
                .questions.first { $0.columns == ["customer_name"] }?.answers
        }
        let handler = "closed_by int -> users.id set null"
        #expect(try asked(handler) == [.unrelated, .anonymise])
        #expect(try asked(handler, "user_id int -> users.id set null") == [.unrelated])
    }

    @Test("PL-8 a question whose answer anonymise has no link is refused with the reason")
    func unreadable() throws {
        var plan = try Self.draft(Self.diary)
        plan.questions = [
            PlanQuestion(table: TableName("patients"), columns: ["born"], reason: "r", answers: [.anonymise], answer: .anonymise)
        ]
        let text = PlanFile.text(for: plan)
        let error = #expect(throws: FarewellError.self) { try PlanFile.read(Array(text.utf8), path: "p") }
        #expect(error?.message.contains("through") == true, "\(String(describing: error))")
    }
}
