// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

/// Names that only resemble those of people, and names of users of other services.
struct DoubtfulNameTests {
    private static let users = SchemaSketch.table(
        "users", "id int pk", "email text unique", "gh_id int unique", "webauthn_id text unique",
        "password_reset_token_digest text unique")

    private static func questions(_ dialect: SQLDialect, _ tables: SchemaTable...) throws -> [PlanQuestion] {
        let schema = Schema(dialect: dialect, tables: [users] + tables)
        return try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan.questions
    }

    @Test(
        "PL-1 PL-3 numbers under a noun that resembles one for people by its ending only are first not personal",
        arguments: SQLDialect.allCases)
    func endings(_ dialect: SQLDialect) throws {
        let things = ["generator", "elevator", "tower", "ladder", "chamber", "boiler", "reactor", "predecessor", "ancestor", "licensor"]
        let people = ["stargazer", "curator", "instructor", "owner", "flagger", "pusher", "creditor", "blockee", "reportee"]
        let columns = things.map { "\($0)_id int" }
        let asked = try Self.questions(dialect, SchemaSketch.table("rows", ["id int pk", "title text"] + columns))
        #expect(asked.filter { $0.table.name == "rows" }.count == things.count, "\(asked)")
        #expect(asked.allSatisfy { $0.answers.first == .unrelated && $0.answers.contains(.owner) }, "\(asked)")
        for person in people {
            let own = try Self.questions(dialect, SchemaSketch.table("rows", "id int pk", "title text", "\(person)_id int"))
            #expect(own.map(\.answers.first) == [.owner], "\(own)")
        }
    }

    @Test("PL-1 PL-3 the worker of a queue or of a background job is a program, and of a shift a person", arguments: SQLDialect.allCases)
    func programs(_ dialect: SQLDialect) throws {
        let asked = try Self.questions(
            dialect, SchemaSketch.table("background_migrations", "id int pk", "worker_id int", "state text"),
            SchemaSketch.table("jobs", "id int pk", "runner_id int", "attempts int"),
            SchemaSketch.table("shifts", "id int pk", "worker_id int", "place text"))
        let first = asked.map { "\($0.table.name) \($0.answers.first?.rawValue ?? "")" }
        #expect(first == ["background_migrations not personal", "jobs not personal", "shifts owner"], "\(asked)")
        #expect(asked.allSatisfy { $0.answers.contains(.owner) })
    }

    @Test("PL-1 PL-3 the client of a service for sign-in, beside its secret, is first no user", arguments: ["uuid", "text"])
    func secret(_ type: String) throws {
        let schema = Schema(
            dialect: .postgresql,
            tables: [
                SchemaSketch.table("users", "id \(type) pk", "email text unique"),
                SchemaSketch.table("sso_providers", "id int pk", "client_id text not-null", "client_secret text not-null"),
                SchemaSketch.table("invoices", "id int pk", "client_id text not-null", "total int"),
            ])
        let asked = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan.questions
        let first = asked.map { "\($0.table.name) \($0.answers.first?.rawValue ?? "")" }
        #expect(first == ["invoices owner", "sso_providers not personal"], "\(asked)")
    }

    @Test("PL-1 PL-7 a sample of large numbers that are all users' keys confirms such a noun; counted numbers do not")
    func sampled() async throws {
        try await PlanDatabase.sqlite.with { database in
            try await database.script(
                "CREATE TABLE users (id integer PRIMARY KEY, email text UNIQUE)",
                "CREATE TABLE deals (id integer PRIMARY KEY, licensor_id integer)",
                "CREATE TABLE plants (id integer PRIMARY KEY, boiler_id integer)",
                "INSERT INTO users VALUES (1, 'z@example.org'), (810001, 'a@example.org'), (930002, 'b@example.org'), "
                    + "(970003, 'c@example.org')",
                "INSERT INTO deals VALUES (1, 810001), (2, 930002), (3, 970003)", "INSERT INTO plants VALUES (1, 1), (2, 1), (3, 810001)")
            let schema = try await Schema.read(from: database)
            let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id"))
            #expect(draft.plan.questions.map(\.answers.first) == [.unrelated, .unrelated], "\(draft.plan.questions)")
            let asked = try await QuestionSampling().sampled(draft, schema, database).plan.questions
            let answers = Dictionary(asked.map { ($0.table.name, $0.answers) }, uniquingKeysWith: { first, _ in first })
            #expect(answers["deals"]?.first == .owner && answers["plants"]?.first == .unrelated, "\(asked)")
        }
    }

    @Test(
        "PL-1 PL-3 an id beside a text of the same name is first not personal, as numbers and as text, and no secret is proposed",
        arguments: SQLDialect.allCases, ["int not-null", "text not-null"])
    func service(_ dialect: SQLDialect, _ type: String) throws {
        let asked = try Self.questions(
            dialect,
            SchemaSketch.table(
                "publishers", "id int pk", "repository_owner text not-null", "repository_owner_id \(type)", "workflow text not-null"))
        let question = try #require(asked.first { $0.columns == ["repository_owner_id"] }, "\(asked)")
        #expect(question.answers.first == .unrelated, "\(question)")
        #expect(!question.reason.contains("webauthn_id") && !question.reason.contains("digest"), "\(question)")
    }

    @Test("PL-1 PL-3 the text beside it may also be the name of a user of the app: of its own rows, or of a user that handled one")
    func local() throws {
        let asked = try Self.questions(
            .postgresql, SchemaSketch.table("topics", "id int pk", "title text"),
            SchemaSketch.table("entries", "id int pk", "topic_author text", "topic_author_id int not-null", "what text"),
            SchemaSketch.table("tasks", "id int pk", "user text", "user_id int not-null", "what text"))
        for column in ["topic_author_id", "user_id"] {
            let question = try #require(asked.first { $0.columns == [column] }, "\(asked)")
            #expect(question.answers.first == .owner, "\(question)")
        }
    }

    @Test("PL-1 PL-3 a membership is its member's, also if notes hang below it, and the notes are asked about")
    func memberships() throws {
        let declared = try Self.questions(
            .postgresql, SchemaSketch.table("groups", "id int pk", "name text"),
            SchemaSketch.table(
                "group_members", "id int pk", "user_id int not-null", "group_id int not-null -> groups.id"),
            SchemaSketch.table(
                "group_member_notes", "id int pk", "group_member_id int not-null -> group_members.id", "user_id int not-null",
                "content text"))
        let member = try #require(declared.first { $0.table.name == "group_members" && $0.columns == ["user_id"] }, "\(declared)")
        #expect(member.answers.first == .owner && !member.reason.contains("several users"), "\(member)")
        let notes = declared.filter { $0.table.name == "group_member_notes" }
        #expect(Set(notes.flatMap(\.columns)) == ["group_member_id", "user_id"], "\(declared)")
    }
}
