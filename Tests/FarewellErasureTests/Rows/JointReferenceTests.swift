// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import Foundation
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

    @Test(
        "PL-3 SQL-21 rows in which a check binds two different users are counted as an error, and previews name them",
        arguments: SQLDialect.allCases)
    func boundUsers(_ dialect: SQLDialect) async throws {
        let handlers = "cancelled_by integer REFERENCES people, approved_by integer REFERENCES people"
        let both = "CHECK ((cancelled_by IS NULL) = (approved_by IS NULL))"
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE holidays (id integer PRIMARY KEY, \(handlers), CONSTRAINT both_or_none \(both));
            CREATE TABLE visits (id integer PRIMARY KEY, owner integer NOT NULL REFERENCES people ON DELETE CASCADE,
                \(handlers), CONSTRAINT visited \(both));
            CREATE TABLE trios (id integer PRIMARY KEY, a integer REFERENCES people, b integer REFERENCES people,
                c integer REFERENCES people, CONSTRAINT all_or_none
                CHECK ((a IS NULL) = (b IS NULL) AND (b IS NULL) = (c IS NULL)));
            INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
            INSERT INTO holidays VALUES (1, 1, 1), (2, 1, 2), (3, NULL, NULL);
            INSERT INTO visits VALUES (1, 1, 1, 2), (2, 2, 1, 1);
            INSERT INTO trios VALUES (1, 1, 1, 2), (2, 1, 1, 1);
            """
        try await EngineFixture.with(dialect, script) { house in
            let plan = try await house.plan { plan in
                let draft = plan
                func handler(_ column: String) -> Link { ReferenceTests.link(draft, column, key: .noAction, role: .reference) }
                let (cancelled, approved) = (handler("cancelled_by"), handler("approved_by"))
                let trio = ["a", "b", "c"].map(handler)
                let owner = ReferenceTests.link(draft, "owner", key: .cascade, role: .owner)
                for table in ["holidays", "trios"] { plan.set(table, .anonymise) }
                plan.link("holidays", cancelled, approved)
                plan.link("visits", owner, cancelled, approved)
                plan.at("trios") { $0.links = trio }
            }
            func counted() async throws -> Set<String> {
                let found = try await house.findings(of: plan).filter { $0.code == "check.refuses-null" && $0.severity == .error }
                return Set(
                    found.map { finding in
                        let number = finding.message.components(separatedBy: " refuses that in ").last?.prefix(6) ?? ""
                        return "\(finding.table?.name ?? "").\(finding.column ?? "") \(number)"
                    })
            }
            // The row that the owner's erasure deletes does not count for the owner.
            let handled = ["holidays.cancelled_by 1 of 2", "holidays.approved_by 1 of 2", "visits.approved_by 1 of 2"]
            #expect(try await counted() == Set(handled + ["a", "b", "c"].map { "trios.\($0) 1 of 2" }))
            let engine = try await house.engine(plan)
            func blocked(_ subject: String) async throws -> Set<String> {
                Set(try await engine.preview(subject).blockers.map { "\($0.table.name) \($0.columns) \($0.rows)" })
            }
            #expect(
                try await blocked("1") == ["holidays [\"cancelled_by\"] 1", "trios [\"a\"] 1", "trios [\"b\"] 1"])
            #expect(
                try await blocked("2") == ["holidays [\"approved_by\"] 1", "visits [\"approved_by\"] 1", "trios [\"c\"] 1"])
            #expect(try await engine.rehearse(["1"]).first?.refusals.isEmpty == false)

            try await house.run("UPDATE holidays SET approved_by = 1 WHERE id = 2; DELETE FROM trios WHERE id = 1")
            #expect(try await counted() == ["visits.approved_by 1 of 2"])
            #expect(try await blocked("1").isEmpty)
            #expect(try await engine.erase(["1"]).first?.receipt?.isComplete == true)
            #expect(try await house.rows("SELECT * FROM holidays") == ["1 - -", "2 - -", "3 - -"])
            #expect(try await house.rows("SELECT * FROM visits") == ["2 2 - -"])
        }
    }
}
