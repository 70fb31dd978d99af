// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import TestFixtures
import Testing

/// PostgreSQL's own ways to refuse: each is reported before an erasure, with its table and remedy.
@Suite("PostgreSQL's refusals in an erasure")
struct RefusalCaseTests {
    private static let people = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        INSERT INTO people VALUES (1, 'a@example.org'), (2, 'b@example.org');
        """

    private func rehearsed(
        _ script: String, subject: String = "1", _ edit: @escaping (inout Plan) -> Void = { _ in },
        _ judge: (Rehearsal) throws -> Void
    ) async throws {
        try await EngineFixture.with(.postgresql, Self.people + script) { fixture in
            let engine = try await fixture.guardedEngine(try await fixture.plan("people", edit))
            let before = try await fixture.everything()
            try judge(try #require(try await engine.rehearse([subject]).first))
            #expect(try await fixture.everything() == before)
            let outcome = try #require(try await engine.erase([subject]).first)
            #expect(outcome.word == "parked", "the run is refused as the rehearsal says: \(outcome)")
            #expect(try await fixture.everything() == before)
        }
    }

    @Test("PL-4 SQL-14 a link in a generated column cannot be emptied")
    func generated() async throws {
        let script = """
            CREATE TABLE messages (id integer PRIMARY KEY, payload jsonb NOT NULL,
                sender integer GENERATED ALWAYS AS ((payload ->> 's')::int) STORED REFERENCES people (id),
                receiver integer GENERATED ALWAYS AS ((payload ->> 'r')::int) STORED REFERENCES people (id));
            CREATE INDEX ON messages (sender); CREATE INDEX ON messages (receiver);
            INSERT INTO messages VALUES (1, '{"s": 1, "r": 2}'), (2, '{"s": 2, "r": 1}');
            """
        try await rehearsed(script) { plan in
            plan.share("messages", "receiver", .unlink)
        } _: { shown in
            #expect(shown.refusals.first?.code == "sql.428C9" && shown.refusals.first?.table?.name == "messages", "\(shown)")
        }
    }

    @Test("PL-4 SQL-15 SCH-05 a link that a check needs cannot be emptied")
    func checkedLink() async throws {
        let script = """
            CREATE TABLE monitors (id integer PRIMARY KEY, owner integer NOT NULL REFERENCES people (id));
            CREATE TABLE plans (id integer PRIMARY KEY, owner integer NOT NULL REFERENCES people (id));
            CREATE TABLE alerts (id integer PRIMARY KEY, monitor integer NOT NULL REFERENCES monitors (id), wallet integer,
                plan integer REFERENCES plans (id), CONSTRAINT one_of_two CHECK (num_nonnulls(wallet, plan) = 1));
            CREATE INDEX ON monitors (owner); CREATE INDEX ON plans (owner);
            CREATE INDEX ON alerts (monitor); CREATE INDEX ON alerts (plan);
            INSERT INTO monitors VALUES (1, 2); INSERT INTO plans VALUES (1, 1); INSERT INTO alerts VALUES (1, 1, NULL, 1);
            """
        try await rehearsed(script) { plan in
            plan.share("alerts", "plan", .unlink)
        } _: { shown in
            #expect(shown.refusals.map(\.name) == ["one_of_two"], "\(shown)")
            #expect(shown.refusals.first?.table?.name == "alerts")
        }
    }

    @Test("PL-4 SQL-22 a constant that exists already under an exclusion constraint")
    func excluded() async throws {
        let script = """
            CREATE TABLE handles (id integer PRIMARY KEY, owner integer REFERENCES people (id) ON DELETE SET NULL,
                handle text, CONSTRAINT one_handle EXCLUDE USING btree (handle WITH =));
            CREATE INDEX ON handles (owner);
            INSERT INTO handles VALUES (1, NULL, 'gone'), (2, 1, 'ann');
            """
        try await rehearsed(script) { plan in
            plan.set("handles", .anonymise, ["owner": .null, "handle": .constant("gone")])
        } _: { shown in
            #expect(shown.refusals.map(\.code) == ["sql.23P01"] && shown.refusals.first?.name == "one_handle", "\(shown)")
        }
    }

    @Test("PL-4 SQL-23 SET DEFAULT to a missing row")
    func defaulted() async throws {
        let script = """
            CREATE TABLE articles (id integer PRIMARY KEY,
                author integer NOT NULL DEFAULT 0 REFERENCES people (id) ON DELETE SET DEFAULT);
            CREATE INDEX ON articles (author); INSERT INTO articles VALUES (1, 1), (2, 2);
            """
        try await rehearsed(script) { plan in
            plan.set("articles", .anonymise)
        } _: { shown in
            #expect(shown.refusals.map(\.name) == ["articles_author_fkey"], "\(shown)")
            #expect(shown.refusals.first?.remedy.contains("default") == true)
        }
    }

    @Test("PL-4 SQL-24 a published table without a replica identity")
    func replicaIdentity() async throws {
        let script = """
            CREATE TABLE members (team integer, person integer NOT NULL REFERENCES people (id) ON DELETE CASCADE);
            CREATE INDEX ON members (person); INSERT INTO members VALUES (7, 1), (7, 2);
            SET client_min_messages = error; CREATE PUBLICATION some_tables FOR TABLE members;
            """
        try await rehearsed(script) { _ in
        } _: { shown in
            #expect(shown.refusals.contains { $0.code == "sql.55000" && $0.remedy.contains("REPLICA IDENTITY") }, "\(shown)")
        }
    }

    @Test("PL-4 SQL-28 a unique key with equal nulls")
    func equalNulls() async throws {
        let script = """
            CREATE TABLE reviews (id integer PRIMARY KEY, author integer REFERENCES people (id) ON DELETE SET NULL,
                item text NOT NULL, CONSTRAINT one_review UNIQUE NULLS NOT DISTINCT (author, item));
            CREATE INDEX ON reviews (author); INSERT INTO reviews VALUES (1, NULL, 'pen'), (2, 1, 'pen');
            """
        try await rehearsed(script) { plan in
            plan.set("reviews", .anonymise)
        } _: { shown in
            #expect(shown.refusals.map(\.name) == ["one_review"], "\(shown)")
        }
    }

    @Test("PL-4 SQL-12 an error with a permission code from a trigger is reported as an error of the trigger")
    func raisedRight() async throws {
        let script = """
            CREATE TABLE notes (id integer PRIMARY KEY, author integer NOT NULL REFERENCES people (id) ON DELETE CASCADE);
            CREATE INDEX ON notes (author); INSERT INTO notes VALUES (1, 1);
            CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'direct deletion is not allowed' USING ERRCODE = '42501'; END $$;
            CREATE TRIGGER protect BEFORE DELETE ON notes FOR EACH STATEMENT EXECUTE FUNCTION no();
            """
        try await rehearsed(script) { _ in
        } _: { shown in
            #expect(shown.refusals.first?.name == "protect" && shown.refusals.first?.table?.name == "notes", "\(shown)")
            #expect(shown.refusals.first?.message.contains("trigger") == true)
        }
    }
}
