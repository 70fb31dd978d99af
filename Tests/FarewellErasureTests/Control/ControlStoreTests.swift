// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("The control store")
struct ControlStoreTests {
    private static let tables =
        "CREATE TABLE people (id integer PRIMARY KEY, email text); INSERT INTO people VALUES (1, 'a');"
    private static let hash = String(repeating: "a", count: 64)

    private func insert(_ fixture: EngineFixture, _ columns: [String: String]) async -> String? {
        var values = [
            "id": "'\(UUID().uuidString.lowercased())'", "state": "'running'", "requested_at": "'2026-01-01T00:00:00Z'",
            "subject_hash": "'\(Self.hash)'", "plan_fingerprint": "'p'", "schema_fingerprint": "'s'",
        ]
        values.merge(columns) { _, new in new }
        let names = values.keys.sorted()
        let text =
            "INSERT INTO \(fixture.control("erasures")) (\(names.joined(separator: ", "))) "
            + "VALUES (\(names.map { values[$0] ?? "NULL" }.joined(separator: ", ")))"
        return await code { _ = try await fixture.database.withConnection { try await $0.run(SQLStatement(text)) } }
    }

    @Test("the database refuses rows of impossible erasures", arguments: SQLDialect.allCases)
    func checks(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            _ = try await fixture.engine()
            let bytes = dialect == .postgresql ? "'\\x01'::bytea" : "x'01'"
            let time = "'2026-01-02T00:00:00Z'"
            let impossible: [[String: String]] = [
                ["state": "'over'"],
                ["state": "'done'"],
                ["state": "'cancelled'"],
                ["state": "'running'", "finished_at": time],
                ["state": "'done'", "finished_at": time, "sealed": bytes],
                ["state": "'done'", "finished_at": time, "wrapped_key": bytes],
                ["state": "'needs attention'"],
                ["state": "'running'", "cause": "'because'"],
                ["attempts": "-1"],
                ["attempts": "1001"],
                ["subject_hash": "'short'"],
            ]
            for row in impossible { #expect(await insert(fixture, row) == "sql.23514", "\(row)") }
            #expect(try await fixture.rows("SELECT count(*) FROM \(fixture.control("erasures"))") == ["0"])
            #expect(await insert(fixture, [:]) == nil)
        }
    }

    @Test(
        "a step with impossible counts is reported as damage",
        arguments: [#"{"a": 9223372036854775807, "b": 1}"#, #"{"a": -1}"#, #"{"a": 9007199254740992, "b": 1}"#])
    func absurdCounts(_ counts: String) throws {
        func row(_ counts: SQLValue, _ progress: SQLValue) -> SQLResult {
            let begun = SQLValue.text("2026-01-01T00:00:00Z")
            return SQLResult(columns: [], rows: [[.text("rows"), .text("running"), .integer(1), begun, .null, counts, progress]])
        }
        let most = #"{"a": 9007199254740990, "b": 2}"#
        #expect(try StepStore.records(row(.text(most), .null)).first?.counts.count == 2)
        #expect(throws: FarewellError.self) { try StepStore.records(row(.text(counts), .null)) }
        #expect(throws: FarewellError.self) { try StepStore.records(row(.null, .text(#"{"effect": 1, "counts": \#(counts)}"#))) }
    }

    @Test("an erasure that no worker could resume is reported as damage", arguments: [Int64.max, -1])
    func absurdEpoch(_ epoch: Int64) throws {
        func row(_ epoch: Int64) -> [SQLValue] {
            [
                .text(UUID().uuidString), .text("running"), .null, .text("2026-01-01T00:00:00Z"), .null, .integer(1), .null, .null,
                .integer(epoch), .text(Self.hash), .text("p"), .text("s"), .null, .null, .null,
            ]
        }
        #expect(try ErasureRecord(row: row(.max - 1)).epoch == .max - 1)
        #expect(throws: FarewellError.self) { try ErasureRecord(row: row(epoch)) }
    }

    @Test("a subject has at most one live erasure, by a constraint", arguments: SQLDialect.allCases)
    func oneLive(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            _ = try await fixture.engine()
            let time = "'2026-01-02T00:00:00Z'"
            #expect(await insert(fixture, ["state": "'done'", "finished_at": time]) == nil)
            #expect(await insert(fixture, ["state": "'done'", "finished_at": time]) == nil)
            #expect(await insert(fixture, ["state": "'needs attention'", "cause": "'why'"]) == nil)
            #expect(await insert(fixture, [:]) == "sql.23505")
        }
    }

    @Test("a done step has an end, and no other step does", arguments: SQLDialect.allCases)
    func steps(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            _ = try await fixture.engine()
            let id = "'\(UUID().uuidString.lowercased())'"
            #expect(await insert(fixture, ["id": id]) == nil)
            for values in ["'done', NULL", "'running', '2026-01-02T00:00:00Z'", "'begun', NULL"] {
                let text =
                    "INSERT INTO \(fixture.control("steps")) (erasure, name, started_at, state, finished_at) "
                    + "VALUES (\(id), 'rows', '2026-01-01T00:00:00Z', \(values))"
                let refused = await code { try await fixture.run(text) }
                #expect(refused == "sql.23514", "\(values)")
            }
        }
    }

