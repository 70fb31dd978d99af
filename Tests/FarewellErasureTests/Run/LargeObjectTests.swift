// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("PostgreSQL's large objects are erased with the rows that name them")
struct LargeObjectTests {
    private static let script = """
        CREATE TABLE people (id integer PRIMARY KEY, email text, portrait oid);
        CREATE TABLE scans (id integer PRIMARY KEY, owner integer NOT NULL REFERENCES people (id) ON DELETE CASCADE,
          content oid, thumbnail oid);
        CREATE INDEX scans_owner ON scans (owner);
        CREATE TABLE archive (id integer PRIMARY KEY, picture oid);
        INSERT INTO people VALUES (1, 'one@example.org', lo_from_bytea(0, 'portrait 1')),
          (2, 'two@example.org', lo_from_bytea(0, 'portrait 2'));
        INSERT INTO scans VALUES (10, 1, lo_from_bytea(0, 'scan 10'), lo_from_bytea(0, 'thumbnail 10')),
          (20, 2, lo_from_bytea(0, 'scan 20'), NULL);
        """

    private func objects(_ fixture: EngineFixture) async throws -> [String] {
        try await fixture.rows("SELECT convert_from(lo_get(oid), 'UTF8') FROM pg_largeobject_metadata")
    }

    private func plan(_ fixture: EngineFixture, _ edit: (inout Plan) -> Void = { _ in }) async throws -> Plan {
        try await fixture.plan { plan in
            plan.set("people", .erase, ["portrait": .largeObject])
            plan.set("scans", .erase, ["content": .largeObject, "thumbnail": .largeObject])
            plan.set("archive", .notPersonal)
            edit(&plan)
        }
    }

    @Test("SQL-04 a column of type oid is a question until the plan answers it")
    func question() async throws {
        try await EngineFixture.with(.postgresql, Self.script) { fixture in
            let schema = try await Schema.read(from: fixture.database)
            let drafted = try await fixture.plan { $0.set("archive", .notPersonal) }
            let findings = PlanCheck.findings(drafted, schema).filter { $0.code == "column.large-object" }
            #expect(findings.map(\.column) == ["portrait", "content", "thumbnail"])
            #expect(findings.allSatisfy { $0.severity == .error && $0.remedy?.contains("large object") == true })
            for rule in [ColumnRule.largeObject, .notPersonal] {
                var answered = drafted
                answered.set("people", .erase, ["portrait": rule])
                answered.set("scans", .erase, ["content": rule, "thumbnail": rule])
                #expect(!PlanCheck.findings(answered, schema).contains { $0.severity == .error })
                let text = PlanFile.text(for: answered)
                #expect(try PlanFile.read(Array(text.utf8), path: "p") == answered, "\(text)")
            }
            var wrong = drafted
            wrong.set("people", .erase, ["email": .largeObject])
            #expect(PlanCheck.findings(wrong, schema).contains { $0.code == "column.no-large-object" })
        }
    }

    @Test(
        "SQL-04 a subject's large objects are erased with the rows, whatever the size of the account, and other users keep theirs",
        arguments: [1, 20_000], [true, false])
    func erased(_ large: Int, _ isTogether: Bool) async throws {
        try await EngineFixture.with(.postgresql, Self.script) { fixture in
            let engine = try await fixture.engine(try await plan(fixture))
            let options = ErasureOptions(largeAccount: large)
            let outcomes = try await engine.erase(isTogether ? ["1", "2"] : ["1"], options: options)
            #expect(outcomes.allSatisfy { $0.receipt?.isComplete == true }, "\(outcomes)")
            #expect(try await objects(fixture) == (isTogether ? [] : ["portrait 2", "scan 20"]))
        }
    }

    @Test("SQL-04 an object that two rows of the subject name is deleted once; one that another row also names stays")
    func shared() async throws {
        try await EngineFixture.with(.postgresql, Self.script) { fixture in
            try await fixture.run(
                """
                INSERT INTO scans SELECT 11, 1, content, content FROM scans WHERE id = 10;
                INSERT INTO archive SELECT 1, portrait FROM people WHERE id = 1;
                INSERT INTO scans VALUES (12, 1, 4294967295, NULL), (13, 1, NULL, NULL);
                UPDATE scans SET thumbnail = (SELECT thumbnail FROM scans WHERE id = 10) WHERE id = 20;
                """)
            let engine = try await fixture.engine(try await plan(fixture))
            let receipt = try #require(try await engine.erase(["1"]).first?.receipt)
            #expect(receipt.erased == ["people": 1, "scans": 4])
            #expect(try await objects(fixture) == ["portrait 1", "portrait 2", "scan 20", "thumbnail 10"])
        }
    }

