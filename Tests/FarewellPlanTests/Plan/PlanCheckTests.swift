// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellPlan
import FarewellSQL
import Testing

/// Something changed in a good plan or its schema, and the finding it must lead to.
struct CheckCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: String
    let severity: Finding.Severity
    let change: @Sendable (inout Plan, inout Schema) -> Void

    init(
        _ description: String, _ code: String, _ severity: Finding.Severity = .error,
        _ change: @escaping @Sendable (inout Plan, inout Schema) -> Void
    ) {
        testDescription = description
        self.code = code
        self.severity = severity
        self.change = change
    }
}

struct PlanCheckTests {
    /// A schema with every kind of rule, and the plan that fits it without a finding.
    static func good() throws -> (Plan, Schema) {
        let schema = SchemaSketch.schema(
            .postgresql,
            SchemaSketch.table("auth.users", "id uuid pk", "email text unique", "phone text"),
            SchemaSketch.table("public.profiles", "id uuid pk -> auth.users.id cascade", "display_name text"),
            SchemaSketch.table(
                "public.matches", "id uuid pk", "user1_id uuid not-null -> public.profiles.id cascade",
                "user2_id uuid not-null -> public.profiles.id cascade"),
            SchemaSketch.table("public.posts", "id uuid pk", "author_id uuid -> auth.users.id set null", "body text"),
            SchemaSketch.table(
                "public.invoices", "id uuid pk", "customer_id uuid -> auth.users.id", "issued date",
                "city text", "zip text not-null", "total numeric", "year int generated"),
            SchemaSketch.table("public.countries", "code text pk", "name text"))
        var plan = try PlanDerivation.draft(from: schema).plan
        plan.edit("public.invoices") { invoices in
            invoices.rule = .retain(Retention(reason: "Tax law", period: Period(10, .year), start: "issued"))
            invoices.columns = [
                .init("id", .retain), .init("customer_id", .null), .init("issued", .retain), .init("city", .null),
                .init("zip", .constant("0")), .init("total", .retain), .init("year", .notPersonal),
            ]
        }
        return (plan, schema)
    }

    @Test("BX-1 a plan that fits its schema leads to no finding")
    func fits() throws {
        let (plan, schema) = try Self.good()
        #expect(PlanCheck.findings(plan, schema) == [])
    }

    @Test("BX-1 a mismatch is found, with its place and a remedy", arguments: cases)
    func found(_ check: CheckCase) throws {
        var (plan, schema) = try Self.good()
        check.change(&plan, &schema)
        let findings = PlanCheck.findings(plan, schema)
        let found = findings.filter { $0.code.rawValue == check.code }
        #expect(!found.isEmpty, "found only \(findings.map(\.code.rawValue))")
        #expect(found.allSatisfy { $0.severity == check.severity })
        #expect(found.allSatisfy { $0.remedy != nil || $0.severity == .note })
        #expect(found.allSatisfy { !$0.message.contains("\n") && $0.message.hasSuffix(".") })
    }

    @Test("no finding reports a constant whose rows a unique key leaves distinct: already distinct, null, or not unique")
    func keptApart() throws {
        var (plan, schema) = try Self.good()
        schema.edit("public.invoices") { table in
            table.uniqueKeys = [["total"], ["total", "zip"], ["zip", "id"], ["zip", "city"], ["issued"]]
            table.indexes.append(.init(name: "i", columns: ["zip"]))
            table.indexes.append(.init(name: "e", columns: ["zip", ""], isUnique: true))
        }
        #expect(PlanCheck.findings(plan, schema) == [])
        plan.edit("public.invoices") { $0.columns[3].rule = .constant("gone") }
        #expect(PlanCheck.findings(plan, schema).map(\.column) == ["zip"], "once for each key, at the first of its constants")
    }