    @Test("a control store of a newer farewell is refused and left alone", arguments: SQLDialect.allCases)
    func newer(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            _ = try await fixture.engine()
            try await fixture.run("INSERT INTO \(fixture.control("migrations")) VALUES (99, '2026-01-01T00:00:00Z')")
            #expect(await code { _ = try await fixture.engine() } == "control.newer")
        }
    }

    @Test("a table among the control store's, which no plan sees, is refused")
    func stranger() async throws {
        try await EngineFixture.with(.postgresql, Self.tables) { fixture in
            _ = try await fixture.engine()
            try await fixture.run("CREATE TABLE farewell.friends (person integer)")
            try await refused(fixture)
            try await fixture.run("INSERT INTO farewell.migrations VALUES (99, '2026-01-01T00:00:00Z')")
            #expect(await code { _ = try await fixture.engine() } == "control.newer")
        }
        try await EngineFixture.with(.sqlite, Self.tables + "CREATE TABLE farewell_news (person integer);") { fixture in
            try await refused(fixture)
        }
        try await EngineFixture.with(.postgresql, Self.tables + "CREATE SCHEMA farewell;") { fixture in
            #expect(try await strangers(in: fixture).isEmpty)
            try await fixture.run("CREATE TABLE farewell.friends (person integer)")
            try await refused(fixture)
        }
    }

    @Test("an app's own table of versions among the control store's tables is reported")
    func strangerOfVersions() async throws {
        try await EngineFixture.with(.sqlite, Self.tables + "CREATE TABLE farewell_migrations (name text);") { fixture in
            #expect(try await strangers(in: fixture) == ["farewell_migrations"])
            #expect(await code { _ = try await fixture.engine() } == "plan.unaccounted")
            try await fixture.run("DROP TABLE farewell_migrations")
            _ = try await fixture.engine()
            #expect(try await strangers(in: fixture).isEmpty, "the control store's own are none")
        }
    }

    private func strangers(in fixture: EngineFixture) async throws -> [String] {
        let schema = try await Schema.read(from: fixture.database)
        let found = try await PlanCheck.findings(try await fixture.plan(), schema, on: fixture.database)
        return found.filter { $0.code == "control.foreign-table" && $0.severity == .error }
            .compactMap { $0.table?.name }
    }

    /// By `check`, by the doctor, by a run, and by the control store itself.
    private func refused(_ fixture: EngineFixture) async throws {
        #expect(try await strangers(in: fixture).count == 1)
        let schema = try await Schema.read(from: fixture.database)
        let facts = try await DatabaseHealth(fixture.database).facts(schema: schema, now: { fixture.clock.now })
        #expect(facts.contains { $0.name == "control store" && $0.verdict == .bad }, "\(facts)")
        #expect(await code { _ = try await fixture.engine() } == "plan.unaccounted")
        let control = ControlStore(dialect: fixture.dialect, lease: 15)
        #expect(await code { try await control.migrate(fixture.database, now: fixture.clock.now) } == "control.foreign-table")
    }

    @Test("on SQLite no plan sees the control store's tables, and every plan sees an app's own with similar names")
    func tablesOfTheApp() async throws {
        let notes = """
            CREATE TABLE farewell_notes (id integer PRIMARY KEY, person integer NOT NULL REFERENCES people (id), body text);
            CREATE INDEX by_person ON farewell_notes (person);
            INSERT INTO farewell_notes VALUES (10, 1, 'mine');
            """
        try await EngineFixture.with(.sqlite, Self.tables + notes) { fixture in
            let engine = try await fixture.engine()
            let names = try await Schema.read(from: fixture.database).tables.map(\.name.name)
            #expect(names == ["farewell_notes", "people"])
            let made = try await fixture.rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'farewell_*'")
            #expect(Set(made) == Set(ControlTables.names.map { "farewell_" + $0 } + ["farewell_notes"]), "all of them are listed")
            let receipt = try #require(try await engine.erase(["1"]).first?.receipt)
            #expect(receipt.erased == ["farewell_notes": 1, "people": 1])
            let stamp = SchemaStamp(dialect: .sqlite).read
            let before = try await fixture.database.withConnection { try await $0.run(stamp).scalar }
            try await fixture.run("ALTER TABLE farewell_notes ADD COLUMN reader integer")
            let after = try await fixture.database.withConnection { try await $0.run(stamp).scalar }
            #expect(after != before, "a change of it is a change of the schema")
        }
    }

    @Test("in a file with the session authority, a plan sees the authority's users and nothing of the control store")
    func tablesOfTheAuthority() async throws {
        try await AuthorityFixture.with(.sqlite) { authority in
            let fixture = authority.fixture
            try await fixture.run("CREATE TABLE farewell_notes (id integer PRIMARY KEY, body text)")
            let control = ControlStore(dialect: .sqlite, lease: 15)
            try await control.migrate(fixture.database, now: fixture.clock.now)
            let names = try await Schema.read(from: fixture.database).tables.map(\.name.name)
            #expect(names.contains("auth_users") && names.filter { !$0.hasPrefix("auth_") } == ["farewell_notes"], "\(names)")
        }
    }

    @Test("a second opening changes nothing in the control store", arguments: SQLDialect.allCases)
    func again(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            _ = try await fixture.engine()
            let before = try await fixture.rows("SELECT * FROM \(fixture.control("schemas"))")
            _ = try await fixture.engine()
            #expect(try await fixture.rows("SELECT * FROM \(fixture.control("schemas"))") == before)
            let versions = try await fixture.rows("SELECT version FROM \(fixture.control("migrations")) ORDER BY 1")
            #expect(Set(versions) == Set(ControlMigrations(dialect: dialect).all.map { "\($0.version)" }) && versions.count > 7)
        }
    }

    @Test("BX-6 an index finds a live erasure of a subject, even for a statement planned while there were few erasures")
    func liveByIndex() async throws {
        try await EngineFixture.with(.postgresql, "CREATE TABLE people (id integer PRIMARY KEY, email text)") { fixture in
            let engine = try await fixture.engine()
            let asked = engine.control.requests.live(subjectHashes: [String(repeating: "a", count: 64)]).statement
            let plan = try await fixture.database.withConnection { connection in
                try await connection.run(SQLStatement("EXPLAIN \(asked.text)", asked.parameters)).rows
                    .compactMap { $0.first?.text }.joined(separator: "\n")
            }
            #expect(plan.contains("erasures_live") && !plan.contains("Seq Scan on erasures"), "\(plan)")
        }
    }

    @Test(
        "a store of an earlier version keeps its data; addressed and delivered events are not sent again",
        arguments: SQLDialect.allCases)
    func upgrade(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let migrations = ControlMigrations(dialect: dialect)
            let id = "00000000-0000-4000-8000-000000000001"
            let parked = "00000000-0000-4000-8000-000000000002"
            let time = "'2026-01-02T00:00:00.000Z'"
            try await fixture.database.withConnection { connection in
                if dialect == .postgresql { try await connection.run("CREATE SCHEMA farewell") }
                let versions = migrations.table("migrations")
                try await connection.run(SQLStatement("CREATE TABLE \(versions) (version integer PRIMARY KEY, applied_at text NOT NULL)"))
                for (version, statements) in migrations.all where version < 7 {
                    for statement in statements { try await connection.run(SQLStatement(statement)) }
                    try await connection.run(SQLStatement("INSERT INTO \(versions) VALUES (\(version), 'then')"))
                }
            }
            #expect(await insert(fixture, ["id": "'\(id)'", "state": "'done'", "finished_at": time]) == nil)
            let other = String(repeating: "b", count: 64)
            let stands = [
                "id": "'\(parked)'", "state": "'needs attention'", "cause": "'why'", "epoch": "7", "subject_hash": "'\(other)'",
            ]
            #expect(await insert(fixture, stands) == nil)
            let events = fixture.control("events")
            try await fixture.run(
                """
                INSERT INTO \(events) (erasure, kind, happened_at) VALUES ('\(id)', 'erasure.done', \(time)), \
                ('\(id)', 'erasure.begun', \(time)), ('\(parked)', 'erasure.needs-attention', \(time));
                INSERT INTO \(fixture.control("requests")) (erasure, due_at) VALUES ('\(parked)', \(time));
                INSERT INTO \(fixture.control("deliveries")) (event, endpoint, state) SELECT id, 'crm', 'delivered' FROM \(events) \
                WHERE kind = 'erasure.done';
                """)
            let control = try await fixture.engine().control
            let addressed = "SELECT kind FROM \(events) WHERE addressed_at IS NOT NULL"
            #expect(try await fixture.rows(addressed) == ["erasure.done"])
            let deliveries = "\(fixture.control("deliveries")) AS d JOIN \(events) AS v ON v.id = d.event"
            let delivered = try await fixture.rows("SELECT v.kind, d.endpoint, d.state FROM \(deliveries)")
            #expect(delivered == ["erasure.done crm delivered"])
            for statement in control.outbox.noteEnds(at: Date(timeIntervalSince1970: 0)) {
                try await fixture.database.withConnection { _ = try await $0.run(statement) }
            }
            let occasions = try await fixture.rows("SELECT kind, occasion FROM \(events)")
            #expect(occasions == ["erasure.begun 0", "erasure.done 0", "erasure.needs-attention 7"], "who stands parked was told of")
            let found = try await control.requests.find(subjectHash: Self.hash).run(in: fixture.database)
            #expect(found.count == 1)
            #expect(try await fixture.rows("SELECT count(*) FROM \(fixture.control("migrations"))") == ["\(migrations.all.count)"])
            _ = try await fixture.engine()
        }
    }
}
