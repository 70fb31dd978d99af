// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

/// Pairs of a type and a key whose sampled rows have keys of subjects.
struct SampledPairTests {
    @Test("PL-2 SCH-01 keys of subjects in a pair give no link without its condition", arguments: PlanDatabase.allCases)
    func conditions(_ kind: PlanDatabase) async throws {
        try await kind.with { database in
            try await database.script(
                "CREATE TABLE app_user (email varchar(254) PRIMARY KEY, name text)",
                "CREATE TABLE django_content_type (id integer PRIMARY KEY, app_label text NOT NULL, model text NOT NULL)",
                "CREATE TABLE log (id integer PRIMARY KEY, ct_id integer NOT NULL REFERENCES django_content_type (id), "
                    + "obj_id varchar(254))",
                "CREATE TABLE notes (id integer PRIMARY KEY, target_type text NOT NULL, target_id varchar(254))",
                "INSERT INTO app_user VALUES ('ann@example.org', 'Ann'), ('ben@example.org', 'Ben')",
                "INSERT INTO django_content_type VALUES (1, 'app', 'user'), (2, 'app', 'page')",
                "INSERT INTO log VALUES (1, 1, 'ann@example.org'), (2, 1, 'ben@example.org'), (3, 2, '7')",
                "INSERT INTO notes VALUES (1, 'x', 'ann@example.org'), (2, 'x', 'ben@example.org')")
            let schema = try await Schema.read(from: database)
            let users = ColumnName(TableName(schema: kind == .sqlite ? nil : "public", "app_user"), "email")
            let draft = try PlanDerivation.draft(from: schema, subject: users)
            let asked = try await QuestionSampling().sampled(draft, schema, database).plan.questions
            let log = asked.filter { $0.table.name == "log" }
            #expect(log.map(\.columns) == [["ct_id", "obj_id"]], "\(log)")
            #expect(log.first?.link?.condition == LinkCondition([.init(column: "ct_id", values: ["1"])]), "\(log)")
            let notes = asked.filter { $0.table.name == "notes" }
            #expect(notes.map(\.columns) == [["target_type", "target_id"]], "\(notes)")
            #expect(notes.compactMap(\.link).allSatisfy { !$0.condition.isEmpty }, "a link needs a condition: \(notes)")
        }
    }

    @Test("PL-2 SCH-01 the check reports numbers of content types that mean another table here", arguments: PlanDatabase.allCases)
    func numbers(_ kind: PlanDatabase) async throws {
        try await kind.with { database in
            try await database.script(
                "CREATE TABLE app_user (id integer PRIMARY KEY, name text)", "CREATE TABLE app_page (id integer PRIMARY KEY)",
                "CREATE TABLE app_guest (user_ptr_id integer PRIMARY KEY REFERENCES app_user (id))",
                "CREATE TABLE django_content_type (id integer PRIMARY KEY, app_label text NOT NULL, model text NOT NULL)",
                "CREATE TABLE log (id integer PRIMARY KEY, content_type_id integer NOT NULL, object_id integer NOT NULL)",
                "INSERT INTO django_content_type VALUES (1, 'app', 'user'), (2, 'app', 'page'), (3, 'app', 'guest'), (4, 'app', 'proxy')")
            let schema = try await Schema.read(from: database)
            let users = ColumnName(TableName(schema: kind == .sqlite ? nil : "public", "app_user"), "id")
            var plan = try PlanDerivation.draft(from: schema, subject: users).plan
            plan.questions = []
            let place = try #require(plan.tables.firstIndex { $0.table.name == "log" })
            plan.tables[place].rule = .erase
            let drafted = plan
            func severity(_ number: String) async throws -> [Finding.Severity] {
                var link = Link(columns: ["object_id"], target: users.table, targetColumns: ["id"])
                link.condition = LinkCondition([.init(column: "content_type_id", values: [number])])
                var written = drafted
                written.tables[place].links = [link]
                return try await database.withConnection { [written] connection in
                    try await ContentTypeProbe(written, schema).findings(on: connection).map(\.severity)
                }
            }
            #expect(try await severity("1").isEmpty)
            #expect(try await severity("3").isEmpty, "rows of a subclass are rows of users")
            #expect(try await severity("4").isEmpty, "a model without a table of its name")
            #expect(try await severity("2") == [.error])
            #expect(try await severity("9") == [.warning])
        }
    }
}
