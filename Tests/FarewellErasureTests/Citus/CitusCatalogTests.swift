// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import TestFixtures
import Testing

@Suite("The facts in the catalog of Citus")
struct CitusCatalogTests {
    private static let tables = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE countries (id integer PRIMARY KEY);
        CREATE TABLE settings (person integer PRIMARY KEY);
        CREATE TABLE notes (id integer PRIMARY KEY, person integer);
        CREATE TABLE uploads (id integer PRIMARY KEY, person integer);
        """

    @Test("OP-6 the distribution of each table is read, and another distribution is another schema")
    func spread() async throws {
        try await EngineFixture.with(.postgresql, Self.tables) { fixture in
            let plain = try await Schema.read(from: fixture.database)
            #expect(plain.tables.allSatisfy { $0.citus == nil } && !plain.isDistributed)
            try await fixture.run(
                CitusStandIn.script([
                    ("people", "h", "id", 7, "s"), ("countries", "n", nil, 8, "t"), ("settings", "n", nil, 9, "s"),
                    ("notes", "n", nil, 0, "s"),
                ]))
            let schema = try await Schema.read(from: fixture.database)
            let found = Dictionary(uniqueKeysWithValues: schema.tables.map { ($0.name.name, $0.citus) })
            #expect(found["people"] == CitusTable(spread: .hashed, column: "id", colocation: 7))
            #expect(found["countries"] == CitusTable(spread: .reference, colocation: 8))
            #expect(found["settings"] == CitusTable(spread: .oneShard, colocation: 9))
            #expect(found["notes"] == CitusTable(spread: .managed))
            #expect(found["uploads"] == .some(nil) && schema.isDistributed)
            #expect(schema.fingerprint != plain.fingerprint && !plain.differences(to: schema).isEmpty)
            let counters = try await fixture.database.withConnection { try await ChangeCounters.prepared(for: schema, on: $0) }
            #expect(counters.uncounted.map(\.name).sorted() == ["countries", "notes", "people", "settings"])
        }
    }

    @Test("OP-6 sessions plan with these values and without them elsewhere, also after DISCARD ALL")
    func sessions() async throws {
        try await EngineFixture.with(.postgresql, Self.tables) { fixture in
            let mode = "SELECT current_setting('plan_cache_mode'), current_setting('citus.multi_shard_modify_mode', true)"
            #expect(try await fixture.rows(mode) == ["force_generic_plan -"])
            try await fixture.run(CitusStandIn.script())
            let name = try #require(try await fixture.rows("SELECT current_database()").first)
            try await fixture.run("ALTER DATABASE \(name) SET citus.multi_shard_modify_mode = 'parallel'")
            let other = try PostgreSQLDatabase(url: fixture.address, configuration: .init(maximumConnections: 1))
            for _ in 1...2 {
                let row = try await other.withConnection { try await $0.run(SQLStatement(mode)).rows.first }
                #expect(row?.compactMap(\.text) == ["auto", "sequential"])
                try await other.withConnection { _ = try await $0.run("DISCARD ALL") }
            }
            await other.close()
        }
    }

    @Test("OP-6 a worker node is refused, with the coordinator's address")
    func worker() async throws {
        try await EngineFixture.with(.postgresql, Self.tables + CitusStandIn.script(server: 1)) { fixture in
            let other = try PostgreSQLDatabase(url: fixture.address)
            let error = await #expect(throws: FarewellError.self) { try await other.withConnection { _ = try await $0.run("SELECT 1") } }
            #expect(error?.code == "sql.citus-worker" && error?.family == .yoursToFix)
            #expect(error?.remedy?.contains("coordinator.example:5433") == true)
            await other.close()
        }
    }

    @Test("OP-6 without named tables, the schema's guard reads the schema each time, also from a prepared plan")
    func stamp() async throws {
        try await EngineFixture.with(.postgresql, Self.tables) { fixture in
            _ = try await fixture.engine()
            let stamp = SchemaStamp(dialect: .postgresql)
            try await fixture.database.withConnection { connection in
                let now = try await connection.run(stamp.read).scalar ?? .null
                let unchanged = stamp.guardUnchanged(now, over: [])
                for _ in 1...2 { _ = try await connection.run(unchanged) }
                _ = try await connection.run("ALTER TABLE notes ALTER COLUMN person SET NOT NULL")
                await #expect(throws: FarewellError.self) { _ = try await connection.run(unchanged) }
            }
        }
    }
}
