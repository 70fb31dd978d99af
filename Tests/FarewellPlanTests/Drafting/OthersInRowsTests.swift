// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

/// Other persons in rows of a user: addresses of guests, keys in lists, names that no key holds.
struct OthersInRowsTests {
    private static func users(_ kind: PlanDatabase) -> ColumnName {
        ColumnName(TableName(schema: kind == .sqlite ? nil : "public", "users"), "id")
    }

    @Test("PL-6 PL-1 the draft asks about addresses of invited persons and guests in a user's rows, and not about the user's own")
    func invitations() throws {
        let schema = Schema(
            dialect: .sqlite,
            tables: [
                SchemaSketch.table("users", "id int pk", "email text unique"),
                SchemaSketch.table("invitations", "id int pk", "inviter_id int not-null -> users.id cascade", "email text not-null"),
                SchemaSketch.table("comments", "id int pk", "user_id int -> users.id", "guest_email text", "body text"),
                SchemaSketch.table("orders", "id int pk", "user_id int not-null -> users.id", "email text"),
                SchemaSketch.table("profiles", "user_id int pk -> users.id cascade", "guest_email text"),
            ])
        let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        let asked = plan.questions.map { "\($0.table).\($0.columns[0])" }
        #expect(asked == ["comments.guest_email", "invitations.email"], "\(asked)")
        // The rows have their own user without doubt: no other address deletes them.
        #expect(plan.questions.allSatisfy { $0.answers == [.reference, .unrelated] && $0.link?.targetColumns == ["email"] })
        #expect(plan.questions.last?.link?.replacement == "deleted", "the address may not be null")
        var answered = plan
        for place in plan.questions.indices { answered.questions[place].answer = .reference }
        let errors = PlanCheck.findings(answered.answered(), schema).filter { $0.severity == .error }
        #expect(errors.isEmpty, "\(errors)")
    }

    private static let documents = [
        SchemaSketch.table("users", "id int pk", "email text unique"),
        SchemaSketch.table("documents", "id int pk", "user_id int not-null -> users.id cascade", "title text"),
        SchemaSketch.table(
            "audit_logs", "id int pk", "document_id int not-null -> documents.id cascade", "email text", "name text",
            "ip_address text", "user_id int"),
        SchemaSketch.table("signers", "id int pk", "document_id int not-null -> documents.id cascade", "email text not-null"),
        // These rows name their own user.
        SchemaSketch.table(
            "comments", "id int pk", "document_id int not-null -> documents.id cascade",
            "user_id int not-null -> users.id cascade", "email text"),
        SchemaSketch.table("orders", "id int pk", "user_id int not-null -> users.id cascade", "email text"),
    ]

    @Test("PL-6 PL-1 addresses in rows that are a user's only through other rows may be another user's, and are asked about")
    func throughOthers() throws {
        let schema = Schema(dialect: .sqlite, tables: Self.documents)
        let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        let asked = plan.questions.filter { $0.columns == ["email"] }
        #expect(asked.map(\.table.name) == ["audit_logs", "signers"], "\(asked)")
        #expect(asked.allSatisfy { $0.answers == [.reference, .unrelated] && $0.link?.targetColumns == ["email"] })
        #expect(asked.first?.reason.contains("the row stays with its name, ip_address, because") == true, "\(asked)")
        #expect(asked.last?.link?.replacement == "deleted")
        let errors = PlanCheck.findings(plan.answeringAll(.reference), schema).filter { $0.severity == .error }
        #expect(!errors.contains { $0.column == "email" }, "\(errors)")
        // A plan without these questions is warned.
        var silent = plan
        silent.questions = []
        let found = PlanCheck.findings(silent, schema).filter { $0.code == "table.contacts" }
        #expect(found.compactMap { $0.table?.name }.sorted() == ["audit_logs", "signers"] && found.allSatisfy { $0.column == "email" })
    }

    @Test("PL-6 PL-1 where answers give rows to a user through other rows, their addresses are asked about after the answers")
    func throughAnswers() throws {
        let schema = Schema(
            dialect: .sqlite,
            tables: [
                SchemaSketch.table("users", "id int pk", "email text unique"), SchemaSketch.table("documents", "id int pk", "user_id int"),
                SchemaSketch.table("audit_logs", "id int pk", "document_id int", "email text", "action text"),
            ])
        let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        #expect(Set(plan.questions.map(\.columns)) == [["user_id"], ["document_id"]], "\(plan.questions)")
        let owned = FollowingQuestions.of(plan.answeringAll(.owner), schema)
        #expect(owned.map(\.columns) == [["email"]] && owned.first?.answers == [.reference, .unrelated], "\(owned)")
    }

