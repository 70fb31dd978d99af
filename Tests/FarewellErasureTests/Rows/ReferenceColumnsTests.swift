// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

/// Composite references, of which a part has a meaning of its own.
@Suite("Columns that a composite reference loses")
struct ReferenceColumnsTests {
    private static func script(_ action: String) -> String {
        """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE projects (org integer NOT NULL, id integer NOT NULL, lead integer NOT NULL REFERENCES people ON DELETE CASCADE,
            PRIMARY KEY (org, id));
        CREATE TABLE tasks (id integer PRIMARY KEY, org integer, project_id integer, body text,
            FOREIGN KEY (org, project_id) REFERENCES projects \(action));
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
        INSERT INTO projects VALUES (5, 1, 1), (5, 2, 2);
        INSERT INTO tasks VALUES (1, 5, 1, 'of two'), (2, 5, 2, 'of two');
        """
    }

    private func erased(_ dialect: SQLDialect, _ action: String) async throws {
        try await EngineFixture.with(dialect, Self.script(action)) { fixture in
            let schema = try await Schema.read(from: fixture.database)
            let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(fixture.name("people"), "id"))
            let engine = try await fixture.engine(draft.plan.answeringAll(.reference))
            let outcome = try #require(try await engine.erase(["1"]).first)
            #expect(outcome.receipt != nil, "\(outcome)")
            #expect(try await fixture.rows("SELECT id, org, project_id FROM tasks") == ["1 5 -", "2 5 2"], "\(action)")
        }
    }

    @Test("PL-3 a reference loses only the columns that the database's SET NULL names")
    func named() async throws { try await erased(.postgresql, "ON DELETE SET NULL (project_id)") }

    @Test("PL-3 a reference by a composite key keeps the tenant", arguments: SQLDialect.allCases)
    func own(_ dialect: SQLDialect) async throws { try await erased(dialect, "") }

    @Test(
        "PL-3 a reference by two columns loses the one that names the subject, also where another key has it",
        arguments: SQLDialect.allCases)
    func shared(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE members (project integer NOT NULL, user_id integer NOT NULL REFERENCES people ON DELETE CASCADE,
                PRIMARY KEY (project, user_id));
            CREATE TABLE tasks (id integer PRIMARY KEY, project integer NOT NULL, assignee_id integer REFERENCES people, body text,
                FOREIGN KEY (project, assignee_id) REFERENCES members (project, user_id));
            INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
            INSERT INTO members VALUES (7, 1), (7, 2);
            INSERT INTO tasks VALUES (1, 7, 1, 'of all'), (2, 7, 2, 'of all'), (3, 7, NULL, 'of all');
            """
        for options in [ErasureOptions(), ErasureOptions(largeAccount: 1, residue: .leave)] {
            try await EngineFixture.with(dialect, script) { fixture in
                let plan = try await fixture.plan { plan in
                    plan.set("tasks", .anonymise)
                    plan.link(
                        "tasks",
                        Link(
                            columns: ["assignee_id"], target: plan.name("people"), targetColumns: ["id"], onDelete: .noAction,
                            role: .reference),
                        Link(
                            columns: ["project", "assignee_id"], target: plan.name("members"),
                            targetColumns: ["project", "user_id"], onDelete: .noAction, role: .reference))
                }
                let found = PlanCheck.findings(plan, try await Schema.read(from: fixture.database))
                #expect(!found.contains { $0.severity == .error || $0.code == "link.reference-shared" }, "\(found)")
                let outcome = try #require(try await fixture.engine(plan).erase(["1"], options: options).first)
                #expect(outcome.receipt?.erased == ["people": 1, "members": 1], "\(outcome)")
                #expect(outcome.receipt?.anonymised == ["tasks": 1], "\(outcome)")
                #expect(try await fixture.rows("SELECT id, project, assignee_id FROM tasks") == ["1 7 -", "2 7 2", "3 7 -"])
            }
        }
    }

    private static func full(_ tenant: String) -> String {
        """
        CREATE TABLE people (id integer PRIMARY KEY, tenant integer NOT NULL, email text, UNIQUE (tenant, id));
        CREATE TABLE tenants (id integer PRIMARY KEY);
        CREATE TABLE notes (id integer PRIMARY KEY, tenant integer \(tenant) REFERENCES tenants, editor integer, body text,
            FOREIGN KEY (tenant, editor) REFERENCES people (tenant, id) MATCH FULL);
        CREATE INDEX ON notes (tenant, editor);
        INSERT INTO people VALUES (1, 7, 'one@example.org'), (2, 7, 'two@example.org');
        INSERT INTO tenants VALUES (7);
        INSERT INTO notes VALUES (1, 7, 1, 'of all'), (2, 7, 2, 'of all');
        """
    }

    @Test("PL-3 SQL-26 with MATCH FULL a reference loses all columns together, and check names a key that is lost as well")
    func together() async throws {
        try await EngineFixture.with(.postgresql, Self.full("")) { fixture in
            let schema = try await Schema.read(from: fixture.database)
            let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(fixture.name("people"), "id"))
            let plan = draft.plan.answeringAll(.reference)
            let found = PlanCheck.findings(plan, schema).filter { $0.table?.name == "notes" }
            #expect(!found.contains { $0.severity == .error }, "\(found)")
            #expect(found.first { $0.code == "link.reference-shared" }?.column == "tenant", "\(found)")
            let outcome = try #require(try await fixture.engine(plan).erase(["1"]).first)
            #expect(outcome.receipt?.anonymised == ["notes": 1], "\(outcome)")
            #expect(try await fixture.rows("SELECT id, tenant, editor FROM notes") == ["1 - -", "2 7 2"])
        }
    }

    @Test("PL-3 SQL-26 with MATCH FULL and a column that may not be null, reference needs a value, and the reason is the key's")
    func fixed() async throws {
        try await EngineFixture.with(.postgresql, Self.full("NOT NULL")) { fixture in
            let schema = try await Schema.read(from: fixture.database)
            let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(fixture.name("people"), "id"))
            let number = try #require(draft.plan.questions.firstIndex { $0.table.name == "notes" }, "\(draft.plan.questions)")
            let question = draft.plan.questions[number]
            #expect(question.answers == [.reference, .owner] && question.link?.replacement == nil, "\(question)")
            #expect(question.reason.contains("the key is MATCH FULL, so all of its columns become null together"), "\(question)")
            #expect(question.reason.contains("so reference also needs a value (`set`)"), "\(question)")
            let missing = MissingReplacement(draft.plan, schema)
            #expect(missing.of([number]) == [number])
            #expect(missing.problem("deleted", in: [number]) != nil && missing.problem("0", in: [number]) == nil)
            var plan = draft.plan.answeringAll(.owner)
            plan.set("notes", .anonymise)
            plan.link(
                "notes",
                Link(
                    columns: ["tenant", "editor"], target: fixture.name("people"), targetColumns: ["tenant", "id"],
                    onDelete: .noAction, role: .reference))
            let found = try #require(
                PlanCheck.findings(plan, schema).first { $0.code == "link.reference-not-null" }, "no finding")
            #expect(found.message.contains("MATCH FULL") && found.message.contains("tenant"), "\(found)")
            #expect(found.remedy?.contains("Make “tenant” nullable") == true, "\(found)")
            #expect(found.remedy?.contains("or add `set:`") == true, "\(found)")
        }
    }

    @Test(
        "PL-3 PL-9 a value replaces the subject's in a key of several columns that cannot be null, and the tenant stays",
        arguments: SQLDialect.allCases)
    func replaced(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, tenant integer NOT NULL, email text, UNIQUE (tenant, id));
            CREATE TABLE members (project integer NOT NULL, user_id integer NOT NULL REFERENCES people ON DELETE CASCADE,
                PRIMARY KEY (project, user_id));
            CREATE TABLE notes (id integer PRIMARY KEY, tenant integer NOT NULL, editor integer NOT NULL,
                FOREIGN KEY (tenant, editor) REFERENCES people (tenant, id) MATCH FULL);
            CREATE TABLE tasks (id integer PRIMARY KEY, project integer NOT NULL, assignee_id integer NOT NULL,
                FOREIGN KEY (project, assignee_id) REFERENCES members (project, user_id) MATCH FULL ON DELETE CASCADE);
            INSERT INTO people VALUES (100, 7, 'deleted'), (101, 8, 'deleted'), (1, 7, 'one@example.org'), (2, 8, 'two@example.org');
            INSERT INTO members VALUES (5, 100), (5, 1), (6, 1), (6, 2);
            INSERT INTO notes VALUES (1, 7, 1), (2, 8, 2), (3, 7, 1);
            INSERT INTO tasks VALUES (1, 5, 1), (2, 6, 1), (3, 6, 2);
            """
        for options in [ErasureOptions(), ErasureOptions(largeAccount: 1, residue: .leave)] {
            try await EngineFixture.with(dialect, script) { fixture in
                func plan(_ values: [(tenant: String?, value: String)]) async throws -> Plan {
                    try await fixture.plan { plan in
                        for table in ["notes", "tasks"] { plan.set(table, .anonymise) }
                        let people = plan.name("people")
                        let links = values.map { tenant, value in
                            Link(
                                columns: ["tenant", "editor"], target: people, targetColumns: ["tenant", "id"], onDelete: .noAction,
                                role: .reference,
                                condition: LinkCondition(tenant.map { [LinkCondition.Part(column: "tenant", values: [$0])] } ?? []),
                                replacement: value)
                        }
                        plan.at("notes") { $0.links = links }
                        plan.link(
                            "tasks",
                            Link(
                                columns: ["project", "assignee_id"], target: plan.name("members"),
                                targetColumns: ["project", "user_id"], onDelete: .cascade, role: .reference, replacement: "100"))
                    }
                }
                func errors(_ plan: Plan) async throws -> [String] {
                    try await fixture.findings(of: plan).filter { $0.severity == .error }
                        .map { "\($0.code.rawValue) \($0.table?.name ?? "").\($0.column ?? "") \($0.message.prefix(24))" }
                }
                // A user stands for deleted ones in each tenant and project.
                #expect(
                    try await errors(plan([(nil, "100")])) == [
                        "link.set-unknown notes.editor With 1 value of tenant i",
                        "link.set-unknown tasks.assignee_id With 1 value of project ",
                    ])
                // Citus would refuse the question.
                var spread = try await Schema.read(from: fixture.database)
                for place in spread.tables.indices {
                    spread.tables[place].citus = CitusTable(spread: .hashed, column: "id", colocation: 1)
                }
                let (lacking, schema) = (try await plan([(nil, "100")]), spread)
                let unasked = try await fixture.database.withConnection { connection in
                    try await ReplacementRowProbe(lacking, schema, readsRows: true).findings(on: connection)
                }
                #expect(unasked.isEmpty, "\(unasked)")
                try await fixture.run("INSERT INTO members VALUES (6, 100)")
                #expect(try await errors(plan([(nil, "99")])) == ["link.set-unknown notes.editor The value of `set` is in"])
                let whole = try await plan([("7", "100"), (nil, "101")])
                #expect(try await errors(whole).isEmpty)
                var filed = whole
                filed.questions = []
                let read = try PlanFile.read(Array(PlanFile.text(for: filed).utf8), path: "")
                #expect(read[fixture.name("notes")]?.links == whole[fixture.name("notes")]?.links)

                let engine = try await fixture.engine(whole)
                #expect(try await engine.rehearse(["1"]).first?.fits == true)
                let outcome = try #require(try await engine.erase(["1"], options: options).first)
                #expect(outcome.receipt?.erased == ["people": 1, "members": 2], "\(outcome)")
                #expect(outcome.receipt?.anonymised == ["notes": 2, "tasks": 2], "\(outcome)")
                #expect(try await fixture.rows("SELECT * FROM notes") == ["1 7 100", "2 8 2", "3 7 100"])
                #expect(try await fixture.rows("SELECT * FROM tasks") == ["1 5 100", "2 6 100", "3 6 2"])
                #expect(try await engine.verify("1", extent: .none).isClean)
                let refused = await #expect(throws: FarewellError.self) { _ = try await engine.erase(["101"]) }
                #expect(refused?.code == "subject.stands-in", "\(String(describing: refused))")
            }
        }
    }

    @Test("PL-4 a row that the plan deletes with its own user needs no other value", arguments: SQLDialect.allCases)
    func deletedAnyway(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, tenant integer NOT NULL, email text, UNIQUE (tenant, id));
            CREATE TABLE folders (id integer PRIMARY KEY, owner integer NOT NULL REFERENCES people ON DELETE CASCADE);
            CREATE TABLE members (project integer, user_id integer REFERENCES people ON DELETE CASCADE, PRIMARY KEY (project, user_id));
            CREATE TABLE notes (id integer PRIMARY KEY, tenant integer NOT NULL, editor integer NOT NULL,
                author integer REFERENCES people ON DELETE CASCADE, FOREIGN KEY (tenant, editor) REFERENCES people (tenant, id));
            CREATE TABLE pages (id integer PRIMARY KEY, tenant integer NOT NULL, editor integer NOT NULL,
                folder integer REFERENCES folders ON DELETE CASCADE, FOREIGN KEY (tenant, editor) REFERENCES people (tenant, id));
            CREATE TABLE tasks (id integer PRIMARY KEY, project integer NOT NULL, editor integer NOT NULL,
                author integer REFERENCES people ON DELETE CASCADE, FOREIGN KEY (project, editor) REFERENCES members);
            INSERT INTO people VALUES (100, 7, 'deleted'), (1, 7, 'one@example.org'), (2, 8, 'two@example.org'),
                (3, 8, 'three@example.org');
            INSERT INTO folders VALUES (1, 1), (2, 2);
            INSERT INTO members VALUES (5, 100), (5, 1), (6, 2);
            INSERT INTO notes VALUES (1, 7, 1, 2), (2, 8, 2, 2);
            INSERT INTO pages VALUES (1, 7, 1, 2), (2, 8, 2, 2);
            INSERT INTO tasks VALUES (1, 5, 1, 2), (2, 6, 2, 2);
            """
        try await EngineFixture.with(dialect, script) { fixture in
            let plan = try await fixture.plan { plan in
                for table in ["notes", "pages", "tasks"] {
                    plan.at(table) { entry in
                        entry.links = entry.links.map { link in
                            var link = link
                            if link.columns.count == 2 { (link.role, link.shared, link.replacement) = (.reference, nil, "100") }
                            return link
                        }
                    }
                }
            }
            func lacking() async throws -> [String] {
                try await fixture.findings(of: plan).filter { $0.code == "link.set-unknown" }
                    .map { "\($0.severity) \($0.table?.name ?? "")" }
            }
            #expect(try await lacking() == [])
            let engine = try await fixture.engine(plan)
            #expect(try await engine.rehearse(["1", "2"]).map(\.fits) == [true, true])
            // The row of another user, and one without an owner.
            for (table, change) in [
                ("notes", "author = 3"), ("notes", "author = NULL"), ("pages", "folder = 1"), ("pages", "folder = NULL"),
                ("tasks", "author = 3"),
            ] {
                let (column, was) = change.hasPrefix("folder") ? ("folder", "2") : ("author", "2")
                try await fixture.run("UPDATE \(table) SET \(change) WHERE id = 2")
                #expect(try await lacking() == ["error \(table)"], "\(table) \(change)")
                try await fixture.run("UPDATE \(table) SET \(column) = \(was) WHERE id = 2")
            }
        }
    }
}
