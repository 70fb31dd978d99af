// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("Rows that name users by several columns")
struct JointReferenceTests {
    @Test("PL-3 a row that names the subject twice loses both values in one change, as a check demands", arguments: SQLDialect.allCases)
    func boundTogether(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE topics (id integer PRIMARY KEY, user_id integer NOT NULL REFERENCES people);
            CREATE TABLE pins (id integer PRIMARY KEY, topic_id integer REFERENCES topics, pinner_id integer REFERENCES people,
                note text, CHECK ((topic_id IS NULL) = (pinner_id IS NULL)));
            CREATE INDEX pins_topic ON pins (topic_id);
            INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
            INSERT INTO topics VALUES (10, 1), (20, 2);
            INSERT INTO pins VALUES (1, 10, 1, 'own'), (2, 20, 2, 'not mine'), (3, NULL, NULL, 'no one');
            """
        for options in [ErasureOptions(), ReferenceTests.large] {
            try await EngineFixture.with(dialect, script) { house in
                let plan = try await house.plan { plan in
                    plan.set("pins", .anonymise)
                    plan.link(
                        "pins", ReferenceTests.link(plan, "topic_id", "topics", key: .noAction, role: .reference),
                        ReferenceTests.link(plan, "pinner_id", key: .noAction, role: .reference))
                }
                let refused = try await house.findings(of: plan).filter { $0.code == "check.refuses-null" }
                #expect(refused.allSatisfy { $0.severity == .warning }, "\(refused)")
                let engine = try await house.engine(plan)
                #expect(try await engine.rehearse(["1"]).first?.refusals.isEmpty == true)
                let outcome = try await engine.erase(["1"], options: options)
                #expect(outcome.first?.receipt?.anonymised == ["pins": 1], "\(outcome)")
                #expect(
                    try await house.rows("SELECT * FROM pins")
                        == ["1 - - own", "2 20 2 not mine", "3 - - no one"])
            }
        }
    }

    @Test("PL-3 a row that also names a user who does not exist loses the subject alone", arguments: SQLDialect.allCases)
    func danglingBeside(_ dialect: SQLDialect) async throws {
        let isFile = dialect == .sqlite
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE games (id integer PRIMARY KEY, white_id integer REFERENCES people, black_id integer REFERENCES people);
            INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
            \(isFile ? "PRAGMA foreign_keys = OFF" : "SET session_replication_role = replica");
            INSERT INTO games VALUES (1, 1, 99), (2, 2, 1), (3, 1, 1);
            \(isFile ? "PRAGMA foreign_keys = ON" : "SET session_replication_role = origin");
            """
        for options in [ErasureOptions(), ReferenceTests.large] {
            try await EngineFixture.with(dialect, script) { house in
                let plan = try await house.plan { plan in
                    plan.set("games", .anonymise)
                    plan.link(
                        "games", ReferenceTests.link(plan, "white_id", key: .noAction, role: .reference),
                        ReferenceTests.link(plan, "black_id", key: .noAction, role: .reference))
                }
                let outcome = try await house.engine(plan).erase(["1"], options: options)
                #expect(outcome.first?.receipt?.isComplete == true, "\(outcome)")
                #expect(try await house.rows("SELECT * FROM games ORDER BY id") == ["1 - 99", "2 2 -", "3 - -"])
            }
        }
    }
}
