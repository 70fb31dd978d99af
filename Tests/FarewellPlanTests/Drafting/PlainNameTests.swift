// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

/// Columns that name a subject without `id`, and columns that are named like a pair and are none.
struct PlainNameTests {
    private static func asked(_ plan: Plan) -> Set<String> {
        Set(
            plan.questions.flatMap { question in
                question.links.map { "\(question.table.name).\(question.columns.joined(separator: ",")) \($0.target.name)" }
            })
    }

    private static func script(_ key: String) -> String {
        """
        CREATE TABLE users (id text PRIMARY KEY, email text NOT NULL DEFAULT '', name text NOT NULL DEFAULT '', manager text);
        CREATE TABLE posts (id text PRIMARY KEY, author text NOT NULL DEFAULT ''\(key), title text, body text);
        CREATE TABLE replies (id text PRIMARY KEY, post text NOT NULL DEFAULT '', "user" text NOT NULL DEFAULT '', body text);
        CREATE TABLE mails (id text PRIMARY KEY, "from" text, "to" text, subject text, note text);
        CREATE TABLE teams (id text PRIMARY KEY, owner text NOT NULL, members {json}, label text);
        CREATE TABLE external_auths (id text PRIMARY KEY, "collectionRef" text NOT NULL, "recordRef" text NOT NULL, provider text);
        """
    }

    @Test(
        "PL-1 BX-1 where no key leads to subjects and their keys are texts, plain names of people are asked about",
        arguments: SQLDialect.allCases)
    func texts(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.script("")) { house in
            let schema = try await Schema.read(from: house.database)
            let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(house.name("users"), "id")).plan
            #expect(
                Self.asked(draft) == [
                    "users.manager users", "posts.author users", "replies.post posts", "replies.user users", "mails.from users",
                    "mails.to users", "teams.owner users", "teams.members users",
                    "external_auths.collectionRef,recordRef users",
                ])
            let author = try #require(draft.questions.first { $0.columns == ["author"] })
            #expect(author.answers.first == .owner && author.reason.contains("so it may contain something else"))
            // A plan without these questions is warned about each column.
            var silent = draft
            silent.questions = []
            let columns = PlanCheck.findings(silent, schema).filter { $0.code == "link.suspected" }.compactMap(\.column)
            #expect(Set(columns).isSuperset(of: ["author", "user", "from", "to", "owner", "members", "recordRef"]), "\(columns)")
        }
        // With a key of the database, other names are the words of people.
        try await EngineFixture.with(dialect, Self.script(" REFERENCES users(id)")) { house in
            let schema = try await Schema.read(from: house.database)
            let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(house.name("users"), "id")).plan
            let names = Self.asked(draft).filter { !$0.hasPrefix("external_auths") && !$0.hasPrefix("posts.author") }
            #expect(names.isEmpty, "\(names)")
        }
    }

    @Test(
        "PL-1 PL-2 a row's own number makes no pair; a key with a person's name keeps its type, whatever values it lists",
        arguments: SQLDialect.allCases)
    func pairs(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE users (id integer PRIMARY KEY, email text UNIQUE);
            CREATE TABLE history (history_id integer PRIMARY KEY, history_type char(1), email_before text);
            CREATE TABLE wallets (id integer PRIMARY KEY, owner_id integer, owner_type char(1));
            CREATE TABLE notes (id integer PRIMARY KEY, owner_id integer, owner_type text CHECK (owner_type IN ('person', 'group')));
            CREATE TABLE details (owner_id integer PRIMARY KEY, owner_type text);
            """
        try await EngineFixture.with(dialect, script) { fixture in
            let schema = try await Schema.read(from: fixture.database)
            let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(fixture.name("users"), "id")).plan
            #expect(!draft.questions.contains { $0.table.name == "history" && $0.columns.contains("history_id") })
            for table in ["wallets", "notes", "details"] {
                let question = try #require(draft.questions.first { $0.table.name == table }, "\(table)")
                #expect(question.columns == ["owner_type", "owner_id"] && question.link?.condition.isEmpty == false, "\(question)")
            }
        }
    }

    @Test(
        "PL-1 PL-2 the answer that is offered first needs no value where a word may replace the text, and never takes a default",
        arguments: SQLDialect.allCases)
    func first(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE users (id integer PRIMARY KEY, email text UNIQUE);
            CREATE TABLE invites (id integer PRIMARY KEY, user_id integer NOT NULL REFERENCES users(id) ON DELETE CASCADE,
                email text NOT NULL);
            CREATE TABLE locks (id integer PRIMARY KEY, locked_by integer NOT NULL);
            CREATE TABLE jobs (id integer PRIMARY KEY, locked_by integer NOT NULL DEFAULT 0);
            CREATE TABLE letters (id integer PRIMARY KEY, user_id integer NOT NULL REFERENCES users(id) ON DELETE CASCADE,
                guest_email text NOT NULL CHECK (guest_email LIKE '%@%'));
            """
        try await EngineFixture.with(dialect, script) { house in
            let schema = try await Schema.read(from: house.database)
            let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(house.name("users"), "id")).plan
            func question(_ table: String) throws -> PlanQuestion {
                try #require(draft.questions.first { $0.table.name == table }, "\(table)")
            }
            #expect(try question("invites").answers.first == .reference && question("invites").link?.replacement == "deleted")
            // A default may be the key of another user.
            for table in ["locks", "jobs", "letters"] {
                #expect(try question(table).link?.replacement == nil && question(table).reason.contains("`set`"), "\(table)")
            }
            var plan = draft
            plan.questions.removeAll { $0.table.name != "invites" }
            plan.questions[0].answer = .reference
            let read = try PlanFile.read(Array(PlanFile.text(for: plan).utf8), path: "p")
            let errors = PlanCheck.findings(read, schema).filter { $0.severity == .error && $0.table?.name == "invites" }
            #expect(errors.isEmpty && read[house.name("invites")]?.links.contains { $0.replacement == "deleted" } == true, "\(errors)")
        }
    }
}
