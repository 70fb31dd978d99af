// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

/// Names beside the plan's identifiers, names of several subjects, and numbers that name no subject.
@Suite("The names that a search looks for")
struct NameTests {
    /// Erases subject 5 of a drafted plan whose questions are answered `not personal`, with a complete search.
    private func erased(
        _ dialect: SQLDialect, _ script: String, _ use: (EngineFixture, Receipt, SubjectVerification) async throws -> Void
    ) async throws {
        try await EngineFixture.with(dialect, script) { fixture in
            let schema = try await Schema.read(from: fixture.database)
            let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(fixture.name("users"), "id"))
            let engine = try await fixture.engine(draft.plan.answeringAll(.unrelated))
            let preview = try await engine.preview("5")
            let outcome = try #require(try await engine.erase(["5"], options: ErasureOptions(deepScan: .complete)).first)
            let receipt = try #require(outcome.receipt, "\(outcome)")
            let unsearched = receipt.verification.deepScan.notSearched.filter { $0.place != "identifiers" }
            #expect(preview.notSearched == unsearched, "\(preview.notSearched)")
            let again = try await engine.verify("5", identifiers: ["leaver77"], extent: .complete)
            try await use(fixture, receipt, again)
        }
    }

    @Test(
        "PL-6 BX-5 an identifier that another subject's own row also has counts as similar, and not as left",
        arguments: SQLDialect.allCases)
    func shared(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE users (id integer PRIMARY KEY, org integer, login text, email text, UNIQUE (org, login));
            CREATE TABLE edits (n integer PRIMARY KEY, line text);
            INSERT INTO users VALUES (5, 1, 'leaver77', 'both@example.org'), (6, 2, 'leaver77', 'Both@example.org'), (7, 2, 'x', NULL);
            INSERT INTO edits VALUES (1, 'by leaver77'), (2, 'mail to both@example.org');
            """
        try await erased(dialect, script) { fixture, receipt, again in
            let places = ["left": [], "similar": ["edits.line", "users.email", "users.login"], "not searched": []]
            #expect(receipt.verification.deepScan.places == places && receipt.isComplete)
            #expect(again.isClean && again.deepScan.places["left"] == [])
            // The other subject's own rows are no excuse once the name is only the erased subject's.
            try await fixture.run("UPDATE users SET login = 'other' WHERE id = 6")
            let engine = try await fixture.engine(
                try await fixture.plan("users", identifiers: [("users", "login")]) { $0.set("edits", .notPersonal) })
            let later = try await engine.verify("5", identifiers: ["leaver77"], extent: .complete)
            #expect(later.deepScan.places["left"] == ["edits.line"] && !later.isClean)
        }
    }

    @Test(
        "PL-6 BX-5 given and family name together, unique numbers, and addresses in several rows are searched for",
        arguments: SQLDialect.allCases)
    func implied(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE users (id integer PRIMARY KEY, username text UNIQUE, first_name text, last_name text, public_no integer UNIQUE,
                legacy_no integer UNIQUE);
            CREATE TABLE emails (id integer PRIMARY KEY, user_id integer NOT NULL REFERENCES users ON DELETE CASCADE, address text);
            CREATE TABLE phones (id integer PRIMARY KEY, user_id integer NOT NULL REFERENCES users ON DELETE CASCADE, e164 text);
            CREATE TABLE orders (id integer PRIMARY KEY, user_id integer NOT NULL REFERENCES users ON DELETE CASCADE, email text);
            CREATE TABLE log (n integer PRIMARY KEY, body text, amount integer);
            INSERT INTO users VALUES (5, 'leaver77', 'Wilhelmina', 'Featherstonehaugh', 5550123, 501),
                (6, 'neighbour', 'Wilhelmina', 'Featherstone', 5550124, 502);
            INSERT INTO emails VALUES (1, 5, 'work@example.org'), (2, 5, 'home@example.org'), (3, 6, 'n@example.org');
            INSERT INTO phones VALUES (1, 5, '+491701234567'), (2, 6, '+491707654321');
            INSERT INTO orders VALUES (1, 5, 'gift@example.org');
            INSERT INTO log VALUES (1, 'for Wilhelmina Featherstonehaugh', 1), (2, 'x Featherstonehaugh, Wilhelmina', 1),
                (3, 'Featherstonehaugh alone, Wilhelmina Featherstone', 501), (4, 'to work@example.org', 1),
                (5, 'and home@example.org', 1), (6, 'called +491701234567', 5550123), (7, 'account 5550123', 1),
                (8, 'gift@example.org n@example.org', 1);
            """
        try await erased(dialect, script) { _, receipt, again in
            let scan = receipt.verification.deepScan
            #expect(scan.left == 5 && scan.leftIn == [SearchPlace.place(dialect, "log.body")], "\(scan)")
            // A number of seven digits may mean something else.
            #expect(Set(scan.similarIn) == Set(["log.amount", "log.body"].map { SearchPlace.place(dialect, $0) }), "\(scan)")
            let expected = ["identifiers", "orders.email", "users.first_name", "users.last_name"]
            #expect(scan.places["not searched"] == expected, "\(scan)")
            #expect(ReceiptText.text(receipt).contains("identifiers (1 of the subject's is shorter than 6 characters)"))
            #expect(again.deepScan.places["not searched"] == Array(expected.dropFirst()))
        }
    }

    @Test("PL-6 BX-5 of too many addresses only the first are searched for, and the receipt says so")
    func bounded() async throws {
        let script = """
            CREATE TABLE users (id integer PRIMARY KEY, username text UNIQUE);
            CREATE TABLE emails (id integer PRIMARY KEY, user_id integer NOT NULL REFERENCES users ON DELETE CASCADE, address text);
            INSERT INTO users VALUES (5, 'leaver77');
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
                INSERT INTO emails SELECT i, 5, 'mail' || i || '@example.org' FROM n;
            """
        try await erased(.sqlite, script) { _, receipt, _ in
            let unsearched = receipt.verification.deepScan.notSearched
            #expect(unsearched == [UnsearchedPlace(place: "identifiers", reason: "the subject has more than 500")])
        }
    }

    @Test(
        "PL-6 SCH-01 a small key in a counter, a flag or a limit never counts as left; in a link-like column it does",
        arguments: SQLDialect.allCases)
    func counters(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE users (id integer PRIMARY KEY, email text);
            CREATE TABLE stats (n integer PRIMARY KEY, max_sessions_per_user integer, blocked integer, with_role_owner integer,
                users integer, num_authors integer, user_limit integer, is_owner integer, user_num integer, settings {json});
            CREATE TABLE acts (n integer PRIMARY KEY, made text, users text);
            INSERT INTO users VALUES (5, 'a@example.org');
            INSERT INTO stats VALUES (1, 5, 5, 5, 5, 5, 5, 5, 5, '{"max_sessions_per_user": 5, "with_role_owner": 5}');
            INSERT INTO acts VALUES (1, 'max_users_per_owner=5', '5');
            """
        try await EngineFixture.with(dialect, script) { fixture in
            let schema = try await Schema.read(from: fixture.database)
            let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(fixture.name("users"), "id"))
            #expect(draft.plan.questions.map(\.columns) == [["user_num"]], "\(draft.plan.questions)")
            let engine = try await fixture.engine(draft.plan.answeringAll(.unrelated))
            let outcome = try #require(try await engine.erase(["5"], options: ErasureOptions(deepScan: .complete)).first)
            let receipt = try #require(outcome.receipt, "\(outcome)")
            #expect(receipt.isComplete && receipt.verification.deepScan.leftIn.isEmpty, "\(receipt.verification)")
            #expect(receipt.verification.deepScan.similar > 0)
        }
    }
}
