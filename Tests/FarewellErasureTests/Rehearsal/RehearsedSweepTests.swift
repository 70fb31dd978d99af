// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

/// In a run each sweep is a transaction of its own, where keys and triggers wait anew; a rehearsal has one transaction.
@Suite("Sweeps of a rehearsal")
struct RehearsedSweepTests {
    /// A trigger copies deleted notes, and each copy has details: a check that waits for the end sees them go together.
    ///
    /// - Parameter byKey: Whether a key can wait, so that a run has all wait; else the check waits by default.
    private func make(_ house: EngineFixture, byKey: Bool) async throws {
        try await house.trigger(
            "copying", "AFTER DELETE ON notes",
            "INSERT INTO history VALUES (OLD.id + 100, OLD.person); INSERT INTO details VALUES (OLD.id + 100, OLD.id + 100)")
        let statements = [
            """
            CREATE FUNCTION whole() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF EXISTS (SELECT FROM history h WHERE h.id = OLD.history_id
                    AND NOT EXISTS (SELECT FROM details d WHERE d.history_id = h.id))
                THEN RAISE EXCEPTION 'history without details'; END IF;
                RETURN NULL;
            END $$
            """,
            "CREATE CONSTRAINT TRIGGER whole AFTER DELETE ON details DEFERRABLE INITIALLY \(byKey ? "IMMEDIATE" : "DEFERRED") "
                + "FOR EACH ROW EXECUTE FUNCTION whole()",
        ]
        try await house.database.withConnection { connection in
            for statement in statements { _ = try await connection.run(SQLStatement(statement)) }
        }
    }

    @Test("PL-4 keys and triggers that wait for the end of a transaction wait in each sweep of a rehearsal", arguments: [true, false])
    func waiting(_ byKey: Bool) async throws {
        let tables = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE notes (id integer PRIMARY KEY, person integer REFERENCES people ON DELETE CASCADE);
            CREATE TABLE history (id integer PRIMARY KEY, p integer);
            CREATE TABLE details (id integer PRIMARY KEY, history_id integer NOT NULL REFERENCES history \(byKey ? "DEFERRABLE" : ""));
            INSERT INTO people VALUES (1, 'a'), (2, 'b');
            INSERT INTO notes VALUES (1, 1), (2, 2);
            INSERT INTO history VALUES (7, 1), (8, 2);
            INSERT INTO details VALUES (7, 7), (8, 8);
            """
        try await EngineFixture.with(.postgresql, tables) { house in
            try await make(house, byKey: byKey)
            var plan = try await house.plan { plan in
                let person = Link(columns: ["p"], target: plan.name("people"), targetColumns: ["id"], shared: .erase)
                let row = Link(
                    columns: ["history_id"], target: plan.name("history"), targetColumns: ["id"], onDelete: .noAction, shared: .erase)
                for (table, link) in [("history", person), ("details", row)] {
                    plan.set(table, .erase)
                    plan.at(table) { $0.links = [link] }
                }
            }
            let shown = try #require(try await house.engine(plan).rehearse(["1"]).first)
            #expect(shown.refusals.isEmpty && shown.left.isEmpty, "\(shown)")
            #expect(Set(shown.effects.map(\.also.name)) == ["history", "details"], "\(shown.effects)")
            plan.effects = shown.effects
            let again = try #require(try await house.engine(plan).rehearse(["1"]).first)
            #expect(again.fits, "\(again)")
            let outcome = try #require(try await house.engine(plan).erase(["1"]).first)
            #expect(outcome.word == "done", "\(outcome)")
            #expect(try await house.rows("SELECT id, history_id FROM details") == ["8 8"])
        }
    }
}
