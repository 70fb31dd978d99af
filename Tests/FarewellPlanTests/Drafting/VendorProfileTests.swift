// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellPlan
import FarewellSQL
import Testing

/// Tables of vendors and tools are known; those of the app are asked about as ever.
struct VendorProfileTests {
    private static let supabase = SchemaSketch.schema(
        .postgresql,
        SchemaSketch.table("auth.users", "id uuid pk", "email text"),
        SchemaSketch.table("auth.audit_log_entries", "id uuid pk", "payload jsonb"),
        SchemaSketch.table("auth.badges", "id uuid pk", "user_id uuid"),
        SchemaSketch.table("storage.objects", "id uuid pk", "bucket_id text", "name text", "owner uuid", "owner_id text"),
        SchemaSketch.table("public.notes", "id uuid pk", "user_id uuid not-null -> auth.users.id cascade", "body text"))

    private func errors(_ plan: Plan, _ schema: Schema) -> [String] {
        PlanCheck.findings(plan, schema).filter { $0.severity == .error }.map { "\($0.code.rawValue) \($0.place)" }
    }

    @Test("SB-1 SUP-01 Supabase is recognised by its tables: the log is linked, storage is not a table of the plan, and check passes")
    func supabase() throws {
        var schema = Self.supabase
        let badges = try #require(schema.tables.firstIndex { $0.name.name == "badges" })
        schema.role = SchemaRole(name: "postgres")
        schema.tables[badges].owner = "supabase_auth_admin"
        let user = schema.tables[badges].columns.removeLast()
        let draft = try PlanDerivation.draft(
            from: schema, surroundings: VendorSurroundings(address: "https://abc.supabase.co", buckets: ["a", "b"]))
        #expect(draft.plan.questions == [])
        #expect(draft.plan.tables.map(\.table.description) == ["auth.audit_log_entries", "auth.users", "public.notes"])
        let log = try #require(draft.plan.tables.first)
        #expect(log.links.map(\.path) == [["actor_id"], ["traits", "user_id"], ["actor_username"], ["traits", "user_email"]])
        #expect(draft.plan.systems.compactMap { $0.settings["bucket"] } == ["a", "b"])
        #expect(draft.plan.systems.allSatisfy { $0.owned?.owners == ["owner_id", "owner"] })
        #expect(errors(draft.plan, schema) == [])
        let text = PlanFile.text(for: draft.plan, notes: draft.notes)
        #expect(try PlanFile.read(Array(text.utf8), path: "farewell.yaml") == draft.plan)

        // The same table, made by the team itself, is the team's.
        schema.tables[badges].columns.append(user)
        schema.tables[badges].owner = "postgres"
        #expect(errors(draft.plan, schema) == ["table.unaccounted auth.badges"])
        let own = try PlanDerivation.draft(from: schema)
        #expect(own.plan.questions.map(\.table.name) == ["badges"])
    }

