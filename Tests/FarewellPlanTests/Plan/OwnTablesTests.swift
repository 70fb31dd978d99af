// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
@testable import FarewellPlan
import FarewellSQL
import Testing

/// A new version adds tables and columns to the session authority's own tables, and plans from before still fit.
@Suite("The session authority's own tables in plans")
struct OwnTablesTests {
    /// The tables of an earlier version, with a table of the app.
    private static func before(_ dialect: SQLDialect) -> Schema {
        let (own, app) = dialect.hasSchemas ? ("auth.", "public.") : ("auth_", "")
        let user = "-> \(own)users.id cascade"
        return Schema(
            dialect: dialect,
            tables: [
                SchemaSketch.table(
                    "\(own)console_sessions", "id uuid pk", "person_session uuid -> \(own)sessions.id cascade"),
                SchemaSketch.table("\(own)migrations", "version int pk", "applied_at timestamptz"),
                SchemaSketch.table(
                    "\(own)outgoing_mail", "id uuid pk", "user_id uuid \(user)", "sealed bytea", "attempts int"),
                SchemaSketch.table(
                    "\(own)revocations", "id int pk", "feed_cursor int", "session_id uuid", "subject uuid",
                    "reason text", "revoked_at timestamptz"),
                SchemaSketch.table(
                    "\(own)sessions", "id uuid pk", "user_id uuid not-null \(user)", "refresh_token_hash bytea"),
                SchemaSketch.table("\(own)users", "id uuid pk", "email text unique", "encrypted_password text"),
                SchemaSketch.table("\(app)notes", "id uuid pk", "user_id uuid not-null \(user)", "body text"),
            ])
    }

    /// The same after the start of a later version.
    private static func after(_ dialect: SQLDialect) -> Schema {
        var schema = before(dialect)
        for place in schema.tables.indices {
            switch schema.tables[place].name {
            case name("outgoing_mail", dialect):
                schema.tables[place].columns.append(SchemaColumn(name: "domain_hash", type: "bytea", kind: .bytes))
            case name("users", dialect):
                schema.tables[place].columns.append(
                    SchemaColumn(name: "signed_up_at", type: "timestamptz", kind: .timestamp))
            default: break
            }
        }
        schema.tables.append(table("declined_sign_ups", dialect))
        let own = dialect.hasSchemas ? "auth." : "auth_"
        schema.tables.append(SchemaSketch.table("\(own)signing_key_version", "only_row int pk", "version int not-null"))
        return schema
    }

    private static func name(_ table: String, _ dialect: SQLDialect) -> TableName {
        AuthorityTableName.spellings(table)[dialect.hasSchemas ? 0 : 1]
    }

    /// A table with one row for a user.
    private static func table(_ name: String, _ dialect: SQLDialect) -> SchemaTable {
        let own = dialect.hasSchemas ? "auth." : "auth_"
        return SchemaSketch.table(
            own + name, "user_id uuid pk -> \(own)users.id cascade", "password_hash text", "tried_at timestamptz")
    }

    private static func draft(_ schema: Schema) throws -> PlanDraft {
        let users = name("users", schema.dialect)
        return try PlanDerivation.draft(
            from: schema, subject: ColumnName(users, "id"), fingerprint: schema.fingerprint)
    }

    private func findings(_ plan: Plan, _ schema: Schema) -> [Finding] {
        PlanCheck.findings(plan, schema, fingerprint: plan.fingerprint(of: schema))
    }

    private func errors(_ plan: Plan, _ schema: Schema) -> [String] {
        findings(plan, schema).filter { $0.severity == .error }.map { "\($0.code.rawValue) \($0.place)" }
    }

    private func notes(_ plan: Plan, _ schema: Schema) -> [String] {
        findings(plan, schema).filter { $0.code.rawValue.hasPrefix("authority.") }
            .map { "\($0.code.rawValue) \($0.place)" }.sorted()
    }

