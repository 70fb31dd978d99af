// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

/// A question offers a link only into a table whose rows can be the subject's.
struct OfferedTargetTests {
    private static let users = SchemaSketch.table("users", "id int pk", "email text unique")

    private static func draft(_ tables: SchemaTable...) throws -> (plan: Plan, schema: Schema) {
        let schema = Schema(dialect: .sqlite, tables: tables)
        return (try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan, schema)
    }

    private static func questions(_ place: String, in plan: Plan) -> [PlanQuestion] {
        plan.questions.filter { "\($0.table).\($0.columns.joined(separator: ","))" == place }
    }

    /// The personal columns about which the check says that no question asked.
    private static func unasked(_ plan: Plan, _ schema: Schema) -> [String] {
        PlanCheck.findings(plan, schema).filter { $0.code == "column.unasked" }.compactMap(\.column)
    }

    @Test("PL-1 a link into a table that no answer gives to a user is not offered, and the reason names that table")
    func blocked() throws {
        // No key can be compared with a document, so no answer gives rows of teams to a user.
        let (plan, schema) = try Self.draft(
            Self.users, SchemaSketch.table("teams", "id int pk", "record_type text", "record_id jsonb"),
            SchemaSketch.table("boards", "id int pk", "parent_id int", "team_id int", "name text"),
            SchemaSketch.table("cards", "id int pk", "board_id int not-null -> boards.id cascade", "name text"),
            SchemaSketch.table("posts", "id int pk", "user_id int not-null -> users.id cascade", "team_id int"))
        let places = ["boards.team_id", "cards.board_id", "posts.team_id"]
        let offered = plan.questions.filter { $0.link.map { $0.target.name != "users" } ?? false && $0.answers != [.unrelated] }
        #expect(offered.isEmpty, "\(offered)")
        for place in places {
            let found = Self.questions(place, in: plan)
            #expect(!found.isEmpty, "\(place)")
            for question in found {
                #expect(question.reason.contains("no key and no answer gives rows of"), "\(question)")
            }
        }
        let findings = PlanCheck.findings(plan.answeringAll(.owner), schema).filter { $0.severity == .error }
        #expect(findings.isEmpty, "\(findings)")
    }

    @Test("PL-1 a table that loses its only way to a user is asked about by its address, and what leads there stays offered")
    func addresses() throws {
        let kind = SchemaSketch.table("kinds", "id int pk", "record_type text", "record_id jsonb")
        let (plan, _) = try Self.draft(
            Self.users, kind, SchemaSketch.table("leads", "id int pk", "kind_id int", "email text"),
            SchemaSketch.table("visits", "id int pk", "lead_id int", "day text"))
        let leads = plan.questions.filter { $0.table.name == "leads" }
        #expect(leads.contains { $0.columns == ["email"] && $0.answers.contains(.owner) }, "\(plan.questions)")
        #expect(Self.questions("visits.lead_id", in: plan).allSatisfy { $0.answers.contains(.owner) }, "\(plan.questions)")
    }

    @Test("PL-1 PL-6 personal columns of rows that stay are asked about, also where their link to other rows is not offered")
    func remaining() throws {
        let (plan, schema) = try Self.draft(
            Self.users, SchemaSketch.table("customers", "id int pk", "record_type text", "record_id jsonb"),
            SchemaSketch.table(
                "reviews", "id int pk", "reviewed_by int -> users.id set null", "customer_id int not-null", "author_name text",
                "author_email text", "body text"))
        let reviews = plan.questions.filter { $0.table.name == "reviews" }
        #expect(Self.questions("reviews.customer_id", in: plan).map(\.answers) == [[.unrelated]], "\(reviews)")
        let unasked = Self.unasked(plan.answeringAll(.unrelated), schema)
        let asked = Set(reviews.flatMap(\.columns) + unasked)
        #expect(asked.isSuperset(of: ["author_email", "author_name"]), "\(reviews) \(unasked)")
    }

