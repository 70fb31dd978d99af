// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("The check of a plan against publications, triggers and rules")
struct TriggerCheckTests {
    private static let people = "CREATE TABLE people (id integer PRIMARY KEY, email text NOT NULL UNIQUE);"

    @Test("SQL-24 a published table without a replica identity is an error with its name")
    func replicaIdentity() async throws {
        let script =
            Self.people + """
                CREATE TABLE members (team integer NOT NULL, person integer NOT NULL REFERENCES people (id) ON DELETE CASCADE);
                CREATE INDEX ON members (person);
                CREATE TABLE kept (person integer REFERENCES people (id) ON DELETE SET NULL, what text);
                CREATE INDEX ON kept (person);
                CREATE TABLE unrelated (what text);
                CREATE PUBLICATION everything FOR ALL TABLES;
                """
        try await EngineFixture.with(.postgresql, script) { fixture in
            let plan = try await fixture.plan()
            let found = try await fixture.findings(of: plan).filter { $0.code == "table.no-replica-identity" }
            #expect(found.map { $0.table?.name } == ["kept", "members"] && found.allSatisfy { $0.severity == .error })
            #expect(found.map { $0.message.contains("“everything”") } == [true, true])
            for table in ["members", "kept"] { try await fixture.run("ALTER TABLE \(table) REPLICA IDENTITY FULL") }
            let mended = try await fixture.findings(of: plan)
            #expect(mended.allSatisfy { $0.code != "table.no-replica-identity" })
        }
    }

    @Test("SQL-19 check finds a trigger that keeps copies through a function, and names the function")
    func calledFunction() async throws {
        let script =
            Self.people + """
                CREATE TABLE notes (id integer PRIMARY KEY, person integer NOT NULL REFERENCES people (id) ON DELETE CASCADE);
                CREATE INDEX ON notes (person);
                CREATE TABLE row_log (what jsonb);
                CREATE FUNCTION keep_row(j jsonb) RETURNS void LANGUAGE sql AS $$ INSERT INTO row_log VALUES (j) $$;
                CREATE FUNCTION pass_on(j jsonb) RETURNS void LANGUAGE sql AS $$ SELECT keep_row(j) $$;
                CREATE FUNCTION log_row() RETURNS trigger LANGUAGE plpgsql AS
                  $$ BEGIN PERFORM pass_on(to_jsonb(OLD)); RETURN OLD; END $$;
                CREATE TRIGGER log_notes BEFORE DELETE ON notes FOR EACH ROW EXECUTE FUNCTION log_row();
                """
        try await EngineFixture.with(.postgresql, script) { fixture in
            let found = try await fixture.findings(of: try await fixture.plan())
            let copies = try #require(found.only("trigger.copies"), "\(found)")
            #expect(copies.table?.name == "notes" && copies.message.contains("row_log"))
            #expect(copies.message.contains("public.keep_row") && copies.message.contains("log_notes"))
        }
    }

    @Test("SQL-19 a trigger whose function is written in C is named; one that only changes the row itself is not")
    func unreadable() async throws {
        let script =
            "CREATE EXTENSION lo; CREATE EXTENSION moddatetime;" + Self.people + """
                CREATE TABLE photos (id integer PRIMARY KEY, person integer NOT NULL REFERENCES people (id) ON DELETE CASCADE,
                  image lo, words tsvector, body text, at timestamp);
                CREATE INDEX ON photos (person);
                CREATE TRIGGER images BEFORE UPDATE OR DELETE ON photos FOR EACH ROW EXECUTE FUNCTION lo_manage(image);
                CREATE TRIGGER touched BEFORE UPDATE ON photos FOR EACH ROW EXECUTE FUNCTION moddatetime(at);
                CREATE TRIGGER indexed BEFORE UPDATE ON photos FOR EACH ROW
                  EXECUTE FUNCTION tsvector_update_trigger(words, 'pg_catalog.simple', body);
                """
        try await EngineFixture.with(.postgresql, script) { fixture in
            let found = try await fixture.findings(of: try await fixture.plan())
            let unread = try #require(found.only("trigger.unreadable"), "\(found)")
            #expect(unread.message.contains("“images”") && unread.severity == .warning)
        }
    }

    @Test("check names statement triggers that may refuse, rules that replace a change and event triggers")
    func rules() async throws {
        let script =
            Self.people + """
                CREATE TABLE notes (id integer PRIMARY KEY, person integer NOT NULL REFERENCES people (id) ON DELETE CASCADE);
                CREATE INDEX ON notes (person);
                CREATE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql AS
                  $$ BEGIN IF current_setting('app.may', true) IS NULL THEN RAISE EXCEPTION 'no'; END IF; RETURN NULL; END $$;
                CREATE FUNCTION watch() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN END $$;
                CREATE EVENT TRIGGER watching ON ddl_command_end EXECUTE FUNCTION watch();
                """
        try await EngineFixture.with(.postgresql, script) { fixture in
            try await fixture.run(
                "CREATE TRIGGER guarding BEFORE DELETE ON notes FOR EACH STATEMENT EXECUTE FUNCTION guard()")
            let guarded = try await fixture.findings(of: try await fixture.plan())
            #expect(guarded.only("trigger.may-refuse")?.severity == .warning, "\(guarded)")
            #expect(guarded.only("schema.event-triggers")?.message.contains("watching") == true)
            try await fixture.run("CREATE RULE stay AS ON DELETE TO notes DO INSTEAD NOTHING")
            #expect(try await fixture.findings(of: try await fixture.plan()).only("rule.instead")?.severity == .error)
            try await fixture.run("CREATE OR REPLACE RULE stay AS ON DELETE TO notes WHERE old.id > 5 DO INSTEAD NOTHING")
            #expect(try await fixture.findings(of: try await fixture.plan()).only("rule.instead")?.severity == .warning)
            try await fixture.run("DROP EVENT TRIGGER watching")
        }
    }

    @Test("SQL-12 a statement trigger for updates is fired by a key that sets null, and one for deletions is not")
    func firedByKeys() {
        func message(_ event: String) -> String? {
            let users = SchemaSketch.table("public.users", "id int pk")
            var notes = SchemaSketch.table("public.notes", "id int pk", "author int -> public.users.id set null")
            notes.triggers = [SchemaTrigger(name: "counting", events: [event], definition: "", isForEachRow: false)]
            let link = Link(columns: ["author"], target: users.name, targetColumns: ["id"], onDelete: .setNull)
            let plan = Plan(
                subject: SubjectRoot(table: users.name, key: "id"),
                tables: [
                    TablePlan(table: users.name, rule: .erase, columns: [.init("id")]),
                    TablePlan(table: notes.name, rule: .anonymise, links: [link], columns: [.init("id"), .init("author")]),
                ])
            return PlanCheck.findings(plan, SchemaSketch.schema(.postgresql, users, notes))
                .first { $0.code == "trigger.statement" }?.message
        }
        #expect(message("update")?.contains("for a foreign key") == true)
        #expect(message("delete").map { !$0.contains("for a foreign key") } == true)
    }
}
