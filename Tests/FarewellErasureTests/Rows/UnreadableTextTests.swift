// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Texts that a database cannot give as UTF-8, and keys that it cannot hold")
struct UnreadableTextTests {
    private static let tables = """
        CREATE TABLE people (id text PRIMARY KEY, email text);
        CREATE TABLE notes (id integer PRIMARY KEY, owner text REFERENCES people (id) ON DELETE CASCADE, body text);
        CREATE INDEX notes_owner ON notes (owner);
        INSERT INTO people VALUES ('bob', 'bob@example.org');
        INSERT INTO notes VALUES (1, 'bob', 'plain');
        """

    @Test("SY-4 a subject that the database's encoding cannot express is an unknown subject for every command")
    func inexpressible() async throws {
        try await EngineFixture.with(.postgresql, Self.tables, encoding: "LATIN1") { fixture in
            try await fixture.run("INSERT INTO people VALUES ('jörg', 'j@example.org')")
            let engine = try await fixture.engine(try await fixture.plan())
            #expect(try await engine.preview("jörg").erased == 1)
            for look in [
                { _ = try await engine.preview("李") }, { _ = try await engine.erase(["李"]) },
                { _ = try await engine.rehearse(["李"]) }, { _ = try await engine.verify("李", extent: .none) },
                { _ = try await engine.export("李", to: fixture.folder + "/out") },
            ] as [@Sendable () async throws -> Void] {
                let error = await #expect(throws: FarewellError.self) { try await look() }
                #expect(error?.code == "subject.unknown", "\(String(describing: error))")
            }
            let requests = ErasureRequests(engine, rules: ServiceRules(), signals: WakeSignals())
            let asked = await #expect(throws: FarewellError.self) { _ = try await requests.request("李") }
            #expect(asked?.code == ErasureRequests.unknown.code, "\(String(describing: asked))")
            #expect(try await engine.erase(["jörg"]).first?.receipt != nil)
        }
    }

    @Test("SY-4 an export of bytes that are no UTF-8 names the table and what to do, and no value")
    func unreadable() async throws {
        try await EngineFixture.with(.postgresql, Self.tables, encoding: "SQL_ASCII") { fixture in
            try await fixture.run("INSERT INTO notes VALUES (2, 'bob', convert_from('\\x6af67267'::bytea, 'SQL_ASCII'))")
            let engine = try await fixture.engine(try await fixture.plan())
            let error = await #expect(throws: FarewellError.self) {
                _ = try await engine.export("bob", to: fixture.folder + "/out")
            }
            #expect(error?.message.contains("public.notes") == true && error?.family == .yoursToFix, "\(String(describing: error))")
            #expect(error?.remedy?.contains("convert_from") == true && error?.message.contains("rg") == false)
            let facts = try await DatabaseHealth(fixture.database).facts(schema: engine.prepared.schema, now: Date.init)
            #expect(facts.contains { $0.name == "encoding" && $0.verdict == .warning })
            #expect(try await engine.erase(["bob"]).first?.receipt != nil, "it can be erased")
        }
    }

    @Test("SY-4 keys on SQLite that no text can name are reported by the check, and no rehearsal samples them")
    func nameless() async throws {
        try await EngineFixture.with(.sqlite, Self.tables) { fixture in
            let plan = try await fixture.plan()
            let schema = try await Schema.read(from: fixture.database)
            func found() async throws -> [Finding] {
                try await PlanCheck.findings(plan, schema, on: fixture.database).filter { $0.code == "subject.unfit-key" }
            }
            try await fixture.run("INSERT INTO people VALUES ('李', 'li@example.org')")
            #expect(try await found().isEmpty, "a text outside ASCII is a name")
            try await fixture.run(
                """
                INSERT INTO people VALUES ('ann' || char(0) || 'x', 'a@example.org'), (CAST(x'e4f6' AS text), 'b@example.org'); \
                INSERT INTO notes VALUES (2, 'ann' || char(0) || 'x', 'n'), (3, CAST(x'e4f6' AS text), 'n')
                """)
            let findings = try await found()
            #expect(findings.count == 1 && findings.first?.message.hasPrefix("2 keys hold") == true, "\(findings)")
            let engine = try await fixture.engine(plan)
            for _ in 1...10 {
                let sampled = Set(try await engine.sampleSubjects(10))
                #expect(sampled.isSubset(of: ["bob", "李"]), "\(sampled)")
                #expect(try await engine.rehearse(Array(sampled)).allSatisfy(\.isKnown))
            }
        }
    }

    @Test("BX-2 a key that SQLite compares in the type of its target blocks with the cause: the form of its values")
    func otherForm() async throws {
        let tables = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE loans (x integer, who REFERENCES people (id));
            INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
            INSERT INTO loans VALUES (1, 1), (2, '01'), (3, 2);
            """
        try await EngineFixture.with(.sqlite, tables) { fixture in
            let engine = try await fixture.engine(try await fixture.plan())
            let blocker = try #require(try await engine.preview("1").blockers.first)
            #expect(blocker.rows == 1 && blocker.examples.isEmpty, "\(blocker)")
            let rehearsal = try #require(try await engine.rehearse(["1"]).first)
            let cause = try #require(try await engine.erase(["1"]).first?.cause)
            for told in [blocker.remedy, rehearsal.refusals.first?.remedy ?? "", cause] {
                #expect(told.contains("01 for 1") && told.contains("who") && !told.contains("Give"), "\(told)")
            }
            try await fixture.run("UPDATE loans SET who = CAST(who AS integer)")
            #expect(try await engine.preview("1").blockers.isEmpty, "after the remedy nothing blocks")
        }
    }

    @Test("PL-1 the note about a key that the database empties names the columns that it sets to null, and no other")
    func listedColumns() async throws {
        let tables = """
            CREATE TABLE people (tenant integer, id integer, email text, uid integer UNIQUE, PRIMARY KEY (tenant, id));
            CREATE TABLE orders (tenant integer, id integer, person integer, approver integer, PRIMARY KEY (tenant, id),
                FOREIGN KEY (tenant, person) REFERENCES people ON DELETE CASCADE,
                FOREIGN KEY (tenant, approver) REFERENCES people ON DELETE SET NULL (approver));
            INSERT INTO people VALUES (1, 1, 'one@example.org', 11), (1, 2, 'two@example.org', 12);
            """
        try await EngineFixture.with(.postgresql, tables) { fixture in
            let plan = try await fixture.plan("people", key: "uid") { plan in
                for table in plan.tables.indices {
                    plan.tables[table].links.removeAll { $0.columns.contains("approver") }
                }
            }
            let schema = try await Schema.read(from: fixture.database)
            let notes = try await PlanCheck.findings(plan, schema, on: fixture.database).filter { $0.code == "key.emptied" }
            #expect(notes.map(\.column) == ["approver"], "\(notes)")
            #expect(notes.first?.message.contains("empties approver of this key") == true, "\(notes)")
        }
    }
}
