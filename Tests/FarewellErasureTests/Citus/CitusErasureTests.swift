// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("Erasure by statements only")
struct CitusErasureTests {
    private static let tables = """
        CREATE TABLE people (id integer PRIMARY KEY, email text NOT NULL);
        CREATE TABLE posts (id integer PRIMARY KEY, person integer NOT NULL REFERENCES people (id) ON DELETE CASCADE);
        CREATE TABLE comments (id integer PRIMARY KEY, post integer NOT NULL REFERENCES posts (id) ON DELETE CASCADE);
        CREATE TABLE orders (id integer PRIMARY KEY, person integer REFERENCES people (id), street text);
        CREATE TABLE visits (person integer NOT NULL REFERENCES people (id) ON DELETE CASCADE);
        CREATE INDEX ON posts (person); CREATE INDEX ON comments (post); CREATE INDEX ON orders (person);
        CREATE INDEX ON visits (person);
        INSERT INTO people SELECT g, 'p' || g || '@example.org' FROM generate_series(1, 4) AS g;
        INSERT INTO posts SELECT g, 1 + g % 4 FROM generate_series(1, 20) AS g;
        INSERT INTO comments SELECT g, 1 + g % 20 FROM generate_series(1, 60) AS g;
        INSERT INTO orders SELECT g, 1 + g % 4, 'a\\b ' || g FROM generate_series(1, 8) AS g;
        INSERT INTO visits SELECT 1 + g % 4 FROM generate_series(1, 12) AS g;
        """
    private static let spread = CitusStandIn.script(hashed: [
        "people": "id", "posts": "person", "comments": "id", "orders": "id", "visits": "person",
    ])

    private func plan(_ fixture: EngineFixture) async throws -> Plan {
        try await fixture.plan { $0.set("orders", .anonymise, ["person": .null, "street": .keyedHash]) }
    }

    @Test(
        "OP-6 receipts count erased rows, also those that a cascade could have deleted; rehearsals count the same",
        arguments: [20_000, 1])
    func counts(_ largeAccount: Int) async throws {
        try await EngineFixture.with(.postgresql, Self.tables + Self.spread) { fixture in
            let engine = try await fixture.engine(try await plan(fixture))
            let before = try await fixture.everything()
            let rehearsal = try #require(try await engine.rehearse(["2"]).first)
            #expect(rehearsal.fits, "\(rehearsal)")
            #expect(try await fixture.everything() == before)
            let changes = Dictionary(uniqueKeysWithValues: rehearsal.changes.map { ($0.table.name, $0.rows) })
            let options = ErasureOptions(largeAccount: largeAccount, residue: .leave)
            let receipt = try #require(try await engine.erase(["2"], options: options).first?.receipt)
            #expect(receipt.erased == ["people": 1, "posts": 5, "comments": 15, "visits": 3], "\(receipt.erased)")
            #expect(changes.mapValues(\.deleted).filter { $0.value > 0 } == receipt.erased && changes["orders"]?.updated == 2)
            #expect(try await fixture.rows("SELECT count(*) FROM orders WHERE person IS NULL AND length(street) = 64") == ["2"])
            #expect(try await fixture.rows("SELECT count(*) FROM comments") == ["45"])
            let rest = try await engine.erase(["1", "3"], options: options).compactMap(\.receipt)
            #expect(rest.map(\.erased) == [receipt.erased, receipt.erased])
        }
    }

    @Test("OP-6 PL-5 a statement that changes a different number of rows than were counted is rolled back")
    func kept() async throws {
        let keeping = """
            CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
            CREATE TRIGGER keep_visits BEFORE DELETE ON visits FOR EACH ROW WHEN (OLD.person > 0) EXECUTE FUNCTION keep();
            """
        try await EngineFixture.with(.postgresql, Self.tables + keeping + Self.spread) { fixture in
            let engine = try await fixture.guardedEngine(try await plan(fixture))
            let before = try await fixture.everything()
            let outcome = try #require(try await engine.erase(["2"]).first)
            #expect(outcome.cause?.contains("visits: 0 rows deleted, 3 predicted") == true, "\(outcome)")
            #expect(try await fixture.everything() == before)
        }
    }

    @Test("OP-6 PL-5 different counts are reported as differences; unlinked rows do not count")
    func differences() async throws {
        try await EngineFixture.with(.postgresql, Self.tables + Self.spread) { fixture in
            let engine = try await fixture.guardedEngine(try await plan(fixture))
            let nodes = engine.prepared.program.graph.nodes
            let posts = try #require(nodes.first { $0.table.name.name == "posts" })
            let watch = ChangeGuard(engine.prepared)
            var evidence = ChangeEvidence(found: [posts.place: 5], nodes: [posts.index], told: [posts.index: 5])
            evidence.isOfAll = true
            #expect(watch.elsewhere(evidence).isEmpty)
            evidence.told[posts.index] = 6
            #expect(watch.elsewhere(evidence).map(\.text) == ["public.posts: 6 rows deleted, 5 predicted"])
            #expect(watch.elsewhere(evidence).map(\.excess) == [1])
            evidence.isOfAll = false
            #expect(watch.elsewhere(evidence).isEmpty, "a piece or a sweep is not of all rows")
            evidence.unlinked[posts.index] = 2
            #expect(watch.changesElsewhere(evidence)[posts.table.name] == RowChanges(updated: 2, deleted: 6))
        }
    }

    @Test("OP-6 BX-5 the fence skips tables that Citus distributes, and guards the coordinator's own")
    func fence() async throws {
        let spread = CitusStandIn.script([
            ("people", "h", "id", 1, "s"), ("posts", "h", "person", 1, "s"), ("orders", "n", nil, 2, "t"),
            ("visits", "n", nil, 0, "s"),
        ])
        try await EngineFixture.with(.postgresql, Self.tables + spread) { fixture in
            let engine = try await fixture.engine(try await plan(fixture))
            for _ in 1...2 { try await fixture.run(FenceScript(plan: engine.prepared.plan).text) }
            let fenced = "SELECT DISTINCT tgrelid::regclass::text FROM pg_trigger WHERE tgname LIKE 'farewell%'"
            #expect(try await fixture.rows(fenced) == ["visits"])
        }
    }

    @Test("OP-6 statements for several servers contain no recursion, no lookup of one row by another, and no change inside a query")
    func statements() async throws {
        try await EngineFixture.with(.postgresql, Self.tables) { fixture in
            let plan = try await plan(fixture)
            let plain = try await Schema.read(from: fixture.database)
            try await fixture.run(Self.spread)
            let spread = try await Schema.read(from: fixture.database)
            let refused = ["RECURSIVE", "LATERAL", "ctid", "RETURNING", "convert_to", "pg_stat_get"]
            for (schema, isRefused) in [(plain, true), (spread, false)] {
                let program = try RowProgram(graph: RowGraph(plan: plan, schema: schema).aboutOne)
                let effects = program.everything + program.stepwise + program.leftovers
                let texts = effects.flatMap(\.statements) + [program.counts, program.readBack] + program.captures.map(\.statement)
                let all = texts.map(\.text).joined(separator: "\n") + (program.rowCounters?.closing.text ?? "")
                #expect(refused.contains { all.contains($0) } == isRefused, "\(all)")
                #expect(isRefused || program.everything.count == program.stepwise.count, "nothing is left to a cascade")
            }
        }
    }
}
