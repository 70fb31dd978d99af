// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Keys into one partition")
struct PartitionKeyTests {
    @Test("PL-9 rows behind a key into one partition are found by that partition's rows only")
    func followed() async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE events (id integer NOT NULL, year integer NOT NULL, owner integer NOT NULL REFERENCES people (id),
                PRIMARY KEY (id, year)) PARTITION BY LIST (year);
            CREATE TABLE events_2023 PARTITION OF events FOR VALUES IN (2023);
            CREATE TABLE events_2024 PARTITION OF events FOR VALUES IN (2024);
            ALTER TABLE events_2024 ADD UNIQUE (id);
            CREATE TABLE notes (id integer PRIMARY KEY, event integer REFERENCES events_2024 (id), body text);
            CREATE TABLE marks (id integer PRIMARY KEY, event integer REFERENCES events_2024 (id), body text);
            INSERT INTO people VALUES (1, 'one'), (2, 'two');
            INSERT INTO events VALUES (5, 2023, 1), (6, 2024, 1), (5, 2024, 2), (6, 2023, 2);
            INSERT INTO notes VALUES (1, 5, 'of two'), (2, 6, 'of one'), (3, NULL, 'of nobody');
            INSERT INTO marks VALUES (1, 5, 'of two'), (2, 6, 'of one');
            """
        for options in [ErasureOptions(), ErasureOptions(largeAccount: 1, residue: .leave)] {
            try await EngineFixture.with(.postgresql, script) { house in
                let plan = try await house.plan { plan in
                    plan.set("marks", .anonymise)
                    plan.at("marks") { entry in
                        for place in entry.links.indices { (entry.links[place].shared, entry.links[place].role) = (nil, .reference) }
                    }
                }
                let engine = try await house.engine(plan)
                #expect(try await engine.preview("1").erased == 4)
                let outcome = try await engine.erase(["1"], options: options)
                let receipt = try #require(outcome.first?.receipt, "\(outcome)")
                #expect(receipt.erased == ["people": 1, "events": 2, "notes": 1] && receipt.anonymised == ["marks": 1])
                #expect(try await house.rows("SELECT * FROM notes") == ["1 5 of two", "3 - of nobody"])
                #expect(try await house.rows("SELECT * FROM marks") == ["1 5 of two", "2 - of one"])
            }
        }
    }

    @Test("PL-9 a partition that is partitioned itself is accounted for by its parent, and counted once")
    func partitionedTwice() async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE events (owner integer NOT NULL REFERENCES people (id) ON DELETE CASCADE, year integer NOT NULL, body text)
                PARTITION BY LIST (year);
            CREATE TABLE events_2023 PARTITION OF events FOR VALUES IN (2023);
            CREATE TABLE events_2024 PARTITION OF events FOR VALUES IN (2024) PARTITION BY LIST (owner);
            CREATE TABLE events_2024_1 PARTITION OF events_2024 FOR VALUES IN (1);
            CREATE TABLE events_2024_rest PARTITION OF events_2024 DEFAULT;
            CREATE INDEX ON events (owner);
            INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
            INSERT INTO events VALUES (1, 2023, 'a'), (1, 2024, 'b one@example.org'), (2, 2024, 'c'), (2, 2023, 'd');
            """
        try await EngineFixture.with(.postgresql, script) { house in
            let plan = try await house.plan()
            #expect(plan.tables.map(\.table.name) == ["events", "people"] && plan.questions.isEmpty)
            let engine = try await house.engine(plan)
            #expect(try await engine.preview("1").erased == 3)
            let outcome = try await engine.erase(["1"], options: ErasureOptions(deepScan: .complete, residue: .leave))
            let receipt = try #require(outcome.first?.receipt, "\(outcome)")
            #expect(receipt.erased == ["people": 1, "events": 2] && receipt.isComplete)
            #expect(try await house.rows("SELECT body FROM events ORDER BY 1") == ["c", "d"])
        }
    }

    @Test("PL-4 PL-5 a key of one partition, or into one, that the database empties is part of the prediction")
    func emptied() async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text) PARTITION BY LIST (id);
            CREATE TABLE people_1 PARTITION OF people FOR VALUES IN (1, 3);
            CREATE TABLE people_rest PARTITION OF people DEFAULT;
            CREATE TABLE notes (id integer PRIMARY KEY, owner integer NOT NULL REFERENCES people ON DELETE CASCADE,
                seen integer REFERENCES people_1 (id) ON DELETE SET NULL);
            CREATE TABLE events (id integer NOT NULL, owner integer NOT NULL REFERENCES people ON DELETE CASCADE, editor integer)
                PARTITION BY LIST (id);
            CREATE TABLE events_1 PARTITION OF events FOR VALUES IN (1, 2);
            CREATE TABLE events_rest PARTITION OF events DEFAULT;
            ALTER TABLE events_1 ADD FOREIGN KEY (editor) REFERENCES people ON DELETE SET NULL;
            INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org'), (3, 'three@example.org');
            INSERT INTO notes VALUES (1, 1, NULL), (2, 2, 1), (3, 2, 3), (4, 1, 1);
            INSERT INTO events VALUES (1, 1, 1), (2, 2, 1), (3, 1, 2);
            """
        try await EngineFixture.with(.postgresql, script) { house in
            let engine = try await house.engine(try await house.plan())
            let rehearsals = try await engine.rehearse(["1", "2"])
            #expect(rehearsals.map(\.fits) == [true, true], "\(rehearsals)")
            let outcome = try await engine.erase(["1"])
            let receipt = try #require(outcome.first?.receipt, "\(outcome)")
            #expect(receipt.erased == ["people": 1, "notes": 2, "events": 2])
            #expect(try await house.rows("SELECT * FROM notes ORDER BY id") == ["2 2 -", "3 2 3"])
            #expect(try await house.rows("SELECT * FROM events") == ["2 2 -"])
        }
    }

    @Test("PL-5 PL-9 an owned parent stays while another user's row names it by a key into its partition, or of a partition")
    func held() async throws {
        let script = """
            CREATE TABLE avatars (id integer NOT NULL, year integer NOT NULL, PRIMARY KEY (id, year)) PARTITION BY LIST (year);
            CREATE TABLE avatars_2023 PARTITION OF avatars (UNIQUE (id)) FOR VALUES IN (2023);
            CREATE TABLE avatars_2024 PARTITION OF avatars (UNIQUE (id)) FOR VALUES IN (2024);
            CREATE TABLE people (id integer PRIMARY KEY, email text, avatar integer, year integer,
                FOREIGN KEY (avatar, year) REFERENCES avatars);
            CREATE TABLE teams (id integer PRIMARY KEY, logo integer REFERENCES avatars_2023 (id) ON DELETE SET NULL);
            CREATE TABLE pages (id integer PRIMARY KEY, owner integer REFERENCES people ON DELETE CASCADE, avatar integer, year integer)
                PARTITION BY LIST (id);
            CREATE TABLE pages_1 PARTITION OF pages DEFAULT;
            ALTER TABLE pages_1 ADD FOREIGN KEY (avatar, year) REFERENCES avatars ON DELETE SET NULL;
            INSERT INTO avatars VALUES (1, 2023), (2, 2024), (3, 2024), (4, 2024);
            INSERT INTO people VALUES (1, 'one', 1, 2023), (2, 'two', 2, 2024), (3, 'three', 3, 2024), (4, 'four', 4, 2024);
            INSERT INTO teams VALUES (1, 1), (2, NULL);
            INSERT INTO pages VALUES (1, 3, 3, 2024), (2, 1, 4, 2024);
            """
        try await EngineFixture.with(.postgresql, script) { house in
            let plan = try await house.plan { plan in
                plan.set("avatars", .erase)
                let people = plan.name("people")
                plan.link(
                    "avatars",
                    Link(columns: ["id", "year"], target: people, targetColumns: ["avatar", "year"], isOwnedParent: true))
            }
            let engine = try await house.engine(plan)
            for subject in ["4", "1", "2", "3"] {
                let outcome = try await engine.erase([subject])
                #expect(outcome.first?.receipt != nil, "\(outcome)")
                if subject == "4" { #expect(try await house.rows("SELECT id FROM avatars ORDER BY 1") == ["1", "2", "3", "4"]) }
            }
            #expect(try await house.rows("SELECT * FROM teams ORDER BY id") == ["1 1", "2 -"])
            #expect(try await house.rows("SELECT id FROM avatars ORDER BY 1") == ["1", "4"])
        }
    }
}