    @Test(
        "SB-1 SUP-01 an unknown table of the vendor that may name a user is asked about, and is never silently not personal",
        arguments: [
            (["user_id uuid -> auth.users.id set null", "card jsonb"], ["user_id"], 1),
            (["owner_id uuid", "label text"], ["owner_id"], 1), (["contact_email text"], ["contact_email"], 1),
            (["user_id uuid not-null -> auth.users.id cascade", "approved_by uuid -> auth.users.id set null"], [], 0),
            (["user_id uuid -> auth.users.id cascade"], [], 0), (["label text", "settings jsonb"], [], 1),
        ] as [([String], [String], Int)])
    func unknownTable(_ columns: [String], _ named: [String], _ unsearched: Int) throws {
        var schema = Self.supabase
        schema.role = SchemaRole(name: "postgres")
        schema.tables.removeAll { $0.name.name == "badges" }
        let before = try PlanDerivation.draft(from: schema).plan
        var cards = SchemaSketch.table("auth.cards", "id uuid pk")
        let more = columns.map { SchemaSketch.table("auth.cards", $0) }
        cards.columns += more.flatMap(\.columns)
        cards.foreignKeys += more.flatMap(\.foreignKeys)
        cards.owner = "supabase_auth_admin"
        schema.tables.append(cards)
        let found = PlanCheck.findings(before, schema).filter { $0.code == "vendor.new-table" }
        #expect(found.map(\.severity) == [named.isEmpty ? .note : .warning], "\(found)")
        #expect(before.unsearched(in: schema).count == unsearched)
        #expect(errors(before, schema) == [], "it stops no erasure")
        let draft = try PlanDerivation.draft(from: schema)
        #expect(draft.plan.questions.flatMap(\.columns) == named)
        let text = PlanFile.text(for: before)
        let merge = try PlanMerge(draft, into: text, path: "p", schema)
        #expect(merge.added.map(\.name) == (named.isEmpty ? [] : ["cards"]) && merge.questions == named.count)
        guard !named.isEmpty else { return }
        let merged = try PlanFile.read(Array(merge.text.utf8), path: "p")
        // A column that the database empties names a user.
        for (answer, rule) in [(PlanQuestion.Answer.owner, Rule.erase), (.unrelated, .notPersonal)]
        where merged.questions.allSatisfy({ $0.answers.contains(answer) }) {
            let answered = merged.answeringAll(answer)
            #expect(answered[cards.name]?.rule == rule && answered.unsearched(in: schema) == [])
            #expect(errors(answered, schema) == [])
        }
    }

    @Test("SB-1 OP-2 what the vendor removes of its own needs one acceptance at most; a link without another one is still an error")
    func removed() throws {
        var schema = Self.supabase
        schema.role = SchemaRole(name: "postgres")
        schema.tables.removeAll { $0.name.name == "badges" }
        schema.tables += [
            SchemaSketch.table("auth.refresh_tokens", "id bigint pk", "token text", "user_id text", "instance_id uuid"),
            SchemaSketch.table("auth.flow_state", "id uuid pk", "user_id uuid", "linking_target_id uuid"),
            SchemaSketch.table("net._http_response", "id bigint", "content text", "headers jsonb", "error_msg text"),
        ]
        func drop(_ table: String, _ column: String) throws {
            let place = try #require(schema.tables.firstIndex { $0.name.name == table })
            schema.tables[place].columns.removeAll { $0.name == column }
        }
        var plan = try PlanDerivation.draft(from: schema, surroundings: VendorSurroundings(buckets: ["a"])).plan
        plan.schemaFingerprint = plan.fingerprint(of: schema)
        func found() -> [String] {
            PlanCheck.findings(plan, schema, fingerprint: plan.fingerprint(of: schema))
                .filter { $0.severity == .error || $0.code == "vendor.removed" }
                .map { "\($0.code.rawValue) \($0.place)" }.sorted()
        }
        #expect(found() == [])
        try drop("objects", "owner")
        #expect(found() == ["vendor.removed storage.objects.owner"], "the newer column names the owner as well")
        #expect(plan.completed(in: schema).systems.map { $0.owned?.owners } == [["owner_id"]])
        let accepted = plan
        let flow = try #require(plan.tables.firstIndex { $0.table.name == "flow_state" })
        plan.tables[flow].columns.append(.init("user_emial", .null))
        #expect(found().contains("column.unknown auth.flow_state.user_emial"), "a rule that changes a value is a promise")
        plan = accepted
        plan.schemaFingerprint = nil
        #expect(found().contains("system.owned storage.objects.owner"), "a new plan names what is there")
        plan = accepted
        try drop("flow_state", "linking_target_id")
        schema.tables.removeAll { $0.name.schema == "net" }
        let all = [
            "vendor.removed auth.flow_state.linking_target_id", "vendor.removed net._http_response", "vendor.removed storage.objects.owner",
        ]
        #expect(found() == ["schema.changed the plan"] + all, "a table or a column of an entry may have another name now")
        plan.schemaFingerprint = plan.fingerprint(of: schema)
        #expect(found() == all)
        let text = PlanFile.text(for: plan)
        let merge = try PlanMerge(try PlanDerivation.draft(from: schema), into: text, path: "p", schema)
        #expect(merge.removed.map(\.name) == ["_http_response"] && merge.added == [] && merge.text == text)
        try drop("flow_state", "user_id")
        try drop("objects", "owner_id")
        let still = found()
        #expect(still.contains("link.unknown-column auth.flow_state.user_id"), "\(still)")
        #expect(still.contains("system.owned storage.objects.owner_id"), "\(still)")
        // Another database is not a project whose vendor has removed everything.
        schema.tables.removeAll { $0.name.schema == "auth" && $0.name.name != "users" }
        let other = found()
        #expect(!other.isEmpty && !other.contains("vendor.removed net._http_response"), "\(other)")
    }

