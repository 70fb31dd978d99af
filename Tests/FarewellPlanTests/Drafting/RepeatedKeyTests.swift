// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Columns that together repeat a key of several columns, without a key of the database.
struct RepeatedKeyTests {
    private static let users = SchemaSketch.table("users", "id int pk", "email text unique")
    private static let projects = SchemaSketch.table(
        "projects", "tenant_id int pk", "id int pk", "owner_id int not-null -> users.id cascade", "title text")

    private static func schema(_ tables: [SchemaTable]) -> Schema { Schema(dialect: .sqlite, tables: [users, projects] + tables) }

    private static func draft(_ schema: Schema) throws -> Plan {
        try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
    }

    /// `table.column: columns -> target (columns)`.
    private static func asked(_ plan: Plan) -> [String] {
        plan.questions.compactMap { question in
            question.link.map { link in
                "\(question.table).\(question.columns.joined(separator: "+")): \(link.columns.joined(separator: ", ")) -> "
                    + "\(link.target) (\(link.targetColumns.joined(separator: ", ")))"
            }
        }
    }

    @Test("PL-1 SCH-04 columns that together repeat another table's key of several columns are asked about, at every distance")
    func copies() throws {
        let schema = Self.schema([
            SchemaSketch.table("tasks", "id int pk", "tenant_id int not-null", "project_id int not-null", "project_type text"),
            SchemaSketch.table("notes", "tenant_id int pk", "id int pk", "project_id int", "body text"),
            SchemaSketch.table("note_files", "tenant_id int pk", "note_id int pk", "path text pk"),
            SchemaSketch.table("invoices", "shop_no int pk", "invoice_no int pk", "customer_id int not-null -> users.id"),
            SchemaSketch.table("invoice_lines", "shop_no int pk", "invoice_no int pk", "line_no int pk", "words text"),
            SchemaSketch.table("plans", "id int pk", "tenant_id int", "parent_project_tenant_id int not-null", "parent_project_id int"),
            // Of two tables of runs, that of the same part of the app is meant.
            SchemaSketch.table("agent_runs", "tenant_id int pk", "id int pk", "user_id int not-null -> users.id cascade"),
            SchemaSketch.table("import_runs", "tenant_id int pk", "id int pk", "title text"),
            SchemaSketch.table("agent_events", "id int pk", "tenant_id int not-null", "run_id int not-null", "title text"),
        ])
        let plan = try Self.draft(schema)
        #expect(
            Self.asked(plan) == [
                "agent_events.run_id: tenant_id, run_id -> agent_runs (tenant_id, id)",
                "invoice_lines.invoice_no: shop_no, invoice_no -> invoices (shop_no, invoice_no)",
                "note_files.note_id: tenant_id, note_id -> notes (tenant_id, id)",
                "notes.project_id: tenant_id, project_id -> projects (tenant_id, id)",
                "plans.parent_project_id: parent_project_tenant_id, parent_project_id -> projects (tenant_id, id)",
                "tasks.project_id: tenant_id, project_id -> projects (tenant_id, id)",
            ])
        func answers(_ table: String) -> [PlanQuestion.Answer]? { plan.questions.first { $0.table.name == table }?.answers }
        // A tenant's column is not emptied in place of the one that says which row is meant.
        #expect(answers("tasks") == [.owner, .unrelated] && answers("note_files") == [.owner, .unrelated])
        #expect(answers("notes") == [.owner, .reference, .unrelated])
        let reason = try #require(plan.questions.first { $0.table.name == "tasks" }?.reason)
        #expect(reason.contains("tenant_id, project_id; by their names they are together a link to projects (tenant_id, id)"), "\(reason)")
        let findings = PlanCheck.findings(plan.answeringAll(.owner), schema).filter { $0.severity == .error }
        #expect(findings.isEmpty, "\(findings)")
    }

    @Test("PL-1 SCH-04 no key of several columns is repeated by half of it, by a row's own time, or by another person's number")
    func others() throws {
        let plan = try Self.draft(
            Self.schema([
                SchemaSketch.table("tasks", "id int pk", "project_id int not-null", "title text"),
                SchemaSketch.table("events", "id int pk", "created_at timestamptz pk", "user_id int not-null -> users.id cascade"),
                SchemaSketch.table("event_tags", "id int pk", "event_id int not-null", "created_at timestamptz", "tag text"),
                SchemaSketch.table("memberships", "org_id int pk", "user_id int pk -> users.id cascade", "role text"),
                SchemaSketch.table("badges", "id int pk", "membership_org_id int not-null", "membership_user_id int not-null"),
            ]))
        // The number of a user alone says whose the row is.
        #expect(Self.asked(plan) == ["badges.membership_user_id: membership_user_id -> users (id)"])
    }

    @Test("PL-1 PL-3 a row with its own user that cannot lose a key of several columns is not deleted by the first answer")
    func ownUser() throws {
        let plan = try Self.draft(
            Self.schema([
                SchemaSketch.table("comments", "id int pk", "tenant_id int not-null", "project_id int not-null", "user_id int not-null"),
                SchemaSketch.table("notes", "id int pk", "tenant_id int not-null", "project_id int", "user_id int -> users.id cascade"),
            ]))
        let answers = plan.questions.filter { $0.columns == ["project_id"] }.map(\.answers)
        #expect(answers == [[.unrelated, .owner], [.reference, .owner, .unrelated]], "\(plan.questions)")
    }

    @Test("PL-1 SCH-04 where a part of a key identifies a row by itself, that part alone is linked")
    func part() throws {
        let tasks = SchemaSketch.table("tasks", "id int pk", "tenant_id int", "project_id int not-null")
        var projects = Self.projects
        projects.uniqueKeys = [["id"]]
        let plan = try Self.draft(Schema(dialect: .sqlite, tables: [Self.users, projects, tasks]))
        #expect(Self.asked(plan) == ["tasks.project_id: project_id -> projects (id)"])
    }

    @Test("PL-1 SCH-04 the part that says which row is meant is last in the link: a row that stays loses it, and not its tenant")
    func order() throws {
        let projects = SchemaSketch.table(
            "projects", "project_id int pk", "tenant_id int pk", "owner_id int not-null -> users.id cascade")
        let tasks = SchemaSketch.table("tasks", "id int pk", "project_id int", "tenant_id int", "title text")
        let plan = try Self.draft(Schema(dialect: .sqlite, tables: [Self.users, projects, tasks]))
        let link = try #require(plan.questions.first { $0.columns == ["project_id"] }?.link, "\(plan.questions)")
        #expect(link.columns == ["tenant_id", "project_id"] && link.targetColumns == ["tenant_id", "project_id"], "\(link)")
    }

    @Test("PL-1 SCH-04 check reports a keyless copy of a key of several columns, and a plan with the link is accepted")
    func checked() throws {
        let tasks = SchemaSketch.table("tasks", "id int pk", "tenant_id int not-null", "project_id int not-null")
        let schema = Self.schema([tasks])
        var plan = try Self.draft(schema)
        plan.questions = []
        let found = PlanCheck.findings(plan, schema).filter { $0.code == "link.suspected" }
        #expect(found.map(\.column) == ["project_id"] && found.first?.severity == .error, "\(found)")
        let remedy = try #require(found.first?.remedy)
        #expect(remedy.contains("{from: [tenant_id, project_id], to: [projects.tenant_id, projects.id]}"), "\(remedy)")
        let place = try #require(plan.tables.firstIndex { $0.table == tasks.name })
        plan.tables[place].rule = .erase
        plan.tables[place].links = [
            Link(columns: ["tenant_id", "project_id"], target: TableName("projects"), targetColumns: ["tenant_id", "id"])
        ]
        let errors = PlanCheck.findings(plan, schema).filter { $0.severity == .error }
        #expect(errors.isEmpty, "\(errors)")
        #expect(FollowingQuestions.of(plan, schema).isEmpty)
    }
}
