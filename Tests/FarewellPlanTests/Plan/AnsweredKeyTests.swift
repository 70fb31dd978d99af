// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("Answers that can be given one by one, and changed")
struct AnsweredKeyTests {
    private static func question(_ columns: String...) -> PlanQuestion {
        PlanQuestion(table: TableName(schema: "public", "votes"), columns: columns, reason: "a reason")
    }

    @Test("PL-8 the answer to a column's own question does not also answer the question about it and another column")
    func chosen() {
        let (single, pair) = (Self.question("tenant_id"), Self.question("post_id", "tenant_id"))
        func chosen(_ columns: [String], _ all: [PlanQuestion]) -> [[String]] {
            let selection = QuestionSelection(tables: ["votes"], columns: columns)
            return all.filter { selection.contains($0, among: all) }.map(\.columns)
        }
        #expect(chosen(["tenant_id"], [single, pair]) == [["tenant_id"]])
        #expect(chosen(["post_id"], [single, pair]) == [["post_id", "tenant_id"]])
        #expect(chosen(["tenant_id"], [pair]) == [["post_id", "tenant_id"]])
        for pattern in ["post_id, tenant_id", "post_id,tenant_id"] {
            #expect(chosen([pattern], [single, pair]) == [["post_id", "tenant_id"]])
        }
        #expect(chosen(["*_id"], [single, pair]).count == 2 && chosen([], [single, pair]).count == 2)
    }

    private static let schema = SchemaSketch.schema(
        .postgresql, SchemaSketch.table("public.users", "id uuid pk", "email text unique"),
        SchemaSketch.table("public.invoices", "id uuid pk", "user_id uuid not-null -> public.users.id no action"),
        SchemaSketch.table("public.lines", "id uuid pk", "invoice_id uuid not-null -> public.invoices.id cascade"))

    @Test("PL-1 the error about a key answered with not personal names the answer to change")
    func repeated() throws {
        var plan = try PlanDerivation.draft(from: Self.schema).plan
        let place = try #require(plan.tables.firstIndex { $0.table.name == "lines" })
        plan.tables[place] = TablePlan(
            table: plan.tables[place].table, rule: .notPersonal, columns: plan.tables[place].columns)
        func found() throws -> Finding {
            try #require(PlanCheck.findings(plan, Self.schema).first { $0.code == "key.cascades-into" })
        }
        #expect(try found().remedy?.contains("farewell decide") == false)
        let link = Link(
            columns: ["invoice_id"], target: TableName(schema: "public", "invoices"), targetColumns: ["id"],
            onDelete: .cascade)
        plan.questions = [
            PlanQuestion(
                table: plan.tables[place].table, columns: ["invoice_id"], reason: "a reason", link: link, answer: .unrelated)
        ]
        let asked = try found()
        #expect(asked.message.contains("not personal") && asked.severity == .error)
        let command = "farewell decide --table public.lines --column invoice_id --again"
        #expect(asked.remedy?.contains(command) == true, "\(asked)")
    }

    @Test("PL-1 the remedy for an answered link that leads to no row of the subject is a whole command")
    func commands() throws {
        var plan = try PlanDerivation.draft(from: Self.schema).plan
        let place = try #require(plan.tables.firstIndex { $0.table.name == "invoices" })
        func remedy(_ code: String) throws -> String {
            let found = PlanCheck.findings(plan, Self.schema).first { $0.code.rawValue == code && $0.table?.name == "lines" }
            return try #require(found?.remedy)
        }
        let command = "farewell decide --table public.lines --column invoice_id --answer 'not personal' --again"
        plan.tables[place].links[0].role = .reference
        #expect(try remedy("link.target-not-owned").hasSuffix(command))
        plan.tables[place] = TablePlan(
            table: plan.tables[place].table, rule: .notPersonal, columns: plan.tables[place].columns)
        #expect(try remedy("link.target-not-personal").hasSuffix(command))
    }

    @Test("PL-2 an enum whose labels name no table of people makes no pair, and one with such labels offers them")
    func labels() throws {
        let cases: [(labels: [String], asked: [String])] = [
            (["none", "totp"], []), (["invoice", "other"], ["public.invoices"]), (["user"], ["public.users"]),
        ]
        for (labels, asked) in cases {
            var schema = Self.schema
            var table = SchemaSketch.table("public.secrets", "id uuid pk", "about_type text", "about_id uuid")
            table.columns[1].labels = labels
            schema.tables = (schema.tables + [table]).sorted { $0.name < $1.name }
            let plan = try PlanDerivation.draft(from: schema).plan
            let pairs = plan.questions.filter { $0.columns.count == 2 }
            #expect(pairs.compactMap { $0.link?.target.description } == asked, "\(labels): \(plan.questions)")
            let answered = plan.answeringAll(.owner)
            #expect(!PlanCheck.findings(answered, schema).contains { $0.code == "link.condition-never" })
        }
    }

    @Test("PL-3 parts of retained rows that are deleted at once cause a warning")
    func parts() throws {
        var plan = try PlanDerivation.draft(from: Self.schema).plan
        #expect(!PlanCheck.findings(plan, Self.schema).contains { $0.code == "retain.parts-erased" })
        let place = try #require(plan.tables.firstIndex { $0.table.name == "invoices" })
        plan.tables[place].rule = .retain(Retention(reason: "law", period: Period(1, .year)))
        let found = PlanCheck.findings(plan, Self.schema).filter { $0.code == "retain.parts-erased" }
        #expect(found.map(\.place) == ["public.lines.invoice_id"] && found.first?.severity == .warning, "\(found)")
    }

    @Test("a database rule is called a rule, and its target has its schema")
    func rule() throws {
        var schema = Self.schema
        let place = try #require(schema.tables.firstIndex { $0.name.name == "invoices" })
        let text = "CREATE RULE al AS ON DELETE TO public.invoices DO INSERT INTO lines (id) VALUES (old.id)"
        schema.tables[place].triggers = [SchemaTrigger(name: "al", events: ["delete"], definition: text, isRule: true)]
        let plan = try PlanDerivation.draft(from: schema).plan
        let found = PlanCheck.findings(plan, schema).filter { $0.message.contains("“al”") }
        #expect(!found.isEmpty && found.allSatisfy { $0.message.contains("The rule “al” writes to “public.lines”") }, "\(found)")
    }
}
