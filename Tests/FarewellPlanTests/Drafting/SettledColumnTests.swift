// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Rows that stay because of answers: their other personal columns need a decision.
struct SettledColumnTests {
    private static let schema = SchemaSketch.schema(
        .sqlite, SchemaSketch.table("users", "id int pk", "email text unique", "username text unique"),
        SchemaSketch.table(
            "emergency_access", "id int pk", "grantor_id int not-null -> users.id cascade", "grantee_id int -> users.id",
            "email text", "phone text", "note text"),
        SchemaSketch.table("comments", "id int pk", "author_username text", "email text", "first_name text", "title text"),
        SchemaSketch.table("prices", "id int pk", "updated_by int", "amount int"))

    private static func draft() throws -> PlanDraft {
        try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id"))
    }

    private static func unasked(_ plan: Plan) -> [String] {
        PlanCheck.findings(plan, schema).filter { $0.code == "column.unasked" && $0.severity == .error }
            .map { "\($0.table?.name ?? "") \($0.column ?? "")" }
    }

    /// The file of the draft without the questions about columns that stay, as an earlier version wrote it.
    private static func answered(_ answer: PlanQuestion.Answer) throws -> String {
        var plan = try draft().plan
        plan.questions.removeAll { question in
            ["email", "phone", "first_name"].contains { question.columns.contains($0) }
        }
        for place in plan.questions.indices { plan.questions[place].answer = answer }
        return PlanFile.text(for: plan)
    }

    @Test("PL-6 PL-1 personal columns of rows that stay after the answer reference are errors of check until they are decided")
    func checked() throws {
        let plan = try PlanFile.read(Array(try Self.answered(.reference).utf8), path: "p")
        #expect(plan[TableName("emergency_access")]?.rule == .anonymise)
        #expect(Self.unasked(plan) == ["comments email", "comments first_name", "emergency_access email", "emergency_access phone"])
        let owned = try PlanFile.read(Array(try Self.answered(.owner).utf8), path: "p")
        #expect(Self.unasked(owned) == ["comments email"], "only the rows of guests stay")
        let finding = try #require(PlanCheck.findings(plan, Self.schema).first { $0.code == "column.unasked" })
        #expect(finding.remedy?.contains("farewell decide") == true)
    }

    @Test("a check without the questions that answers lead to has all its other findings, in their order", arguments: [true, false])
    func withoutQuestions(_ isAnswered: Bool) throws {
        let plan = try isAnswered ? PlanFile.read(Array(Self.answered(.reference).utf8), path: "p") : Self.draft().plan
        let all = PlanCheck.findings(plan, Self.schema)
        #expect(!all.isEmpty && (!isAnswered || all.contains { $0.code == "column.unasked" }))
        #expect(PlanCheck.findingsBesideQuestions(plan, Self.schema) == all.filter { $0.code != "column.unasked" })
    }

    @Test("PL-6 PL-8 init --merge adds the questions about remaining rows, and their answers settle the check")
    func merged() throws {
        let text = try Self.answered(.reference)
        let merge = try PlanMerge(try Self.draft(), into: text, path: "p", Self.schema)
        #expect(merge.questions == 4 && merge.added.isEmpty)
        var plan = try PlanFile.read(Array(merge.text.utf8), path: "p")
        #expect(Self.unasked(plan).isEmpty, "they are open questions now")
        #expect(plan.questions.filter(\.isOpen).map { $0.columns[0] }.sorted() == ["email", "email", "first_name", "phone"])
        let mail = try #require(plan.questions.first { $0.isOpen && $0.table.name == "emergency_access" && $0.columns == ["email"] })
        #expect(mail.link?.targetColumns == ["email"] && mail.answers.first == .reference)
        plan = plan.answeringAll(.reference)
        #expect(!PlanCheck.findings(plan, Self.schema).contains { $0.code == "question.open" || $0.code == "column.unasked" })
        #expect(try PlanMerge(try Self.draft(), into: merge.text, path: "p", Self.schema).questions == 0)
    }