    @Test(
        "PL-8 a plan from before a new version fits the tables and columns that the version adds to its own, with a note",
        arguments: SQLDialect.allCases)
    func upgraded(_ dialect: SQLDialect) throws {
        let (before, after) = (Self.before(dialect), Self.after(dialect))
        let plan = try Self.draft(before).plan
        #expect(errors(plan, before) == [] && notes(plan, before) == [])
        #expect(errors(plan, after) == [])
        let own = dialect.hasSchemas ? "auth." : "auth_"
        #expect(
            notes(plan, after) == [
                "authority.new-column \(own)outgoing_mail.domain_hash", "authority.new-column \(own)users.signed_up_at",
                "authority.new-table \(own)declined_sign_ups", "authority.new-table \(own)signing_key_version",
            ])
        // As a new plan has it.
        let completed = plan.completed(in: after)
        let declined = Self.name("declined_sign_ups", dialect)
        let drafted = try #require(try Self.draft(after).plan[declined])
        #expect(completed[declined]?.rule == .erase && completed[declined]?.links == drafted.links)
        #expect(completed[declined]?.columns.map(\.name) == ["user_id", "password_hash", "tried_at"])
        #expect(completed[Self.name("outgoing_mail", dialect)]?.columns.last?.name == "domain_hash")
        // The plan itself is the same for receipts, and an erasure that began before goes on.
        #expect(plan.fingerprint(of: after) == plan.fingerprint(of: before))
    }

    @Test(
        "PL-2 a column of the session authority's own tables is asked about only where the table's key is missing",
        arguments: SQLDialect.allCases, [true, false])
    func asked(_ dialect: SQLDialect, hasKey: Bool) throws {
        let (own, app) = dialect.hasSchemas ? ("auth.", "public.") : ("auth_", "")
        let key = hasKey ? " -> \(own)users.id cascade" : ""
        let schema = Schema(
            dialect: dialect,
            tables: [
                SchemaSketch.table("\(own)users", "id text pk", "email text unique", "encrypted_password text"),
                SchemaSketch.table("\(own)sessions", "id text pk", "user_id text not-null\(key)", "refresh_token_hash bytea"),
                SchemaSketch.table(
                    "\(own)provider_credentials", "user_id text pk\(key)", "provider text", "client text", "sealed_refresh_token bytea"),
                SchemaSketch.table("\(app)members", "id text pk", "email text unique"),
                SchemaSketch.table("\(app)orders", "id text pk", "client text"),
            ])
        let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(parsing: "\(app)members.id")).plan
        let asked = Set(draft.questions.flatMap { question in question.columns.map { "\(question.table).\($0)" } })
        #expect(asked.contains("\(app)orders.client"), "\(asked)")
        #expect(asked.contains("\(own)provider_credentials.client") == !hasKey, "\(asked)")
        #expect(asked.contains("\(own)sessions.user_id") == !hasKey, "\(asked)")
    }

    @Test("PL-8 a plan whose fingerprint an earlier release recorded fits as well", arguments: SQLDialect.allCases)
    func recorded(_ dialect: SQLDialect) throws {
        let (before, after) = (Self.before(dialect), Self.after(dialect))
        var plan = try Self.draft(before).plan
        // It counted everything but the tables that the plan left to a profile.
        var counted = before
        counted.tables.removeAll { $0.name == Self.name("migrations", dialect) }
        plan.schemaFingerprint = counted.fingerprint
        #expect(plan.fingerprint(of: before) == counted.fingerprint && errors(plan, before) == [])
        #expect(plan.fingerprint(of: after) == counted.fingerprint && errors(plan, after) == [])
        // An erasure that began under it is recognised, whatever the plan records by now.
        plan.schemaFingerprint = nil
        #expect(plan.fingerprint(of: after, recorded: counted.fingerprint) == counted.fingerprint)
        #expect(plan.fingerprint(of: after) != counted.fingerprint)
        // A change of the app is still a change.
        var changed = after
        let notes = try #require(changed.tables.firstIndex { $0.name.name == "notes" })
        changed.tables[notes].columns.append(SchemaColumn(name: "mood", type: "text", kind: .text))
        plan.schemaFingerprint = counted.fingerprint
        #expect(errors(plan, changed).contains { $0.hasPrefix("schema.changed") })
    }

    @Test(
        "PL-8 a table of another program beside the session authority's, and tables of Supabase Auth, are still unaccounted for",
        arguments: SQLDialect.allCases)
    func foreign(_ dialect: SQLDialect) throws {
        let plan = try Self.draft(Self.before(dialect)).plan
        let own = dialect.hasSchemas ? "auth." : "auth_"
        var schema = Self.after(dialect)
        schema.tables.append(Self.table("badges", dialect))
        #expect(errors(plan, schema).contains("table.unaccounted \(own)badges"))
        #expect(errors(plan, schema).contains { $0.hasPrefix("schema.changed") })
        // Without the authority's own columns these are a vendor's.
        var vendors = Self.after(dialect)
        let sessions = try #require(vendors.tables.firstIndex { $0.name == Self.name("sessions", dialect) })
        vendors.tables[sessions].columns.removeLast()
        #expect(errors(plan, vendors).contains("table.unaccounted \(own)declined_sign_ups"))
        #expect(errors(plan, vendors).contains("column.unaccounted \(own)outgoing_mail.domain_hash"))
        #expect(notes(plan, vendors) == [])
    }

    @Test(
        "PL-8 the accounts are unaccounted for in a plan from before there were any, which a running worker notices",
        arguments: SQLDialect.allCases)
    func without(_ dialect: SQLDialect) throws {
        let after = Self.after(dialect)
        var app = after
        app.tables.removeAll { $0.name.name != "notes" }
        let plan = Plan(
            subject: SubjectRoot(table: app.tables[0].name, key: "id"), schemaFingerprint: app.fingerprint,
            tables: [
                TablePlan(table: app.tables[0].name, rule: .erase, columns: app.tables[0].columns.map { .init($0.name) })
            ])
        #expect(plan.fingerprint(of: app) == app.fingerprint)
        #expect(plan.fingerprint(of: after) != app.fingerprint)
        let own = dialect.hasSchemas ? "auth." : "auth_"
        for name in ["users", "sessions", "declined_sign_ups"] {
            #expect(PlanCheck.findings(plan, after).contains { $0.code == "table.unaccounted" && $0.place == own + name })
        }
    }

    /// A schema with one change in a table of the authority.
    private static func changed(
        _ schema: Schema, _ table: String, _ change: (inout SchemaTable) -> Void
    ) throws -> Schema {
        var schema = schema
        let place = try #require(schema.tables.firstIndex { $0.name == name(table, schema.dialect) })
        change(&schema.tables[place])
        return schema
    }

    @Test(
        "PL-8 an app's own column in a table of the session authority is unaccounted for, and so is a later version's",
        arguments: SQLDialect.allCases)
    func columnsOfApp(_ dialect: SQLDialect) throws {
        let plan = try Self.draft(Self.before(dialect)).plan
        let own = dialect.hasSchemas ? "auth." : "auth_"
        for name in ["motto", "seen_at"] {
            let schema = try Self.changed(Self.after(dialect), "users") {
                $0.columns.append(SchemaColumn(name: name, type: "text", kind: .text))
            }
            #expect(errors(plan, schema).contains("column.unaccounted \(own)users.\(name)"))
            #expect(errors(plan, schema).contains { $0.hasPrefix("schema.changed") })
            #expect(notes(plan, schema).contains("authority.new-column \(own)users.signed_up_at"))
            #expect(!notes(plan, schema).contains("authority.new-column \(own)users.\(name)"))
            let merge = try PlanMerge(Self.draft(schema), into: PlanFile.text(for: plan), path: "p", schema)
            #expect(merge.changed.map(\.description) == ["\(own)users.\(name)"])
            #expect(merge.addedColumns.map(\.description).contains("\(own)users.signed_up_at"))
        }
        // A table that the plan lacks, and one that it leaves to the profile.
        for name in ["declined_sign_ups", "migrations"] {
            let schema = try Self.changed(Self.after(dialect), name) {
                $0.columns.append(SchemaColumn(name: "checksum", type: "text", kind: .text))
            }
            #expect(errors(plan, schema).contains("table.unaccounted \(own)\(name)"))
            #expect(errors(plan, schema).contains { $0.hasPrefix("schema.changed") })
            #expect(!notes(plan, schema).contains("authority.new-table \(own)\(name)"))
        }
    }

    @Test(
        "PL-8 an app's key in a table of the session authority changes the schema, and the authority's own key does not",
        arguments: SQLDialect.allCases)
    func keysOfApp(_ dialect: SQLDialect) throws {
        let (before, after) = (Self.before(dialect), Self.after(dialect))
        let plan = try Self.draft(before).plan
        let notes = try #require(before.tables.map(\.name).first { $0.name == "notes" })
        func key(_ column: String, _ target: TableName) -> ForeignKey {
            ForeignKey(name: "k", columns: [column], target: target, targetColumns: ["id"], onDelete: .cascade)
        }
        let team = try Self.changed(after, "users") {
            $0.columns.append(SchemaColumn(name: "team_id", type: "uuid", kind: .uuid))
            $0.foreignKeys.append(key("team_id", notes))
        }
        let ofNewColumn = try Self.changed(after, "outgoing_mail") { $0.foreignKeys.append(key("domain_hash", notes)) }
        let ofNewTable = try Self.changed(after, "declined_sign_ups") { $0.foreignKeys.append(key("tried_at", notes)) }
        for schema in [team, ofNewColumn, ofNewTable] {
            #expect(plan.fingerprint(of: schema) != plan.fingerprint(of: before))
            #expect(errors(plan, schema).contains { $0.hasPrefix("schema.changed") })
        }
        let ofAuthority = try Self.changed(after, "outgoing_mail") {
            $0.foreignKeys.append(key("domain_hash", Self.name("sessions", dialect)))
        }
        #expect(plan.fingerprint(of: ofAuthority) == plan.fingerprint(of: before))
    }

    @Test("PL-8 what a plan says of the session authority's new table has precedence", arguments: SQLDialect.allCases)
    func precedence(_ dialect: SQLDialect) throws {
        let (after, declined) = (Self.after(dialect), Self.name("declined_sign_ups", dialect))
        var plan = try Self.draft(Self.before(dialect)).plan
        let columns = ["user_id", "password_hash", "tried_at"].map { TablePlan.PlannedColumn($0) }
        plan.tables.append(TablePlan(table: declined, rule: .notPersonal, columns: columns))
        #expect(plan.completed(in: after)[declined]?.rule == .notPersonal)
        #expect(errors(plan, after).contains("account.stays \(declined)"))
        #expect(!notes(plan, after).contains { $0.hasPrefix("authority.new-table \(declined)") })
    }

    @Test("PL-8 init --merge adds the new tables and columns, and the plan fits before and after", arguments: SQLDialect.allCases)
    func merged(_ dialect: SQLDialect) throws {
        let after = Self.after(dialect)
        let old = try Self.draft(Self.before(dialect)).plan
        let draft = try Self.draft(after)
        let merge = try PlanMerge(draft, into: PlanFile.text(for: old), path: "p", after)
        let own = dialect.hasSchemas ? "auth." : "auth_"
        #expect(merge.added.map(\.description).sorted() == ["\(own)declined_sign_ups", "\(own)signing_key_version"])
        #expect(
            merge.addedColumns.map(\.description).sorted() == ["\(own)outgoing_mail.domain_hash", "\(own)users.signed_up_at"])
        #expect(merge.changed == [] && merge.removed == [] && merge.questions == 0)
        let plan = try PlanFile.read(Array(merge.text.utf8), path: "p")
        #expect(errors(plan, after) == [] && notes(plan, after) == [])
        let mail = try #require(plan[Self.name("outgoing_mail", dialect)])
        #expect(mail.columns.map(\.name) == ["id", "user_id", "sealed", "domain_hash", "attempts"])
        #expect(mail.columns.first { $0.name == "domain_hash" }?.export == false)
        let declined = Self.name("declined_sign_ups", dialect)
        #expect(plan[declined] == draft.plan[declined])
        let again = try PlanMerge(draft, into: merge.text, path: "p", after)
        #expect(again.added == [] && again.addedColumns == [] && again.text == merge.text)
    }

    @Test("PL-8 columns are added to a list in brackets or in lines, and to no other layout")
    func layouts() throws {
        func text(_ columns: String) -> String {
            """
            farewell: 1
            subject: {table: people, key: id}
            tables:
              people:
                rule: erase
                columns: \(columns)
            """
        }
        let mood = [TablePlan.PlannedColumn("mood")]
        let people = TableName("people")
        let insertion = ColumnInsertion("p")
        #expect(
            insertion.adding(mood, to: people, in: text("[id, {name: {export: no}}]"))
                == text("[id, mood, {name: {export: no}}]"))
        #expect(
            insertion.adding(mood, to: people, in: text("\n      - id\n      - name # last"))
                == text("\n      - id\n      - mood\n      - name # last"))
        #expect(insertion.adding(mood, to: people, in: text("{id: not personal}")) == nil)
        // Names without quotation marks are not JSON.
        for quoted in [#"["id", "name"]"#, #"[{"id": {"export": "no"}}, "name"]"#, "[\n      \"id\",\n      \"name\"]"] {
            #expect(throws: Never.self) { try PlanFile.read(Array(text(quoted).utf8), path: "p") }
            #expect(insertion.adding(mood, to: people, in: text(quoted)) == nil)
        }
        #expect(insertion.adding(mood, to: TableName("pets"), in: text("[id, name]")) == nil)
    }

    @Test("PL-8 the profile of the session authority has the tables about the service")
    func service() {
        #expect(Set(VendorProfile.farewell.tables.map(\.name)) == Set(AuthorityTableName.service))
        #expect(VendorProfile.farewell.tables.allSatisfy { !$0.columns.isEmpty })
    }
}
