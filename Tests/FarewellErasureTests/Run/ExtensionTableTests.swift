// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("Tables that belong to an extension of PostgreSQL")
struct ExtensionTableTests {
    private static let tables = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE posts (id integer PRIMARY KEY, author integer NOT NULL REFERENCES people (id));
        CREATE INDEX by_author ON posts (author);
        CREATE TABLE systems (srid integer PRIMARY KEY, auth_name text, user_id integer);
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
        INSERT INTO posts VALUES (10, 1), (20, 2);
        INSERT INTO systems VALUES (4326, 'EPSG', 1);
        ALTER EXTENSION plpgsql ADD TABLE systems;
        """

    @Test("OP-2 an extension's table needs no entry and no question, and a change in it parks nothing")
    func leftToExtension() async throws {
        try await EngineFixture.with(.postgresql, Self.tables) { fixture in
            let plan = try await fixture.plan()
            #expect(plan.tables.map(\.table.name).sorted() == ["people", "posts"] && plan.questions.isEmpty)
            let engine = try await fixture.engine(plan)
            let change = """
                ALTER TABLE systems ADD COLUMN srtext text; CREATE TABLE more (id integer, email text);
                ALTER EXTENSION plpgsql ADD TABLE more; DROP TABLE IF EXISTS none
                """
            let outcome = try #require(
                try await engine.erase(["1"]) { progress in
                    guard progress.event == .accepted else { return }
                    do { try await fixture.run(change) } catch { Issue.record("\(error)") }
                }.first)
            #expect(outcome.word == "done", "\(outcome)")
            #expect(try await fixture.rows("SELECT id FROM posts") == ["20"])
            let schema = try await Schema.read(from: fixture.database)
            let findings = PlanCheck.findings(plan, schema, fingerprint: plan.fingerprint(of: schema))
            #expect(!findings.contains { $0.severity == .error }, "\(findings)")
            let note = try #require(findings.first { $0.code == "table.of-extension" })
            #expect(note.message.contains("public.more") && note.message.contains("plpgsql"), "\(note)")
        }
    }

    @Test("OP-2 rows that a dump saves for an unknown extension are planned like the app's own")
    func savedRows() async throws {
        try await EngineFixture.with(.postgresql, Self.tables) { fixture in
            try await fixture.run(
                "UPDATE pg_extension SET extconfig = ARRAY['systems'::regclass::oid], extcondition = ARRAY[''] WHERE extname = 'plpgsql'")
            let plan = try await fixture.plan()
            #expect(plan.tables.map(\.table.name).sorted() == ["people", "posts", "systems"])
            #expect(plan.questions.map(\.table.name) == ["systems"], "the link by user_id is a question")
        }
    }

    @Test("OP-2 PK-2 a plan that recorded an extension's table still fits; the plan's own entry for it still counts")
    func recordedBefore() async throws {
        try await EngineFixture.with(.postgresql, Self.tables) { fixture in
            var plan = try await fixture.plan()
            let schema = try await Schema.read(from: fixture.database)
            plan.schemaFingerprint = schema.fingerprint
            #expect(plan.fingerprint(of: schema) == schema.fingerprint)
            plan.tables.append(
                TablePlan(
                    table: TableName(schema: "public", "systems"), rule: .notPersonal,
                    columns: ["srid", "auth_name", "user_id"].map { TablePlan.PlannedColumn($0) }))
            let named = PlanCheck.findings(plan, schema, fingerprint: plan.fingerprint(of: schema))
            // The column user_id is asked about as before.
            let errors = named.filter { $0.severity == .error && !$0.code.rawValue.hasPrefix("link.") }
            #expect(errors.isEmpty && !named.contains { $0.code == "table.of-extension" }, "\(named)")
        }
    }
}