    @Test("PL-1 PL-8 the questions that follow from answers are added to the plan at once, and other errors are recognised")
    func following() throws {
        let text = try Self.answered(.reference)
        let followed = try FollowingQuestions(text, path: "p", Self.schema)
        #expect(followed.count == 4 && followed.text.hasPrefix(text.prefix(40)))
        let plan = try PlanFile.read(Array(followed.text.utf8), path: "p")
        #expect(Self.unasked(plan).isEmpty && plan.questions.suffix(4).allSatisfy(\.isOpen))
        // The grantor's column may not be null, so that its reference needs a value.
        #expect(followed.errors.map(\.column) == ["grantor_id"], "\(followed.errors)")
        let again = try FollowingQuestions(followed.text, path: "p", Self.schema)
        #expect(again.count == 0 && again.text == followed.text)
        let owned = try FollowingQuestions(try Self.answered(.owner), path: "p", Self.schema)
        #expect(owned.count == 1 && owned.errors.isEmpty)
        let guests = try PlanFile.read(Array(owned.text.utf8), path: "p").questions.last
        #expect(guests?.columns == ["email"] && guests?.link?.condition != nil, "rows without an author")
    }

    @Test("PL-1 PL-3 a reference that an answer leads to has its value where the address may not be null", arguments: ["", " not-null"])
    func values(_ words: String) throws {
        let schema = SchemaSketch.schema(
            .sqlite, SchemaSketch.table("users", "id int pk", "email text unique"),
            SchemaSketch.table("tickets", "id int pk", "user_id int", "email text\(words)"))
        var plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        plan.questions.removeAll { $0.columns != ["user_id"] }
        plan = plan.answeringAll(.reference)
        let asked = try #require(FollowingQuestions.of(plan, schema).first { $0.columns == ["email"] })
        #expect(asked.answers.first == .reference && asked.link != nil, "\(asked)")
        #expect(asked.link?.replacement == (words.isEmpty ? nil : "deleted"), "\(asked)")
        plan.questions.append(asked)
        #expect(MissingReplacement(plan, schema).of([plan.questions.count - 1]).isEmpty)
    }

    @Test("PL-6 PL-1 rows that a set-null key keeps are asked about, also when another question is answered not personal")
    func unrelated() throws {
        let schema = SchemaSketch.schema(
            .sqlite, SchemaSketch.table("users", "id int pk", "email text unique"),
            SchemaSketch.table("tenants", "id int pk", "owner_id int"),
            SchemaSketch.table(
                "customers", "id int pk", "tenant_id int not-null -> tenants.id cascade", "user_id int -> users.id set null",
                "first_name text", "notes text"))
        var plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        #expect(!plan.questions.contains { $0.columns == ["first_name"] }, "the likely answer deletes the rows")
        plan = plan.answeringAll(.unrelated)
        let unasked = PlanCheck.findings(plan, schema).filter { $0.code == "column.unasked" }
        #expect(unasked.map(\.column) == ["first_name"], "\(unasked)")
        let followed = try FollowingQuestions(PlanFile.text(for: plan), path: "p", schema)
        #expect(followed.count == 1)
    }

    @Test("PL-6 PL-1 addresses in rows that no answer links to a user are questions, unless the author states their meaning")
    func cutOff() throws {
        let schema = SchemaSketch.schema(
            .sqlite, SchemaSketch.table("users", "id int pk", "email text unique"),
            SchemaSketch.table("teams", "id int pk", "owner_id int"),
            SchemaSketch.table("customers", "id int pk", "team_id int", "email text", "phone text"))
        var plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        #expect(plan.questions.allSatisfy { $0.columns != ["email"] }, "the rows may be the subject's by their team")
        plan = plan.answeringAll(.unrelated)
        let unasked = { (plan: Plan) in PlanCheck.findings(plan, schema).filter { $0.code == "column.unasked" }.map(\.column) }
        #expect(unasked(plan) == ["email"])
        #expect(FollowingQuestions.expected(plan).map(\.name) == ["customers"])
        let followed = try FollowingQuestions(PlanFile.text(for: plan), path: "p", schema)
        let asked = try PlanFile.read(Array(followed.text.utf8), path: "p")
        #expect(followed.count == 1 && asked.questions.last?.answers == [.owner, .reference, .unrelated])
        #expect(unasked(asked.answeringAll(.owner)).isEmpty && unasked(asked.answeringAll(.unrelated)).isEmpty)
        let place = try #require(plan.tables.firstIndex { $0.table.name == "customers" })
        let column = try #require(plan.tables[place].columns.firstIndex { $0.name == "email" })
        plan.tables[place].columns[column].rule = .notPersonal
        #expect(unasked(plan).isEmpty)
    }