    @Test("SQL-06 a key whose triggers are disabled is reported with that cause, and not as one that is not validated")
    func disabledKey() throws {
        var (plan, schema) = try Self.good()
        schema.edit("public.profiles") {
            $0.foreignKeys[0].isValidated = false
            $0.foreignKeys[0].areTriggersDisabled = true
        }
        let found = PlanCheck.findings(plan, schema).filter { $0.table?.name == "profiles" }
        #expect(found.map(\.code.rawValue) == ["key.disabled"] && found.first?.severity == .warning, "\(found)")
        #expect(found.first?.remedy?.contains("ENABLE TRIGGER ALL") == true)
        plan.edit("public.profiles") { $0.links[0].onDelete = nil }
        #expect(PlanCheck.findings(plan, schema).contains { $0.code == "key.added" })
    }

    @Test("the remedy for a key that may not be null offers neither a hash nor null as it is")
    func neededKey() throws {
        for rule in [ColumnRule.null, .keyedHash] {
            var (plan, schema) = try Self.good()
            schema.edit("public.invoices") { $0.columns[1].isNullable = false }
            plan.edit("public.invoices") { $0.columns[1].rule = rule }
            let found = PlanCheck.findings(plan, schema).first { ["column.null-refused", "column.hash-unfit"].contains($0.code) }
            #expect(found?.remedy?.hasPrefix("Make the column nullable") == true, "\(String(describing: found))")
        }
    }

    @Test("an expression may join texts of any length")
    func longest() throws {
        var (plan, schema) = try Self.good()
        for (dialect, length) in [(SQLDialect.postgresql, Int(Int32.max)), (SQLDialect.sqlite, Int.max)] {
            let expression = try ColumnExpression(parsing: "concat(left(zip, \(length)), left(zip, \(length)))")
            plan.edit("public.invoices") { $0.columns[3].rule = .expression(expression) }
            schema.dialect = dialect
            #expect(PlanCheck.findings(plan, schema) == [])
        }
        schema.edit("public.invoices") { $0.columns[3].maximumLength = 10 }
        #expect(PlanCheck.findings(plan, schema).map(\.column) == ["city"])
    }

    @Test("links that pair no columns are found, whatever their target")
    func unpaired() throws {
        let (users, profiles) = (TableName(schema: "auth", "users"), TableName(schema: "public", "profiles"))
        for link in [
            Link(columns: ["id"], target: users, targetColumns: []), Link(columns: [], target: users, targetColumns: []),
            Link(columns: [], target: profiles, targetColumns: []),
        ] {
            var (plan, schema) = try Self.good()
            plan.edit("public.profiles") { $0.links.append(link) }
            #expect(PlanCheck.findings(plan, schema).contains { $0.code == "link.mismatch" && $0.table == profiles })
            // The database may have such a key as well.
            plan.edit("public.profiles") { $0.links = [link] }
            schema.edit("public.profiles") { entry in
                for index in entry.foreignKeys.indices { entry.foreignKeys[index].targetColumns = [] }
            }
            schema.edit("auth.users") { $0.primaryKey = [] }
            #expect(PlanCheck.findings(plan, schema).contains { $0.code == "link.mismatch" })
            plan.edit("public.profiles") { $0.links = [] }
            let added = PlanCheck.findings(plan, schema).first { $0.code == "key.added" }
            #expect(added?.remedy == "Use columns that are a key there.")
        }
    }

    @Test("a plan for another database is one finding, not hundreds")
    func otherDatabase() throws {
        let (plan, _) = try Self.good()
        let other = SchemaSketch.schema(.sqlite, SchemaSketch.table("things", "id int pk"))
        #expect(PlanCheck.findings(plan, other).map(\.code.rawValue) == ["plan.other-schema"])
    }

    @Test("a changed schema is named with its differences")
    func drift() throws {
        var (plan, schema) = try Self.good()
        #expect(PlanCheck.findings(plan, schema, fingerprint: "sha256:b").map(\.code) == ["schema.unrecorded"])
        plan.schemaFingerprint = "v2:sha256:a"
        let findings = PlanCheck.findings(plan, schema, fingerprint: "sha256:b", differences: ["column a.b is new"])
        #expect(findings.map(\.code) == ["schema.changed"])
        #expect(findings.first?.message.contains("column a.b is new") == true)
        #expect(PlanCheck.findings(plan, schema, fingerprint: "v2:sha256:a") == [])
        schema.tables.removeAll { $0.name.name == "countries" }
        #expect(PlanCheck.findings(plan, schema, fingerprint: "v2:sha256:a").map(\.code) == ["table.unknown"])
    }

