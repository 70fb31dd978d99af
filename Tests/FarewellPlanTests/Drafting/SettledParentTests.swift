// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Rows that rows of the subject own, where only answers show that there may be any.
struct SettledParentTests {
    private static let users = SchemaSketch.table("users", "id int pk", "email text unique")

    private static func draft(_ tables: SchemaTable...) throws -> (plan: Plan, schema: Schema) {
        let schema = Schema(dialect: .sqlite, tables: [users] + tables)
        return (try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan, schema)
    }

    /// The plan as its file says it, with these answers and those that follow from them.
    private static func decided(_ plan: Plan, _ answers: [String: PlanQuestion.Answer]) throws -> Plan {
        var plan = plan
        for number in plan.questions.indices {
            let question = plan.questions[number]
            let place = "\(question.table.name).\(question.columns.joined(separator: ","))"
            plan.questions[number].answer = answers[place] ?? question.answer
        }
        for (number, answer) in ImpliedAnswers.of(plan) { plan.questions[number].answer = answer }
        return try PlanFile.read(Array(PlanFile.text(for: plan).utf8), path: "p")
    }

    private static func errors(_ plan: Plan, _ schema: Schema) -> [String] {
        PlanCheck.findings(plan, schema).filter { $0.severity == .error }
            .map { "\($0.code.rawValue) \($0.table?.name ?? "").\($0.column ?? "")" }
    }

    /// The plan with the questions that its answers lead to.
    private static func followed(_ plan: Plan, _ schema: Schema) throws -> Plan {
        let following = try FollowingQuestions(PlanFile.text(for: plan), path: "p", schema)
        let read = try PlanFile.read(Array(following.text.utf8), path: "p")
        #expect(read.questions.count == plan.questions.count + following.count)
        return read
    }

    private static let organisations = SchemaSketch.table(
        "organisations", "id int pk", "owner_id int not-null -> users.id cascade", "portal_id int unique -> portals.id")
    private static let portals = SchemaSketch.table("portals", "id int pk", "client_id int", "client_secret text")

    @Test("PL-1 SCH-08 rows that a guess no longer gives to a user are asked about as rows that the user's rows own")
    func guess() throws {
        let (draft, schema) = try Self.draft(Self.organisations, Self.portals)
        #expect(!draft.questions.contains { $0.table.name == "portals" && $0.columns == ["id"] }, "\(draft.questions)")
        let answers: [String: PlanQuestion.Answer] = ["portals.client_id": .unrelated]
        let plan = try Self.decided(draft, answers)
        #expect(Self.errors(plan, schema) == ["column.unasked portals.id"])
        let asked = try Self.followed(plan, schema)
        let question = try #require(asked.questions.last { $0.table.name == "portals" && $0.columns == ["id"] })
        #expect(question.link?.isOwnedParent == true && question.link?.target.name == "organisations", "\(question)")
        for answer in question.answers {
            let settled = try Self.decided(asked, answers.merging(["portals.id": answer]) { first, _ in first })
            #expect(Self.errors(settled, schema) == [], "\(answer)")
            #expect(settled[TableName("portals")]?.rule.erasesRows == (answer == .owner))
            #expect(try Self.followed(settled, schema).questions.count == asked.questions.count)
        }
    }

    @Test("PL-1 SCH-08 rows that an answer gives to a user have their own rows asked about, link by link")
    func given() throws {
        let (draft, schema) = try Self.draft(
            SchemaSketch.table("documents", "id int pk", "created_by int not-null -> users.id", "data_id int unique -> contents.id"),
            SchemaSketch.table("contents", "id int pk", "body text", "scan_id int unique -> scans.id"),
            SchemaSketch.table("scans", "id int pk", "data text"))
        #expect(!draft.questions.contains { ["contents", "scans"].contains($0.table.name) }, "\(draft.questions)")
        var plan = try Self.decided(draft, ["documents.created_by": .owner])
        for table in ["contents", "scans"] {
            #expect(Self.errors(plan, schema) == ["column.unasked \(table).id"])
            plan = try Self.followed(plan, schema)
            let number = try #require(plan.questions.indices.last)
            #expect(plan.questions[number].table.name == table)
            plan.questions[number].answer = .owner
            plan = try PlanFile.read(Array(PlanFile.text(for: plan).utf8), path: "p")
        }
        #expect(Self.errors(plan, schema) == [])
        let kept = try Self.decided(draft, ["documents.created_by": .reference])
        #expect(!Self.errors(kept, schema).contains { $0.hasPrefix("column.unasked contents") })
    }

    @Test("PL-1 SCH-08 a plan whose author wrote that the rows are not personal is not asked about them")
    func stated() throws {
        let (draft, schema) = try Self.draft(Self.organisations, Self.portals)
        var plan = try Self.decided(draft, ["portals.client_id": .unrelated])
        let place = try #require(plan.tables.firstIndex { $0.table.name == "portals" })
        plan.tables[place].columns[0].rule = .notPersonal
        #expect(Self.errors(plan, schema) == [])
    }

    @Test("PL-1 PL-3 SCH-08 rows that another user only approved are asked about as rows that the user's own row owns")
    func approved() throws {
        let users = SchemaSketch.table("users", "id int pk", "email text unique", "profile_id int unique -> profiles.id")
        let profiles = SchemaSketch.table("profiles", "id int pk", "bio text", "approved_by int -> users.id")
        let schema = Schema(dialect: .sqlite, tables: [users, profiles])
        let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        #expect(!draft.questions.contains { $0.columns == ["id"] }, "\(draft.questions)")
        let plan = try Self.decided(draft, ["profiles.approved_by": .reference])
        #expect(Self.errors(plan, schema).contains("column.unasked profiles.id"), "\(plan.questions)")
        let asked = try Self.followed(plan, schema)
        let number = try #require(asked.questions.firstIndex { $0.columns == ["id"] })
        #expect(asked.questions[number].link?.isOwnedParent == true)
        var owned = asked
        owned.questions[number].answer = .owner
        owned = try PlanFile.read(Array(PlanFile.text(for: owned).utf8), path: "p")
        #expect(owned[TableName("profiles")]?.rule.erasesRows == true)
        let errors = Self.errors(owned, schema)
        #expect(!errors.contains { $0.hasPrefix("link.") || $0.hasPrefix("column.unasked") }, "\(errors)")
        let kept = try PlanFile.read(Array(PlanFile.text(for: asked.answeringAll(.unrelated)).utf8), path: "p")
        #expect(!Self.errors(kept, schema).contains { $0.hasPrefix("column.unasked") }, "\(Self.errors(kept, schema))")
    }
}