    @Test("PL-1 personal columns of rows that another answer probably deletes are asked about only after that answer")
    func undecided() throws {
        let (plan, schema) = try Self.draft(
            Self.users, SchemaSketch.table("customers", "id int pk", "record_type text", "record_id jsonb"),
            SchemaSketch.table(
                "reviews", "id int pk", "reviewed_by int -> users.id set null", "customer_id int not-null", "user_id int",
                "author_name text", "author_email text"))
        let reviews = plan.questions.filter { $0.table.name == "reviews" }
        #expect(reviews.contains { $0.columns == ["user_id"] && $0.answers.first == .owner }, "\(reviews)")
        #expect(!reviews.contains { $0.columns.contains("author_email") }, "\(reviews)")
        let unasked = Self.unasked(plan.answeringAll(.unrelated), schema)
        #expect(unasked.contains("author_email"), "\(unasked)")
    }

    @Test("PL-1 PL-8 init --merge offers links into rows that the author's plan gives to a user")
    func merged() throws {
        let customers = SchemaSketch.table("customers", "id int pk", "record_type text", "record_id jsonb", "zz int")
        let (before, schema) = try Self.draft(Self.users, customers)
        var plan = before.answeringAll(.unrelated)
        let place = try #require(plan.tables.firstIndex { $0.table.name == "customers" })
        plan.tables[place].rule = .erase
        plan.tables[place].links = [Link(columns: ["zz"], target: TableName("users"), targetColumns: ["id"])]
        let (after, grown) = try Self.draft(
            Self.users, customers, SchemaSketch.table("visits", "id int pk", "customer_id int not-null", "day text"))
        #expect(Self.questions("visits.customer_id", in: after).allSatisfy { $0.answers == [.unrelated] }, "\(after.questions)")
        let draft = try PlanDerivation.draft(from: grown, subject: ColumnName(TableName("users"), "id"))
        let merge = try PlanMerge(draft, into: PlanFile.text(for: plan), path: "p", grown)
        let found = Self.questions("visits.customer_id", in: try PlanFile.read(Array(merge.text.utf8), path: "p"))
        #expect(found.count == 1 && found[0].answers.contains(.owner), "\(merge.text) \(schema.tables.count)")
    }

    @Test("PL-1 PL-8 init --merge asks about no address where it offers the link again for which the address stood in")
    func mergedAddress() throws {
        let users = ColumnName(TableName("users"), "id")
        let customers = SchemaSketch.table("customers", "id int pk", "record_type text", "record_id jsonb", "zz int")
        let visits = SchemaSketch.table("visits", "id int pk", "customer_id int not-null", "email text")
        var plan = try Self.draft(Self.users, customers).plan.answeringAll(.unrelated)
        let grown = Schema(dialect: .sqlite, tables: [Self.users, customers, visits])
        let draft = try PlanDerivation.draft(from: grown, subject: users)
        func merged() throws -> Plan {
            try PlanFile.read(Array(PlanMerge(draft, into: PlanFile.text(for: plan), path: "p", grown).text.utf8), path: "p")
        }
        // As long as no row of customers is a user's, the address is the only way to a user.
        #expect(Self.questions("visits.email", in: draft.plan).count == 1, "\(draft.plan.questions)")
        #expect(try Self.questions("visits.email", in: merged()).count == 1)
        let place = try #require(plan.tables.firstIndex { $0.table.name == "customers" })
        plan.tables[place].rule = .erase
        plan.tables[place].links = [Link(columns: ["zz"], target: TableName("users"), targetColumns: ["id"])]
        let found = try merged()
        #expect(Self.questions("visits.customer_id", in: found).allSatisfy { $0.answers.contains(.owner) }, "\(found.questions)")
        #expect(Self.questions("visits.email", in: found).isEmpty, "\(found.questions)")
    }