    @Test(
        "PL-1 PL-3 --sample offers no guest's address as the owner of a row that is deleted with its own user",
        arguments: PlanDatabase.allCases)
    func sampledGuests(_ kind: PlanDatabase) async throws {
        try await kind.with { database in
            try await database.script(
                "CREATE TABLE users (id text PRIMARY KEY, email text UNIQUE)",
                "CREATE TABLE bookings (id integer PRIMARY KEY, host_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE, "
                    + "guest_email text, contact_mail text)",
                "INSERT INTO users VALUES ('u1', 'ann@example.org'), ('u2', 'bob@example.org')",
                "INSERT INTO bookings VALUES (1, 'u1', 'bob@example.org', 'bob@example.org'), "
                    + "(2, 'u2', 'ann@example.org', 'ann@example.org')")
            let schema = try await Schema.read(from: database)
            let draft = try PlanDerivation.draft(from: schema, subject: Self.users(kind))
            let asked = try await QuestionSampling().sampled(draft, schema, database).plan.questions
            let guest = try #require(asked.first { $0.columns == ["guest_email"] }, "\(asked)")
            #expect(guest.answers == [.reference, .unrelated] && guest.reason.contains("2 of 2"), "\(guest)")
            #expect(asked.allSatisfy { !$0.answers.contains(.owner) }, "\(asked)")
        }
    }

    @Test(
        "PL-1 PL-7 --sample finds text keys, such as CUIDs, of other people in lists of a user's rows",
        arguments: PlanDatabase.allCases)
    func textKeys(_ kind: PlanDatabase) async throws {
        try await kind.with { database in
            let (ann, bob) = ("clx0000000000000000000ann", "clx0000000000000000000bob")
            try await database.script(
                "CREATE TABLE users (id text PRIMARY KEY, email text UNIQUE, invited text, referred_by text)",
                "CREATE TABLE comments (id integer PRIMARY KEY, user_id text NOT NULL REFERENCES users (id), "
                    + "mentions \(kind.json), words text)",
                "INSERT INTO users VALUES ('\(ann)', 'a@example.org', NULL, NULL), "
                    + "('\(bob)', 'b@example.org', '\(ann)', '\(ann)')",
                "INSERT INTO comments VALUES (1, '\(ann)', '[\"\(bob)\"]', '\(ann)'), "
                    + "(2, '\(bob)', '[\"\(ann)\"]', 'plain words of bob')")
            let schema = try await Schema.read(from: database)
            let draft = try PlanDerivation.draft(from: schema, subject: Self.users(kind))
            #expect(draft.plan.questions.allSatisfy { $0.columns == ["referred_by"] }, "\(draft.plan.questions)")
            let asked = try await QuestionSampling().sampled(draft, schema, database).plan.questions
            let mentions = try #require(asked.first { $0.columns == ["mentions"] })
            #expect(mentions.link?.list == .json && mentions.answers == [.reference, .unrelated], "\(mentions)")
            #expect(mentions.reason.contains("2 of 2"), "\(mentions)")
            for name in ["invited", "referred_by"] {
                let about = asked.filter { $0.columns == [name] }
                #expect(about.count == 1 && about.first?.answers == [.reference, .unrelated], "\(about)")
            }
            #expect(!asked.contains { $0.columns == ["words"] }, "a row that names its own user names no other")
        }
    }

