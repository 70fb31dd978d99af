// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("Unique names of the subject that other tables repeat")
struct NaturalNameTests {
    private static let script = """
        CREATE TABLE users (id integer PRIMARY KEY, username text NOT NULL UNIQUE, email text NOT NULL UNIQUE);
        CREATE TABLE comments (id integer PRIMARY KEY, author_username text, body text);
        CREATE TABLE tickets (id integer PRIMARY KEY, user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
            approver_username text, approver_email text);
        CREATE TABLE reviews (id integer PRIMARY KEY, reviewer_email text, file_name text);
        CREATE TABLE orders (id integer PRIMARY KEY, user_id integer NOT NULL REFERENCES users ON DELETE CASCADE, user_email text);
        CREATE TABLE rooms (id integer PRIMARY KEY, title text, present {json});
        INSERT INTO users VALUES (1001, 'username-1', 'u1@example.org'), (5002, 'username-2', 'u2@example.org'),
            (90003, 'eve', 'u3@example.org');
        INSERT INTO comments VALUES (1, 'username-1', 'a'), (2, 'username-2', 'b'), (3, 'nobody-there', 'c'), (4, 'eve', 'd');
        INSERT INTO rooms VALUES (1, 'x', '{"who":[1001,5002]}'), (2, 'y', '{"who":[90003]}');
        """

    @Test(
        "PL-1 PL-7 a column named after a unique name of the subject is a question, and values confirm it",
        arguments: SQLDialect.allCases)
    func asked(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.script) { house in
            let schema = try await Schema.read(from: house.database)
            let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(house.name("users"), "id"))
            func question(_ column: String, in plan: Plan) -> PlanQuestion? {
                plan.questions.first { $0.columns == [column] }
            }
            for (table, column, target) in [
                ("comments", "author_username", "username"), ("reviews", "reviewer_email", "email"),
                ("tickets", "approver_username", "username"),
            ] {
                let found = try #require(question(column, in: draft.plan), "\(column)")
                #expect(found.table == house.name(table) && found.link?.targetColumns == [target] && found.isOpen)
            }
            #expect(question("user_email", in: draft.plan) == nil, "the key beside it says whose the row is")
            #expect(question("file_name", in: draft.plan) == nil)
            #expect(question("approver_email", in: draft.plan)?.answers == [.reference, .unrelated], "another person's address")
            let personal = draft.plan.tables.filter { $0.rule.isPersonal }.map(\.table.name)
            #expect(personal == ["orders", "tickets", "users"], "no guess is a link")

            let sampled = try await QuestionSampling().sampled(draft, schema, house.database).plan
            let author = try #require(question("author_username", in: sampled))
            #expect(author.reason.contains("3 of 4 different sampled values of author_username are values of "), "\(author.reason)")
            let list = try #require(question("present", in: sampled))
            #expect(list.link?.list == .json && list.link?.path == ["who"] && list.answers.contains(.reference), "\(list)")
        }
    }
}