    @Test("PL-1 PL-3 a guest's unique address that cannot be emptied may take the row with it, since the row is about the guest")
    func uniqueAddress() throws {
        let (plan, schema) = try Self.draft(
            Self.users,
            SchemaSketch.table(
                "invitations", "id int pk", "inviter_id int not-null -> users.id cascade", "email text not-null unique"))
        let asked = Self.questions("invitations.email", in: plan)
        #expect(asked.count == 1 && asked[0].answers == [.owner, .unrelated], "\(asked)")
        let errors = PlanCheck.findings(plan.answeringAll(.owner), schema).filter { $0.severity == .error }
        #expect(errors.isEmpty, "\(errors)")
    }

    @Test("PL-1 PL-7 --sample offers a link again where rows show the way to a user that names do not", arguments: PlanDatabase.allCases)
    func sampled(_ kind: PlanDatabase) async throws {
        try await kind.with { database in
            try await database.script(
                "CREATE TABLE users (id text PRIMARY KEY, email text UNIQUE)",
                "CREATE TABLE teams (id integer PRIMARY KEY, lead text, watcher_ids \(kind.json))",
                "CREATE TABLE boards (id integer PRIMARY KEY, team_id integer NOT NULL REFERENCES teams (id) ON DELETE CASCADE)",
                "INSERT INTO users VALUES ('clx0000000000000000000ann', 'a@example.org'), ('clx0000000000000000000bob', 'b@example.org')",
                "INSERT INTO teams VALUES (1, 'clx0000000000000000000ann', '[]'), (2, 'clx0000000000000000000bob', '[]')",
                "INSERT INTO boards VALUES (1, 1), (2, 2)")
            let schema = try await Schema.read(from: database)
            let users = ColumnName(TableName(schema: kind == .sqlite ? nil : "public", "users"), "id")
            let draft = try PlanDerivation.draft(from: schema, subject: users)
            let named = draft.plan.questions.filter { $0.columns == ["team_id"] }
            #expect(named.allSatisfy { $0.answers == [.unrelated] }, "\(named)")
            let asked = try await QuestionSampling().sampled(draft, schema, database).plan.questions
            #expect(asked.contains { $0.columns == ["lead"] && $0.answers.contains(.owner) }, "\(asked)")
            #expect(asked.filter { $0.columns == ["team_id"] }.allSatisfy { $0.answers.contains(.owner) }, "\(asked)")
        }
    }

    @Test("PL-2 PL-6 a pair is asked about for each table whose rows are deleted, and for many of them names --sample")
    func pairs() throws {
        let attachments = SchemaSketch.table("attachments", "id int pk", "record_type text not-null", "record_id int")
        func team(_ number: Int) -> SchemaTable {
            SchemaSketch.table("teams\(number)", "id int pk", "owner_id int not-null -> users.id cascade", "name text")
        }
        let (plan, schema) = try Self.draft(
            Self.users, attachments, SchemaSketch.table("plans", "id int pk", "name text"),
            SchemaSketch.table("teams", "id int pk", "owner_id int not-null -> users.id cascade", "name text"))
        let asked = plan.questions.filter { $0.table.name == "attachments" }
        #expect(asked.count == 1 && asked.first?.links.map(\.target.name) == ["users", "teams"], "\(asked)")
        #expect(asked.first?.links.map { $0.condition.parts.first?.values.first } == ["User", "Team"], "\(asked)")
        #expect(asked.first?.reason.contains("that is users or teams; ") == true, "\(asked)")
        let findings = PlanCheck.findings(plan.answeringAll(.owner), schema).filter { $0.severity == .error }
        #expect(findings.isEmpty, "\(findings)")
        let (large, _) = try Self.draft(
            Self.users, attachments, team(1), team(2), team(3), team(4), team(5), team(6), team(7), team(8), team(9))
        let pair = large.questions.filter { $0.table.name == "attachments" }
        #expect(pair.count == 1 && pair.first?.reason.contains("9 other tables") == true, "\(pair)")
        #expect(pair.first?.reason.contains("--sample") == true)
    }
}