    @Test("PL-1 PL-8 without a database, the names in the plan show the tables that may need questions")
    func expected() throws {
        let plan = try PlanFile.read(Array(try Self.answered(.reference).utf8), path: "p")
        #expect(FollowingQuestions.expected(plan).map(\.name) == ["comments", "emergency_access"])
        let owned = try PlanFile.read(Array(try Self.answered(.owner).utf8), path: "p")
        #expect(FollowingQuestions.expected(owned).isEmpty)
    }

    @Test("PL-6 the author's rule for a column of remaining rows is kept, and does not settle the check, since it changes no row")
    func ruled() throws {
        let answered = try Self.answered(.reference)
        let text = answered.replacing("author_username, email,", with: "author_username, {email: null},")
            .replacing("first_name, title", with: "{first_name: null}, title")
        let plan = try PlanFile.read(Array(text.utf8), path: "p")
        #expect(try Self.unasked(plan) == Self.unasked(PlanFile.read(Array(answered.utf8), path: "p")))
        #expect(Self.unasked(plan).contains("comments email"), "\(Self.unasked(plan))")
        let columns = try #require(plan[TableName("comments")]).columns
        #expect(columns.filter { $0.rule?.changesValue == true }.map(\.name) == ["email", "first_name"])
    }

    @Test("PL-1 PL-6 init asks about the personal columns where its most likely answer keeps the rows")
    func drafted() throws {
        let schema = SchemaSketch.schema(
            .sqlite, SchemaSketch.table("users", "id int pk", "email text"),
            SchemaSketch.table("grants", "id int pk", "grantor_id int not-null -> users.id", "grantee_id int -> users.id", "email text"))
        let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        #expect(plan.questions.contains { $0.table.name == "grants" && $0.columns == ["email"] && $0.isOpen })
    }

    @Test("PL-1 PL-6 an address that several users may have makes no link, so no offered answer is one that check refuses")
    func shared() throws {
        let schema = SchemaSketch.schema(
            .sqlite, SchemaSketch.table("users", "id int pk", "email text"),
            SchemaSketch.table("grants", "id int pk", "grantor_id int not-null -> users.id", "grantee_id int -> users.id", "email text"))
        let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        let question = try #require(plan.questions.first { $0.table.name == "grants" && $0.columns == ["email"] })
        #expect(question.link == nil && question.answers == [.unrelated])
    }

    @Test("PL-7 a question about a number also lists the subject's unique numbers that it may be")
    func targets() throws {
        let schema = SchemaSketch.schema(
            .sqlite, SchemaSketch.table("users", "id int pk", "email text", "public_no int unique", "legacy_id int unique"),
            SchemaSketch.table("inv", "id int pk", "customer_no int"))
        let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        let question = try #require(plan.questions.first { $0.columns == ["customer_no"] })
        #expect(question.reason.contains("public_no, legacy_id"), "\(question.reason)")
    }

    @Test("PL-1 PL-9 a text whose default or check shows a form other than commas is not a comma list")
    func lists() throws {
        func question(_ text: String?, check: String? = nil) throws -> PlanQuestion {
            var rooms = SchemaSketch.table("rooms", "id int pk", "member_ids text")
            rooms.columns[1].defaultExpression = text
            rooms.checks = check.map { [SchemaCheck(name: "", condition: $0, columns: ["member_ids"])] } ?? []
            let schema = SchemaSketch.schema(.sqlite, SchemaSketch.table("users", "id int pk", "email text"), rooms)
            let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
            return try #require(plan.questions.first { $0.columns == ["member_ids"] })
        }
        #expect(try question("'{}'").answers == [.unrelated])
        #expect(try question("'[]'").link?.list == .json)
        #expect(try question(nil, check: "json_valid(member_ids)").link?.list == .json)
        let plain = try question(nil)
        #expect(plain.link?.list == .comma && plain.answers == [.reference, .unrelated])
    }
}