    @Test("PK-2 OP-2 a plan with a fingerprint of the earlier form still fits while its schema does, and a notice asks to renew it")
    func earlierFingerprint() throws {
        var (plan, schema) = try Self.good()
        plan.schemaFingerprint = schema.earlierFingerprint
        let kept = PlanCheck.findings(plan, schema, fingerprint: schema.fingerprint)
        #expect(kept.map(\.code) == ["schema.earlier-fingerprint"] && kept.allSatisfy { $0.severity == .warning })
        #expect(kept.first?.remedy?.contains(schema.fingerprint) == true)
        #expect(kept.first?.remedy?.contains("farewell check --accept") == true)
        schema.edit("public.posts") { $0.columns[2].defaultExpression = "'x'" }
        let changed = PlanCheck.findings(plan, schema, fingerprint: schema.fingerprint)
        #expect(changed.map(\.code) == ["schema.changed"] && changed.first?.message.contains("earlier form") == true)
    }

    @Test("errors come first, and a misspelt name gets the right one as a suggestion")
    func orderAndHints() throws {
        var (plan, schema) = try Self.good()
        plan.edit("public.countries") { $0.table = TableName(schema: "public", "coutnries") }
        schema.edit("public.posts") { $0.indexes = [] }
        let findings = PlanCheck.findings(plan, schema)
        let ranks = findings.map { Finding.Severity.allCases.firstIndex(of: $0.severity) ?? 9 }
        #expect(ranks == ranks.sorted())
        #expect(findings.contains { $0.code == "table.unknown" && $0.message.contains("“public.countries”") })
    }

    @Test("an author who has checked a suspicious column can declare it harmless")
    func acknowledged() throws {
        var (plan, schema) = try Self.good()
        let logs = SchemaSketch.table("public.logs", "id uuid pk", "user_id uuid", "trace uuid")
        schema.tables.append(logs)
        plan.tables.append(
            TablePlan(
                table: logs.name, rule: .notPersonal,
                columns: [.init("id"), .init("user_id", .notPersonal), .init("trace", .notPersonal)]))
        #expect(PlanCheck.findings(plan, schema) == [])
    }

    @Test("Item 41: the derived plan of a database with hostile names can be checked, written and read")
    func hostileNames() throws {
        let odd = "x\"; DROP TABLE users; --"
        var table = SchemaSketch.table("public.t", "id uuid pk", "user_id uuid -> public.users.id cascade")
        table.name = TableName(schema: "we.ird \u{202E}", odd)
        table.columns.append(SchemaColumn(name: "\"\u{301} naïve: [x]", type: "text", kind: .text))
        let schema = SchemaSketch.schema(
            .postgresql, SchemaSketch.table("public.users", "id uuid pk", "email text"), table)
        let draft = try PlanDerivation.draft(from: schema)
        let text = PlanFile.text(for: draft.plan, notes: draft.notes)
        #expect(try PlanFile.read(Array(text.utf8), path: "p") == draft.plan)
        #expect(PlanCheck.findings(draft.plan, schema) == [])
        var changed = schema
        changed.tables.removeAll { $0.name == table.name }
        #expect(PlanCheck.findings(draft.plan, changed).allSatisfy { !$0.place.unicodeScalars.contains("\u{202E}") })
    }
}

extension Plan {
    mutating func edit(_ name: String, _ change: (inout TablePlan) -> Void) {
        for index in tables.indices where tables[index].table.description == name { change(&tables[index]) }
    }
}

extension Schema {
    mutating func edit(_ name: String, _ change: (inout SchemaTable) -> Void) {
        for index in tables.indices where tables[index].name.description == name { change(&tables[index]) }
    }
}
