// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

/// Rows that are a user's only by a table between both, such as the articles of an author.
@Suite("Rows behind link tables")
struct LinkTableTests {
    private static func link(_ name: String, _ thing: String) -> String {
        """
        CREATE TABLE \(name) (id integer PRIMARY KEY, \(thing)_id integer REFERENCES \(thing)s (id) ON DELETE CASCADE,
            user_id integer REFERENCES users (id) ON DELETE CASCADE, UNIQUE (\(thing)_id, user_id));
        """
    }
    private static let script = """
        CREATE TABLE users (id integer PRIMARY KEY, email text UNIQUE);
        CREATE TABLE articles (id integer PRIMARY KEY, body text);
        CREATE TABLE novels (id integer PRIMARY KEY, body text);
        CREATE TABLE spaces (id integer PRIMARY KEY, label text);
        CREATE TABLE boards (id integer PRIMARY KEY, space_id integer NOT NULL REFERENCES spaces (id) ON DELETE CASCADE, body text);
        CREATE TABLE roles (id integer PRIMARY KEY, label text);
        \(link("articles_author_lnk", "article"))
        \(link("novel_likes", "novel"))
        \(link("users_role_lnk", "role"))
        CREATE TABLE memberships (user_id integer NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            space_id integer NOT NULL REFERENCES spaces (id) ON DELETE CASCADE, role text, created_at text,
            PRIMARY KEY (user_id, space_id));
        INSERT INTO users VALUES (1, 'one@example.org'), (2, 'two@example.org');
        INSERT INTO articles VALUES (1, 'hers'), (2, 'theirs'), (3, 'his');
        INSERT INTO articles_author_lnk VALUES (1, 1, 1), (2, 2, 1), (3, 2, 2), (4, 3, 2);
        INSERT INTO novels VALUES (1, 'liked'); INSERT INTO novel_likes VALUES (1, 1, 1);
        INSERT INTO roles VALUES (1, 'reader'); INSERT INTO users_role_lnk VALUES (1, 1, 1);
        INSERT INTO spaces VALUES (1, 'hers'), (2, 'theirs');
        INSERT INTO memberships VALUES (1, 1, 'owner', 'x'), (1, 2, 'guest', 'x'), (2, 2, 'owner', 'x');
        INSERT INTO boards VALUES (1, 1, 'hers'), (2, 2, 'theirs');
        """

    @Test(
        "PL-1 SCH-08 rows that a user has only through a table of two keys are a question, and go with the last user",
        arguments: SQLDialect.allCases)
    func asked(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.script) { house in
            let schema = try await Schema.read(from: house.database)
            let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(house.name("users"), "id")).plan
            let owned = draft.questions.filter { $0.link?.isOwnedParent == true }
            let answers = Dictionary(owned.map { ($0.table.name, $0.answers) }) { first, _ in first }
            // A row that a user likes, or that the app lists for all, is no user's; a space may be that of other members.
            #expect(answers == ["articles": [.owner, .unrelated], "spaces": [.unrelated, .owner]], "\(draft.questions)")

            let following = try FollowingQuestions(PlanFile.text(for: Self.decided(draft)), path: "p", schema)
            #expect(following.count == 1, "\(following.text)")
            let followed = try PlanFile.read(Array(following.text.utf8), path: "p")
            let question = try #require(followed.questions.last)
            #expect(question.table.name == "boards" && question.columns == ["space_id"], "\(question)")
            #expect(question.answers.contains(.owner) && question.answers.contains(.unrelated), "\(question)")
            let again = try FollowingQuestions(PlanFile.text(for: Self.decided(followed)), path: "p", schema)
            #expect(again.count == 0, "\(again.text)")

            let plan = followed.answeringAll(.owner)
            #expect(PlanCheck.findings(plan, schema).filter { $0.severity == .error }.isEmpty)
            let engine = try await house.engine(plan)
            let outcome = try #require(try await engine.erase(["1"]).first)
            _ = try #require(outcome.receipt, "\(outcome)")
            #expect(try await house.rows("SELECT id FROM articles ORDER BY id") == ["2", "3"])
            #expect(try await house.rows("SELECT id FROM spaces") == ["2"])
            #expect(try await house.rows("SELECT id FROM boards") == ["2"])
            #expect(try await house.rows("SELECT id FROM novels") == ["1"])
            #expect(try await house.rows("SELECT id FROM roles") == ["1"])
        }
    }

    /// The questions with the answer `owner`.
    private static func decided(_ plan: Plan) -> Plan {
        var plan = plan
        for number in plan.questions.indices { plan.questions[number].answer = .owner }
        return plan
    }
}
