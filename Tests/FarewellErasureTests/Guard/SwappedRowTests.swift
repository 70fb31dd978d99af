// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import TestFixtures
import Testing

@Suite("A trigger that keeps a row and deletes another user's instead")
struct SwappedRowTests {
    private static func tables(_ action: String, _ parent: String) -> String {
        """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE posts (id integer PRIMARY KEY, person integer REFERENCES people \(action),
            parent integer \(parent), body text);
        INSERT INTO people VALUES (1, 'a'), (2, 'b'), (3, 'c');
        INSERT INTO posts VALUES (1, 1, NULL, 'x'), (2, 1, NULL, 'x'), (3, 2, NULL, 'y'),
            (4, 3, NULL, 'z'), (5, 3, NULL, 'z'), (6, 3, NULL, 'z');
        """
    }

    private func swap(_ fixture: EngineFixture, deleting condition: String = "person = 3") async throws {
        let swap = "DELETE FROM posts WHERE id = (SELECT min(id) FROM posts WHERE \(condition))"
        guard fixture.dialect == .postgresql else {
            return try await run(
                "CREATE TRIGGER swap BEFORE DELETE ON posts WHEN OLD.id = 1 BEGIN \(swap); SELECT RAISE(IGNORE); END", fixture)
        }
        try await run(
            "CREATE FUNCTION swap() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF OLD.id = 1 THEN \(swap); "
                + "RETURN NULL; END IF; RETURN OLD; END $$", fixture)
        try await run("CREATE TRIGGER swap BEFORE DELETE ON posts FOR EACH ROW EXECUTE FUNCTION swap()", fixture)
    }

    private func run(_ statement: String, _ fixture: EngineFixture) async throws {
        _ = try await fixture.database.withConnection { try await $0.run(SQLStatement(statement)) }
    }

    @Test(
        "PL-5 a row that a trigger deletes in place of a predicted one rolls back the erasure, and the run parks",
        arguments: SQLDialect.allCases, ["alone", "together", "in pieces"])
    func parked(_ dialect: SQLDialect, _ way: String) async throws {
        for (action, parent) in [("", ""), ("ON DELETE CASCADE", ""), ("", "REFERENCES posts ON DELETE CASCADE")] {
            try await EngineFixture.with(dialect, Self.tables(action, parent)) { fixture in
                try await swap(fixture)
                let plan = try await fixture.plan("people") { plan in
                    if !parent.isEmpty { plan.at("posts") { $0.links[$0.links.count - 1].role = .reference } }
                }
                let before = try await fixture.everything()
                let engine = try await fixture.engine(plan)
                let options = ErasureOptions(largeAccount: way == "in pieces" ? 1 : 20_000, residue: .leave)
                let outcomes = try await engine.erase(way == "together" ? ["1", "2"] : ["1"], options: options)
                let parked = try #require(outcomes.first { $0.cause?.contains("posts") == true }, "\(outcomes)")
                #expect(parked.word == "parked", "\(parked)")
                let after = try await fixture.everything()
                #expect(after["people"]?.count == before["people"]?.count || way == "together", "\(after)")
                #expect(try await fixture.rows("SELECT id FROM posts WHERE person = 3") == ["4", "5", "6"], "\(action) \(parent)")
                if way != "together" { #expect(after == before, "\(action) \(parent)") }
            }
        }
    }

    @Test("PL-5 a trigger that first deletes another row of the same subject does not count as a deviation", arguments: SQLDialect.allCases)
    func own(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables("", "")) { fixture in
            try await fixture.trigger("along", "AFTER DELETE ON posts", "DELETE FROM posts WHERE person = OLD.person")
            let receipt = try await fixture.engine(try await fixture.plan("people")).erase(["1"]).first?.receipt
            #expect(receipt?.isComplete == true, "\(String(describing: receipt))")
            #expect(try await fixture.rows("SELECT id FROM posts ORDER BY id") == ["3", "4", "5", "6"])
        }
    }
}
