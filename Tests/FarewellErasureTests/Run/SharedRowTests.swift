// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Rows of two users")
struct SharedRowTests {
    private static let messages = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE messages (id integer PRIMARY KEY, sender integer REFERENCES people (id),
            recipient integer REFERENCES people (id), body text);
        CREATE INDEX by_sender ON messages (sender);
        CREATE INDEX by_recipient ON messages (recipient);
        INSERT INTO people VALUES (1, 'a@example.org'), (2, 'b@example.org'), (3, 'c@example.org');
        INSERT INTO messages VALUES (1, 1, 2, 'hi'), (2, 2, 1, 'ho'), (3, 1, NULL, 'draft'), (4, 1, 1, 'note to myself'),
            (5, 2, 3, 'not yours'), (6, NULL, 1, 'from nobody');
        """

    @Test("BX-1 shared: erase deletes the row with either user", arguments: SQLDialect.allCases)
    func erase(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.messages) { fixture in
            let engine = try await fixture.engine()
            let preview = try await engine.preview("1")
            let receipt = try #require(try await engine.erase(["1"]).first?.receipt)
            #expect(receipt.erased["messages"] == 5)
            #expect(preview.erased == 6)
            #expect(try await fixture.rows("SELECT * FROM messages") == ["5 2 3 not yours"])
        }
    }

    @Test("BX-1 BX-2 shared: unlink changes only the link in the neighbour's row", arguments: SQLDialect.allCases)
    func unlink(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.messages) { fixture in
            let plan = try await fixture.plan { plan in
                plan.share("messages", "sender", .unlink)
            }
            let engine = try await fixture.engine(plan)
            let preview = try await engine.preview("1")
            #expect(preview.erased == 5, "what came to them, the draft, the note, and the person: \(preview.places)")
            #expect(preview.blockers.isEmpty, "a row that loses its link blocks nothing")
            #expect(preview.places.filter(\.isOthers).map(\.count) == [1] && preview.kept == 1)
            #expect(try await engine.verify("1", extent: .none).left.values.sorted() == [1, 1, 4])
            let receipt = try #require(try await engine.erase(["1"]).first?.receipt)
            #expect(receipt.erased == ["messages": 4, "people": 1] && receipt.anonymised == ["messages": 1])
            #expect(try await engine.verify("1", extent: .none).isClean)
            #expect(try await fixture.rows("SELECT * FROM messages") == ["1 - 2 hi", "5 2 3 not yours"])
        }
    }

    @Test("a subject who only has links in rows of other users is known, and loses those links", arguments: SQLDialect.allCases)
    func linksOnly(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, invited_by integer);
            CREATE TABLE notes (id integer PRIMARY KEY, author integer, editor integer, keeper integer REFERENCES people (id));
            INSERT INTO people VALUES (1, 1), (2, 1), (3, 2);
            INSERT INTO notes VALUES (1, 1, 1, 2), (2, 7, NULL, 2), (3, 7, 7, NULL);
            """
        try await EngineFixture.with(dialect, script) { fixture in
            let plan = try await fixture.plan { plan in
                let people = plan.name("people")
                plan.link("people", Link(columns: ["invited_by"], target: people, targetColumns: ["id"], shared: .unlink))
                plan.link(
                    "notes", Link(columns: ["author"], target: people, targetColumns: ["id"], shared: .unlink),
                    Link(columns: ["editor"], target: people, targetColumns: ["id"], shared: .unlink),
                    Link(columns: ["keeper"], target: people, targetColumns: ["id"], onDelete: .noAction, shared: .erase))
            }
            let engine = try await fixture.engine(plan)
            let first = try #require(try await engine.erase(["1"]).first?.receipt)
            #expect(first.erased == ["people": 1] && first.anonymised == ["people": 1, "notes": 1], "\(first.steps)")
            let gone = try #require(try await engine.erase(["7"]).first?.receipt)
            #expect(gone.erased == ["notes": 1] && gone.anonymised == ["notes": 1], "\(gone.steps)")
            #expect(try await fixture.rows("SELECT * FROM people") == ["2 -", "3 2"])
            #expect(try await fixture.rows("SELECT * FROM notes") == ["1 - - 2", "2 - - 2"])
        }
    }

    @Test("a row that belongs to a subject by another link counts once, however else it names the subject", arguments: SQLDialect.allCases)
    func ownByAnother(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text UNIQUE);
            CREATE TABLE posts (id integer PRIMARY KEY, author integer REFERENCES people (id));
            CREATE TABLE comments (id integer PRIMARY KEY, author integer, post integer REFERENCES posts (id), name text);
            CREATE TABLE calls (id integer PRIMARY KEY, caller integer, called text, kept_by integer);
            INSERT INTO people VALUES (1, 'a@example.org'), (2, 'b@example.org');
            INSERT INTO posts VALUES (10, 1), (20, 2);
            INSERT INTO comments VALUES (1, 1, 10, 'me to me'), (2, 2, 10, 'other to me'), (3, 1, 20, 'me to other'), (4, 2, 20, 'no');
            INSERT INTO calls VALUES (1, 1, 'b@example.org', NULL), (2, 2, 'a@example.org', NULL), (3, 1, 'b@example.org', 2),
                (4, 2, 'b@example.org', 2), (5, 1, 'a@example.org', NULL);
            """
        try await EngineFixture.with(dialect, script) { fixture in
            let plan = try await fixture.plan { plan in
                let (people, posts) = (plan.name("people"), plan.name("posts"))
                plan.link(
                    "comments", Link(columns: ["author"], target: people, targetColumns: ["id"], shared: .unlink),
                    Link(columns: ["post"], target: posts, targetColumns: ["id"], onDelete: .noAction, shared: .erase))
                plan.set("comments", .erase)
                plan.set("calls", .erase)
                plan.link(
                    "calls", Link(columns: ["caller"], target: people, targetColumns: ["id"], shared: .unlink),
                    Link(columns: ["called"], target: people, targetColumns: ["email"], shared: .unlink),
                    Link(columns: ["kept_by"], target: people, targetColumns: ["id"], shared: .erase))
            }
            let engine = try await fixture.engine(plan)
            let preview = try await engine.preview("1")
            let receipt = try #require(try await engine.erase(["1"]).first?.receipt)
            #expect(receipt.erased == ["people": 1, "posts": 1, "comments": 2, "calls": 1], "\(receipt.steps)")
            #expect(receipt.anonymised == ["comments": 1, "calls": 3], "\(receipt.steps)")
            #expect(preview.erased == 5 && preview.kept == 4, "\(preview.places)")
            #expect(try await fixture.rows("SELECT id, author, post FROM comments") == ["3 - 20", "4 2 20"])
            #expect(
                try await fixture.rows("SELECT id, caller, called, kept_by FROM calls")
                    == ["1 - b@example.org -", "2 2 - -", "3 - b@example.org 2", "4 2 b@example.org 2"])
        }
    }

    @Test("remaining rows are changed even where their only link would be removed", arguments: SQLDialect.allCases)
    func anonymisedByOneLink(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY);
            CREATE TABLE invoices (id integer PRIMARY KEY, payer integer REFERENCES people (id), name text);
            INSERT INTO people VALUES (1), (2);
            INSERT INTO invoices VALUES (1, 1, 'Ann'), (2, 2, 'Bob');
            """
        try await EngineFixture.with(dialect, script) { fixture in
            let plan = try await fixture.plan { plan in
                plan.share("invoices", "payer", .unlink)
                plan.set("invoices", .anonymise, ["payer": .null, "name": .null])
            }
            let receipt = try #require(try await fixture.engine(plan).erase(["1"]).first?.receipt)
            #expect(receipt.anonymised == ["invoices": 1], "\(receipt.steps)")
            #expect(try await fixture.rows("SELECT * FROM invoices") == ["1 - -", "2 2 Bob"])
        }
    }

    @Test("rows that two subjects of one call share are deleted with them although they would be unlinked", arguments: SQLDialect.allCases)
    func unlinkTogether(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.messages) { fixture in
            let plan = try await fixture.plan { plan in
                plan.share("messages", "sender", .unlink)
            }
            let outcomes = try await fixture.engine(plan).erase(["1", "2"])
            #expect(outcomes.map(\.word) == ["done", "done"])
            #expect(outcomes.compactMap { $0.receipt?.totals.erased }.reduce(0, +) == 7)
            #expect(outcomes.compactMap { $0.receipt?.totals.anonymised }.reduce(0, +) == (dialect == .sqlite ? 2 : 1))
            #expect(try await fixture.rows("SELECT * FROM messages") == ["5 - 3 not yours"])
        }
    }

    @Test("a row that another user holds through JSON is unlinked, not erased", arguments: SQLDialect.allCases)
    func heldByJSON(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE events (id integer PRIMARY KEY, actor integer REFERENCES people (id), data {json});
            CREATE INDEX by_actor ON events (actor);
            INSERT INTO people VALUES (1, 'a@example.org'), (2, 'b@example.org');
            INSERT INTO events VALUES (1, 1, '{"to": {"id": 2}}'), (2, 1, '{"to": {"id": 1}}'), (3, 1, '{}'),
                (4, 2, '{"to": {"id": "1"}}'), (5, 2, '{"to": {"id": 11}}');
            """
        try await EngineFixture.with(dialect, script) { fixture in
            let plan = try await fixture.plan { plan in
                plan.link(
                    "events",
                    Link(columns: ["actor"], target: plan.name("people"), targetColumns: ["id"], onDelete: .noAction, shared: .unlink),
                    Link(columns: ["data"], path: ["to", "id"], target: plan.name("people"), targetColumns: ["id"], shared: .erase))
            }
            let outcome = try #require(try await fixture.engine(plan).erase(["1"]).first)
            #expect(outcome.word == "done", "\(outcome)")
            #expect(try await fixture.rows("SELECT id, actor FROM events") == ["1 -", "5 2"])
        }
    }

    @Test(
        "in a circle rows are found before the rows that lead to them are changed",
        arguments: SQLDialect.allCases, [Rule.erase, .anonymise])
    func circle(_ dialect: SQLDialect, _ people: Rule) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, last_note integer, name text);
            CREATE TABLE orders (id integer PRIMARY KEY, payer integer REFERENCES people (id), note text);
            CREATE TABLE notes (id integer PRIMARY KEY, about integer REFERENCES orders (id), body text);
            INSERT INTO people VALUES (1, 70, 'Ann'), (2, 80, 'Bob');
            INSERT INTO orders VALUES (7, 1, 'hers'), (8, 2, 'his');
            INSERT INTO notes VALUES (70, 7, 'hers'), (80, 8, 'his');
            """
        try await EngineFixture.with(dialect, script) { fixture in
            let plan = try await fixture.plan { plan in
                plan.link("people", Link(columns: ["last_note"], target: plan.name("notes"), targetColumns: ["id"], shared: .unlink))
                plan.set("people", people, people == .erase ? [:] : ["name": .null])
                plan.set("orders", .anonymise, ["payer": .null, "note": .null])
            }
            let engine = try await fixture.engine(plan)
            let preview = try await engine.preview("1")
            let outcome = try #require(try await engine.erase(["1"]).first)
            let receipt = try #require(outcome.receipt, "\(outcome)")
            let goes = people == .erase ? ["notes": 1, "people": 1] : ["notes": 1]
            #expect(receipt.erased == goes && preview.erased == goes.values.reduce(0, +), "\(receipt.steps)")
            #expect(try await fixture.rows("SELECT * FROM notes") == ["80 8 his"])
            #expect(try await fixture.rows("SELECT * FROM orders") == ["7 - -", "8 2 his"])
            #expect(try await fixture.rows("SELECT * FROM people WHERE id > 1") == ["2 80 Bob"])
        }
    }
}