    @Test("SB-1 OP-2 the vendor adds and drops columns and keys of its users' table, also where it deletes the users itself")
    func byInterface() throws {
        var schema = Self.supabase
        schema.role = SchemaRole(name: "limited")
        schema.tables.removeAll { $0.name.name == "badges" }
        let users = try #require(schema.tables.firstIndex { $0.name.name == "users" })
        schema.tables[users].missingRights = ["delete"]
        schema.tables[users].columns.append(SchemaColumn(name: "role", type: "text", kind: .text))
        var plan = try PlanDerivation.draft(from: schema, surroundings: VendorSurroundings(buckets: [])).plan
        #expect(plan.systems.map(\.kind) == ["supabase-auth"])
        let first = plan.fingerprint(of: schema)
        plan.schemaFingerprint = first
        func found() -> [String] {
            PlanCheck.findings(plan, schema, fingerprint: plan.fingerprint(of: schema))
                .filter { $0.severity == .error }.map { "\($0.code.rawValue) \($0.place)" }
        }
        #expect(found() == [])
        // Earlier releases recorded the whole table, and no table that the plan leaves to the profile.
        var earlier = schema
        earlier.tables.removeAll { $0.name.schema == "storage" }
        for place in earlier.tables.indices where earlier.tables[place].name.name == "audit_log_entries" {
            earlier.tables[place].columns.removeAll { $0.name != "payload" }
            (earlier.tables[place].indexes, earlier.tables[place].uniqueKeys) = ([], [])
        }
        #expect(first != earlier.fingerprint && plan.fingerprint(of: schema, recorded: earlier.fingerprint) == earlier.fingerprint)
        schema.tables[users].columns.removeAll { $0.name == "role" }
        schema.tables[users].columns.append(SchemaColumn(name: "nickname", type: "text", kind: .text))
        schema.tables[users].uniqueKeys.append(["nickname"])
        plan.schemaFingerprint = first
        #expect(found() == [])
        let entry = try #require(plan.completed(in: schema)[schema.tables[users].name])
        #expect(entry.columns.map(\.name) == ["id", "email", "nickname"])
        // An identifier finds the user.
        schema.tables[users].columns.removeAll { $0.name == "email" }
        #expect(found() != [])
    }

    @Test("SB-1 what a directory says of a user is deleted with the user, although the database only empties the key")
    func directory() throws {
        var schema = Self.supabase
        schema.tables.append(
            SchemaSketch.table(
                "auth.scim_users", "id uuid pk", "user_id uuid -> auth.users.id set null", "resource jsonb"))
        schema.tables.append(SchemaSketch.table("auth.scim_resources", "id uuid pk", "resource jsonb"))
        let plan = try PlanDerivation.draft(from: schema).plan
        let users = plan.completed(in: schema)[TableName(schema: "auth", "scim_users")]
        #expect(users?.rule == .erase && users?.links.map(\.columns) == [["user_id"]])
        #expect(plan[TableName(schema: "auth", "scim_users")] == nil, "older plans delete them as well")
    }