    @Test("SQL-04 domains over oid and lists of oid are questions as well, and their objects are erased, each once")
    func domains() async throws {
        let script = """
            CREATE DOMAIN blob AS oid;
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE files (id integer PRIMARY KEY, owner integer NOT NULL REFERENCES people (id) ON DELETE CASCADE,
              data blob, pages oid[]);
            CREATE INDEX files_owner ON files (owner);
            INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
            INSERT INTO files VALUES (10, 1, lo_from_bytea(0, 'data 10'), ARRAY[lo_from_bytea(0, 'page 1'), lo_from_bytea(0, 'page 2')]),
              (20, 2, lo_from_bytea(0, 'data 20'), ARRAY[lo_from_bytea(0, 'page 3')]);
            INSERT INTO files SELECT 11, 1, data, pages FROM files WHERE id = 10;
            INSERT INTO files SELECT 21, 2, NULL, ARRAY[pages[2], NULL] FROM files WHERE id = 10;
            """
        try await EngineFixture.with(.postgresql, script) { fixture in
            let schema = try await Schema.read(from: fixture.database)
            let drafted = try await fixture.plan()
            let asked = PlanCheck.findings(drafted, schema).filter { $0.code == "column.large-object" }
            #expect(asked.map(\.column) == ["data", "pages"])
            let engine = try await fixture.engine(
                try await fixture.plan { $0.set("files", .erase, ["data": .largeObject, "pages": .largeObject]) })
            let outcome = try #require(try await engine.erase(["1"]).first)
            #expect(outcome.receipt?.isComplete == true, "\(outcome)")
            #expect(try await objects(fixture).sorted() == ["data 20", "page 2", "page 3"])
        }
    }

    @Test("SQL-04 where the row stays, its object is deleted and the column is emptied; not personal keeps both")
    func staying() async throws {
        try await EngineFixture.with(.postgresql, Self.script) { fixture in
            let plan = try await plan(fixture) { plan in
                plan.set("people", .anonymise, ["email": .null, "portrait": .largeObject])
                plan.set("scans", .erase, ["content": .notPersonal, "thumbnail": .largeObject])
            }
            let engine = try await fixture.engine(plan)
            let outcome = try #require(try await engine.erase(["1"]).first)
            #expect(outcome.receipt?.isComplete == true, "\(outcome)")
            #expect(try await objects(fixture) == ["portrait 2", "scan 10", "scan 20"])
            #expect(try await fixture.rows("SELECT id, portrait IS NULL FROM people") == ["1 true", "2 false"])
        }
    }

    @Test("SQL-04 a type made for large objects needs no answer, and a trigger that deletes the objects itself may do so")
    func typed() async throws {
        try await EngineFixture.with(.postgresql, "CREATE TABLE people (id integer PRIMARY KEY, email text);") { fixture in
            let hasExtension = try await fixture.rows("SELECT 1 FROM pg_available_extensions WHERE name = 'lo'") == ["1"]
            try await fixture.run(hasExtension ? "CREATE EXTENSION lo;" : "CREATE DOMAIN lo AS oid;")
            try await fixture.run(
                """
                CREATE TABLE scans (id integer PRIMARY KEY, owner integer REFERENCES people (id) ON DELETE CASCADE, content lo);
                CREATE INDEX scans_owner ON scans (owner);
                CREATE TABLE clips (id integer PRIMARY KEY, owner integer REFERENCES people (id) ON DELETE CASCADE,
                    content lo, still lo);
                CREATE INDEX clips_owner ON clips (owner);
                INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
                INSERT INTO scans VALUES (10, 1, lo_from_bytea(0, 'scan 10')), (20, 2, lo_from_bytea(0, 'scan 20'));
                INSERT INTO clips VALUES (10, 1, lo_from_bytea(0, 'clip 10'), lo_from_bytea(0, 'still 10')),
                    (20, 2, lo_from_bytea(0, 'clip 20'), lo_from_bytea(0, 'still 20'));
                """)
            if hasExtension {
                try await fixture.run(
                    "CREATE TRIGGER clips_lo BEFORE UPDATE OR DELETE ON clips FOR EACH ROW EXECUTE FUNCTION lo_manage(content);")
            }
            let engine = try await fixture.engine()
            let manifest = try await engine.export("1", to: fixture.folder + "/out")
            let unexported = Set(manifest.notExported.map { $0.about.split(separator: ".").suffix(2).joined(separator: ".") })
            #expect(unexported == ["clips.content", "clips.still", "scans.content"], "\(manifest.notExported)")
            let outcome = try #require(try await engine.erase(["1"]).first)
            #expect(outcome.receipt?.isComplete == true, "\(outcome)")
            // The trigger deletes those of its own column only.
            #expect(try await objects(fixture) == ["clip 20", "scan 20", "still 20"])
        }
    }
}