    @Test("PL-1 PL-7 --sample names a user name that is not unique, and offers no link to it", arguments: PlanDatabase.allCases)
    func namesThatAreNotUnique(_ kind: PlanDatabase) async throws {
        try await kind.with { database in
            try await database.script(
                "CREATE TABLE users (id text PRIMARY KEY, username text, upper_name text UNIQUE)",
                "CREATE TABLE documents (id integer PRIMARY KEY, modified_by text, contact_line text)",
                "CREATE TABLE firms (id integer PRIMARY KEY, contact_line text)",
                "INSERT INTO users VALUES ('u1', 'ann@example.org', 'ANN'), ('u2', 'bob@example.org', 'BOB')",
                "INSERT INTO documents VALUES (1, 'ann@example.org', NULL), (2, 'bob@example.org', NULL)",
                "INSERT INTO firms VALUES (1, 'ann@example.org'), (2, 'bob@example.org')")
            let schema = try await Schema.read(from: database)
            let draft = try PlanDerivation.draft(from: schema, subject: Self.users(kind))
            let asked = try await QuestionSampling().sampled(draft, schema, database).plan.questions
            let modified = try #require(asked.first { $0.columns == ["modified_by"] })
            #expect(modified.reason.contains("2 of them are values of ") && modified.reason.contains("not unique"), "\(modified)")
            #expect(!modified.reason.contains("let --sample compare"), "they have been compared: \(modified)")
            #expect(modified.answers.first != .unrelated)
            let firm = try #require(asked.first { $0.table.name == "firms" })
            #expect(firm.link == nil && firm.answers == [.unrelated] && firm.reason.contains("not unique"), "\(firm)")
        }
    }

    @Test(
        "PL-1 PL-7 of two columns with addresses of users, --sample names the one in which most values are found",
        arguments: PlanDatabase.allCases)
    func severalAddresses(_ kind: PlanDatabase) async throws {
        try await kind.with { database in
            try await database.script(
                "CREATE TABLE users (id integer PRIMARY KEY, blocked_email text, email text UNIQUE)",
                "CREATE TABLE firms (id integer PRIMARY KEY, contact_line text)",
                "INSERT INTO users VALUES (1, 'bob@example.org', 'ann@example.org'), (2, NULL, 'bob@example.org')",
                "INSERT INTO firms VALUES (1, 'ann@example.org'), (2, 'bob@example.org')")
            let schema = try await Schema.read(from: database)
            let draft = try PlanDerivation.draft(from: schema, subject: Self.users(kind))
            let asked = try await QuestionSampling().sampled(draft, schema, database).plan.questions
            let firm = try #require(asked.first { $0.table.name == "firms" }, "\(asked)")
            #expect(firm.link?.targetColumns == ["email"] && firm.reason.contains("2 of 2 "), "\(firm)")
        }
    }

    @Test("PL-1 PL-6 addresses of invited persons are also questions in rows that only a guess gives to a user")
    func guesses() throws {
        let schema = Schema(
            dialect: .sqlite,
            tables: [
                SchemaSketch.table("users", "id int pk", "email text unique"),
                SchemaSketch.table("teams", "id int pk", "user_id int not-null"),
                SchemaSketch.table("team_invitations", "id int pk", "team_id int not-null", "email text not-null"),
            ])
        let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        let asked = plan.questions.filter { $0.table.name == "team_invitations" }
        #expect(asked.map(\.columns) == [["team_id"], ["email"]], "\(asked)")
        #expect(asked.allSatisfy { $0.answers.contains(.owner) }, "no row has an owner without doubt: \(asked)")
    }

    @Test("PL-1 SCH-04 a column named after its own table refers to a user in a table between two others, not as a whole key")
    func ownNames() throws {
        let schema = Schema(
            dialect: .sqlite,
            tables: [
                SchemaSketch.table("users", "id int pk", "email text unique"),
                SchemaSketch.table("followers", "follower_id int pk", "followed_id int pk"),
                SchemaSketch.table("watchers", "id int pk", "watcher_id int not-null", "issue_no text"),
                SchemaSketch.table("members", "member_id int pk", "club_no int pk"),
                SchemaSketch.table("voters", "voter_id int pk", "ward text"),
                SchemaSketch.table("customers", "id int pk", "customer_id int", "name text"),
                SchemaSketch.table("posts", "post_id int pk", "title text"),
            ])
        let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        let asked = plan.questions.filter { $0.link?.target.name == "users" }.map { "\($0.table).\($0.columns[0])" }.sorted()
        #expect(asked == ["followers.followed_id", "followers.follower_id", "members.member_id", "watchers.watcher_id"], "\(asked)")
    }

    @Test("PL-1 a column about the circumstances of an act is no link to the acting user")
    func circumstances() throws {
        let schema = Schema(
            dialect: .sqlite,
            tables: [
                SchemaSketch.table("users", "id int pk", "email text unique"),
                SchemaSketch.table("tokens", "id int pk", "created_by text", "created_by_ip text", "createdById text"),
            ])
        let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        let asked = plan.questions.filter { $0.link != nil }.map { $0.columns[0] }
        #expect(asked == ["created_by", "createdById"], "\(asked)")
    }
}