    @Test("SUP-01 keys of the app's tables into the vendor's sessions and identities lead to the user, and check passes")
    func passages() throws {
        var schema = Self.supabase
        schema.tables.removeAll { $0.name.name == "badges" }
        schema.tables += [
            SchemaSketch.table("auth.sessions", "id uuid pk", "user_id uuid not-null -> auth.users.id cascade", "ip text"),
            SchemaSketch.table("auth.mfa_amr_claims", "id uuid pk", "session_id uuid not-null -> auth.sessions.id cascade"),
            SchemaSketch.table(
                "auth.identities", "id uuid pk", "user_id uuid not-null -> auth.users.id cascade", "email text"),
            SchemaSketch.table(
                "public.files", "id uuid pk", "user_id uuid -> auth.users.id set null",
                "session_id uuid -> auth.sessions.id cascade"),
            SchemaSketch.table("public.claims", "id uuid pk", "claim_id uuid not-null -> auth.mfa_amr_claims.id"),
            SchemaSketch.table("public.login", "id uuid pk", "identity_id uuid not-null -> auth.identities.id"),
        ]
        let plan = try PlanDerivation.draft(from: schema).plan
        #expect(plan.questions.allSatisfy { $0.table.schema == "public" }, "the profile knows the vendor's tables")
        #expect(plan.tables.filter { $0.table.schema == "auth" }.map(\.table.name) == ["audit_log_entries", "users"])
        #expect(!plan.subject.identifiers.contains { $0.table.name == "identities" })
        let ways = ["files": "sessions", "claims": "mfa_amr_claims", "login": "identities"]
        for (name, target) in ways {
            let entry = try #require(plan[TableName(schema: "public", name)])
            #expect(entry.rule == .erase && entry.links.map(\.target.name) == [target], "\(name): \(entry.links)")
        }
        #expect(errors(plan.answeringAll(.owner), schema) == [])
    }

    @Test("SUP-01 check warns of a plan that calls the vendor's log or its list of files not personal")
    func notPersonal() throws {
        var plan = try PlanDerivation.draft(from: Self.supabase).plan
        plan.vendors = []
        plan.tables = Self.supabase.tables.map { table in
            TablePlan(table: table.name, rule: .notPersonal, columns: table.columns.map { .init($0.name) })
        }
        func warned() -> [String] {
            PlanCheck.findings(plan, Self.supabase).filter { $0.code == "vendor.not-personal" }.map(\.place)
        }
        #expect(warned() == ["auth.audit_log_entries.payload", "storage.objects.owner_id"])
        let log = try #require(plan.tables.firstIndex { $0.table.name == "audit_log_entries" })
        plan.tables[log].columns = [.init("id"), .init("payload", .notPersonal)]
        #expect(warned() == ["storage.objects.owner_id"], "stated beside the column")
    }

    @Test("SB-1 schemas of these names without the vendor's tables are the app's own")
    func resembling() throws {
        let schema = SchemaSketch.schema(
            .postgresql, SchemaSketch.table("auth.users", "id uuid pk", "email text unique"),
            SchemaSketch.table("auth.sessions", "id uuid pk", "user_id uuid not-null -> auth.users.id cascade"),
            SchemaSketch.table("storage.boxes", "id uuid pk", "label text"))
        let draft = try PlanDerivation.draft(from: schema)
        #expect(draft.plan.vendors == [] && draft.plan.tables.count == 3)
    }

    @Test("SB-1 bookkeeping of Hasura, Prisma, Rails and Farewell itself is left to profiles, and only with their columns")
    func bookkeeping() throws {
        let schema = SchemaSketch.schema(
            .postgresql, SchemaSketch.table("public.users", "id uuid pk", "email text unique"),
            SchemaSketch.table("public.notes", "id uuid pk", "author uuid not-null -> public.users.id cascade"),
            SchemaSketch.table("public.schema_migrations", "version text pk"),
            SchemaSketch.table(
                "public.ar_internal_metadata", "key text pk", "value text", "created_at timestamptz", "updated_at timestamptz"),
            SchemaSketch.table("app._prisma_migrations", "id text pk", "user_id uuid"),
            SchemaSketch.table("hdb_catalog.hdb_version", "hasura_uuid uuid pk", "version text"),
            SchemaSketch.table("hdb_catalog.hdb_action_log", "id uuid pk", "session_variables jsonb", "input_payload jsonb"),
            SchemaSketch.table("hdb_catalog.event_log", "id text pk", "payload jsonb"),
            SchemaSketch.table("hdb_catalog.event_invocation_logs", "id text pk", "event_id text -> hdb_catalog.event_log.id no action"))
        let plan = try PlanDerivation.draft(from: schema).plan
        #expect(plan.vendors.map(\.vendor) == ["hasura", "rails"])
        #expect(plan.questions.map(\.table.name) == ["_prisma_migrations"], "it has other columns than Prisma's")
        let events = try #require(plan.tables.first { $0.table.name == "event_log" })
        #expect(events.links.map(\.path) == [["data", "new", "author"], ["data", "old", "author"]])
        // Rows that refer to events without a cascade are deleted before them.
        #expect(plan.completed(in: schema).tables.first { $0.table.name == "event_invocation_logs" }?.rule == .erase)
    }

