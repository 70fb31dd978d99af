// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

/// Links that rows show although no name does.
struct PairKeyTests {
    private static let pairs = """
        CREATE TABLE up_users (id integer PRIMARY KEY, email text UNIQUE);
        CREATE TABLE admin_users (id integer PRIMARY KEY, label text);
        CREATE TABLE pages (id integer PRIMARY KEY, label text);
        CREATE TABLE files_mph (id integer PRIMARY KEY, related_id integer, related_type text);
        INSERT INTO up_users VALUES (1, 'a@example.org'), (2, 'b@example.org'), (3, 'c@example.org'), (4, 'd@example.org');
        INSERT INTO admin_users VALUES (1, 'x'), (2, 'x'), (3, 'x');
        INSERT INTO pages VALUES (1, 'x'), (2, 'x'), (3, 'x');
        INSERT INTO files_mph VALUES (1, 1, '{user}'), (2, 2, '{user}'), (3, 3, '{user}'), (4, 1, 'api::page.page'),
            (5, 2, 'api::page.page'), (6, 3, 'api::page.page'), (7, 1, 'admin::user'), (8, 2, 'admin::user'), (9, 3, 'admin::user'),
            (10, 1, 'api::shop.shop'), (11, 2, 'api::shop.shop'), (12, 3, 'api::shop.shop');
        """

    @Test(
        "PL-2 sampled keys show which value of a type column names the subject's table, whatever it is called",
        arguments: SQLDialect.allCases)
    func values(_ dialect: SQLDialect) async throws {
        let user = "plugin::users-permissions.user"
        try await EngineFixture.with(dialect, Self.pairs.replacing("{user}", with: user)) { house in
            let schema = try await Schema.read(from: house.database)
            let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(house.name("up_users"), "id"))
            let asked = try await QuestionSampling().sampled(draft, schema, house.database).plan.questions
            let question = try #require(asked.first { $0.table.name == "files_mph" }, "\(asked)")
            #expect(question.answers == [.owner, .reference, .unrelated], "\(question)")
            #expect(question.reason.contains("(3 of 3 different values of related_id)"), "\(question.reason)")
            // Small numbers are keys of every table: the other values speak of other tables, or of none.
            #expect(question.link?.condition == LinkCondition([.init(column: "related_type", values: [user])]))
        }
    }

    private static let children = """
        CREATE TABLE customers (id text PRIMARY KEY, email text UNIQUE);
        CREATE TABLE identities (id text PRIMARY KEY, meta {json});
        CREATE TABLE passwords (id text PRIMARY KEY, identity_id text NOT NULL REFERENCES identities (id) ON DELETE CASCADE, body text);
        CREATE TABLE resets (id text PRIMARY KEY, password_id text NOT NULL REFERENCES passwords (id) ON DELETE CASCADE);
        INSERT INTO customers VALUES ('cus_01J0000000000000000001', 'a@example.org'), ('cus_01J0000000000000000002', 'b@example.org');
        INSERT INTO identities VALUES ('i1', '{"customer": "cus_01J0000000000000000001"}'),
            ('i2', '{"customer": "cus_01J0000000000000000002"}');
        """

    @Test(
        "PL-1 an answer to a question that only rows raised leads to questions about the keys to its rows",
        arguments: SQLDialect.allCases)
    func keys(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.children) { house in
            let schema = try await Schema.read(from: house.database)
            let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(house.name("customers"), "id"))
            var plan = try await QuestionSampling().sampled(draft, schema, house.database).plan
            #expect(plan.questions.map(\.table.name) == ["identities"], "\(plan.questions)")
            for table in ["passwords", "resets"] {
                for number in plan.questions.indices { plan.questions[number].answer = .owner }
                let unasked = PlanCheck.findings(try Self.read(plan), schema).filter { $0.code == "column.unasked" }
                #expect(unasked.map { $0.table?.name } == [table], "\(unasked)")
                let following = try FollowingQuestions(PlanFile.text(for: plan), path: "p", schema)
                plan = try PlanFile.read(Array(following.text.utf8), path: "p")
                let question = try #require(plan.questions.last { $0.isOpen })
                #expect(following.count == 1 && question.table.name == table, "\(plan.questions)")
                #expect(question.answers == [.owner, .reference, .unrelated] || question.answers == [.owner, .unrelated])
            }
            let decided = plan.answeringAll(.owner)
            #expect(PlanCheck.findings(decided, schema).filter { $0.severity == .error }.isEmpty)
            #expect(decided.tables.allSatisfy { $0.rule.erasesRows })
        }
    }

    private static func read(_ plan: Plan) throws -> Plan {
        try PlanFile.read(Array(PlanFile.text(for: plan).utf8), path: "p")
    }
}
