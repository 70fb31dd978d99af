// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

/// A run that a list of another form parks, and the sweep after its release.
@Suite("A parked run names a list's form, and its receipt counts the sweep")
struct ListFormTests {
    private static let script = """
        CREATE TABLE users (id integer PRIMARY KEY, email text);
        CREATE TABLE rooms (id integer PRIMARY KEY, member_ids text NOT NULL DEFAULT '');
        CREATE TABLE notes (id integer PRIMARY KEY, user_id integer REFERENCES users ON DELETE SET NULL, editor_id integer, body text);
        INSERT INTO users VALUES (7001, 'l@example.org'), (7002, 't@example.org');
        INSERT INTO rooms VALUES (1, '[7001]');
        INSERT INTO notes VALUES (1, 7002, 7001, 'n'), (2, 7002, NULL, 'm');
        """

    @Test(
        "PL-9 BX-5 a list of another form parks the run and is named as the cause, and the receipt counts the sweep's changes",
        arguments: SQLDialect.allCases)
    func parked(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.script) { fixture in
            let schema = try await Schema.read(from: fixture.database)
            let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(fixture.name("users"), "id"))
            let list = try #require(draft.plan.questions.first { $0.columns == ["member_ids"] })
            #expect(list.reason.contains("commas between them are assumed"))
            let engine = try await fixture.engine(draft.plan.answeringAll(.reference))
            let outcome = try #require(try await engine.erase(["7001"]).first)
            guard case .parked(let id, let cause) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(cause.contains("rooms.member_ids") && cause.contains("are no list of the form `comma`"), "\(cause)")
            #expect(!cause.contains("program") && cause.contains("list: json") == (dialect == .sqlite), "\(cause)")
            try await fixture.run(
                """
                INSERT INTO notes VALUES (3, 7002, 7001, 'late'), (4, 7002, 7001, 'late too');
                UPDATE rooms SET member_ids = '7001,7002';
                """)
            let released = try #require(try await engine.release(id).first)
            let receipt = try #require(released.receipt, "\(released)")
            let sweep = try #require(receipt.steps.last { $0.name.hasPrefix("sweep") })
            let counts = Dictionary(uniqueKeysWithValues: sweep.places.map { ($0.place.replacing("public.", with: ""), $0.anonymised) })
            #expect(counts == ["notes": 2, "rooms": 1, "users": 0] && sweep.outcome == .erased, "\(sweep)")
            #expect(sweep.places.map(\.erased).reduce(0, +) == 1, "the account's row, which had to stay until now")
            #expect(try await fixture.rows("SELECT member_ids FROM rooms") == ["7002"])
            #expect(try await fixture.rows("SELECT id FROM notes WHERE editor_id IS NOT NULL").isEmpty)
        }
    }
}