    @Test("SB-1 PL-1 a plan cannot hide the app's own tables behind a vendor")
    func hidden() throws {
        var plan = try PlanDerivation.draft(from: Self.supabase).plan
        plan.tables.removeAll { $0.table.schema == "public" }
        plan.vendors = [
            VendorCoverage(vendor: "supabase", places: [.schema("auth"), .schema("storage"), .schema("public")]),
            VendorCoverage(vendor: "supabse", places: []),
        ]
        let found = errors(plan, Self.supabase)
        #expect(found.contains("vendor.place the plan") && found.contains("vendor.unknown the plan"), "\(found)")
        #expect(found.contains("table.unaccounted public.notes"), "\(found)")
    }

    @Test("SB-1 PL-1 a draft asks about the messages of each queue, and `owner` deletes those that name the user")
    func queues() throws {
        func schema(_ key: String) -> Schema {
            SchemaSketch.schema(
                .postgresql, SchemaSketch.table("public.users", "id \(key) pk", "email text unique"),
                SchemaSketch.table("pgmq.meta", "queue_name text unique", "is_unlogged boolean"),
                SchemaSketch.table(
                    "pgmq.q_mails", "msg_id bigint pk", "read_ct integer", "enqueued_at timestamptz", "vt timestamptz",
                    "message jsonb", "headers jsonb"),
                SchemaSketch.table(
                    "pgmq.a_mails", "msg_id bigint pk", "read_ct integer", "enqueued_at timestamptz", "vt timestamptz",
                    "message jsonb"),
                SchemaSketch.table("pgmq.q_notes", "id bigint pk", "message jsonb"))
        }
        let drafted = try PlanDerivation.draft(from: schema("uuid")).plan
        let asked = drafted.questions.flatMap { question in question.columns.map { "\(question.table.name).\($0)" } }
        #expect(asked == ["a_mails.message", "q_mails.message", "q_mails.headers"])
        #expect(drafted.questions.allSatisfy { $0.answers == [.owner, .unrelated] && $0.link?.list == .uuids })
        #expect(Set(errors(drafted, schema("uuid")).map { $0.prefix { $0 != " " } }) == ["question.open"])
        let owned = drafted.answeringAll(.owner)
        #expect(errors(owned, schema("uuid")) == [])
        let erased = owned.tables.filter { $0.table.schema == "pgmq" && $0.rule == .erase }.map(\.table.name)
        #expect(erased == ["a_mails", "q_mails"])
        let counted = try PlanDerivation.draft(from: schema("int")).plan
        #expect(counted.questions.map(\.answers) == Array(repeating: [.unrelated], count: 3), "no list finds numbers")
        #expect(errors(counted.answeringAll(.unrelated), schema("int")) == [])
    }

    @Test(
        "SB-1 the address of a project's database identifies the project",
        arguments: [
            ("postgresql://postgres:pw@db.abcdefgh.supabase.co:5432/postgres", "https://abcdefgh.supabase.co"),
            ("postgresql://postgres.abcdefgh:p.w@aws-0-eu-west-1.pooler.supabase.com:6543/postgres", "https://abcdefgh.supabase.co"),
            ("postgresql://postgres@db.supabase.co.example/postgres", nil), ("sqlite:app.sqlite", nil),
            ("postgresql://postgres@127.0.0.1/postgres", nil),
        ])
    func address(_ database: String, _ project: String?) {
        #expect(VendorSurroundings.address(ofDatabase: database) == project)
    }
}
