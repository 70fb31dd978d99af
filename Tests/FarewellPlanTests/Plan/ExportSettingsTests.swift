// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("The statements of a plan about exports")
struct ExportSettingsTests {
    private static func plan(_ columns: String) -> String {
        """
        farewell: 1
        subject: {table: people, key: id}
        tables:
          people: {rule: erase, columns: [id, name]}
          reviews:
            label: Your reviews
            rule: anonymise
            links: [{from: author_id, to: people.id, key: no action}, {from: editor_id, to: people.id, role: reference}]
            columns: {id: not personal, author_id: null, editor_id: not personal, \(columns)}
        """
    }

    private static func parsed(_ text: String) throws -> Plan { try PlanFile.read(Array(text.utf8), path: "plan") }

    @Test("EX-2 export and label are read beside every kind of rule, and do not change the plan's fingerprint")
    func read() throws {
        let plain = try Self.parsed(Self.plan("body: {constant: gone}, peer: not personal, note: null"))
        let plan = try Self.parsed(
            Self.plan(
                "body: {constant: gone, export: yes}, peer: {rule: not personal, export: no, label: The peer}, "
                    + "note: {rule: null, label: Note}"))
        let columns = try #require(plan[TableName("reviews")]?.columns)
        #expect(columns.map(\.export) == [nil, nil, nil, true, false, nil])
        #expect(columns.map(\.label) == [nil, nil, nil, nil, "The peer", "Note"])
        #expect(columns.map(\.rule) == plain[TableName("reviews")]?.columns.map(\.rule))
        #expect(plan[TableName("reviews")]?.label == "Your reviews")
        #expect(PlanFingerprint.of(plan) == PlanFingerprint.of(plain))
        #expect(try Self.parsed(PlanFile.text(for: plan)) == plan)
        for wrong in ["{rule: null, constant: a}", "{rule: null, export: maybe}", "{export: no, other: 1}", "{rule: nil}"] {
            #expect(throws: (any Error).self, "\(wrong)") { try Self.parsed(Self.plan("note: \(wrong)")) }
        }
    }

    @Test("DX-1 a table has one name for users, or one for each language of the pages, which changes no erasure")
    func labels() throws {
        let one = try Self.parsed(Self.plan("body: null"))
        func labelled(_ label: String) throws -> Plan {
            try Self.parsed(Self.plan("body: null").replacing("label: Your reviews", with: "label: \(label)"))
        }
        let several = try labelled("{en: Your reviews, de: \"Deine, Kritiken\", ja: レビュー}")
        let table = try #require(several[TableName("reviews")])
        #expect(table.labels == ["en": "Your reviews", "de": "Deine, Kritiken", "ja": "レビュー"] && table.label == "Your reviews")
        #expect(one[TableName("reviews")]?.labels == [:])
        #expect(try labelled("{es: Reseñas, de: Kritiken}")[TableName("reviews")]?.label == "Kritiken", "the first without English")
        #expect(try Self.parsed(PlanFile.text(for: several)) == several)
        #expect(PlanFingerprint.of(several) == PlanFingerprint.of(one))
        for wrong in ["{}", "{fr: Avis}", "{en: [a]}", "[a]"] {
            #expect(throws: (any Error).self, "\(wrong)") { try labelled(wrong) }
        }
    }

    @Test("EX-2 check asks about the columns of a remaining shared row until the plan names their owner")
    func asked() async throws {
        try await PlanDatabase.sqlite.with { database in
            try await database.script(
                "CREATE TABLE people (id integer PRIMARY KEY, name text)",
                "CREATE TABLE reviews (id integer PRIMARY KEY, author_id integer REFERENCES people (id), "
                    + "editor_id integer REFERENCES people (id), peer text, note text)")
            let schema = try await Schema.read(from: database)
            func asked(_ columns: String) throws -> [Finding] {
                PlanCheck.findings(try Self.parsed(Self.plan(columns)), schema).filter { $0.code == "export.undecided" }
            }
            let found = try asked("peer: not personal, note: not personal")
            #expect(found.count == 1 && found[0].severity == .note && found[0].message.contains("peer, note"), "\(found)")
            #expect(try asked("peer: {rule: not personal, export: no}, note: null") == [])
        }
    }

    @Test(
        "EX-2 columns of secrets are recognised by name and type, and facts about secrets do not count as secrets",
        arguments: [
            ("password_hash", "text", true), ("passwd", "text", true), ("PasswordDigest", "text", true), ("pw_hash", "text", true),
            ("refresh_token", "text", true), ("tokens", "json", true), ("accessToken", "text", true), ("apiKey", "text", true),
            ("api_key_hash", "text", true), ("otp_secret", "text", true), ("OTPSecret", "text", true), ("totp", "text", true),
            ("recovery_codes", "text", true), ("backup_code", "text", true), ("reset_code_hash", "blob", true),
            ("private_key", "blob", true), ("pin_hash", "text", true), ("session_cookie", "text", true), ("card_cvc", "text", true),
            ("token_count", "integer", false), ("input_tokens", "integer", false), ("password_changed_at", "text", false),
            ("token_type", "text", false), ("reset_token_expires_at", "text", false), ("has_password", "boolean", false),
            ("secretary", "text", false), ("public_key", "text", false), ("invite_code", "text", false), ("zip_code", "text", false),
            ("otp", "integer", true), ("verification_code", "integer", true), ("pin", "integer", true), ("login_pin", "numeric", true),
            ("passcode", "real", true), ("cvv", "bigint", true), ("pin", "text", true), ("map_pin", "text", false),
            ("tokens", "integer", false), ("api_key", "integer", false), ("pin_code", "integer", false), ("otp_count", "integer", false),
            ("otp_sent", "integer", false), ("cvc_check", "text", false),
            ("content_hash", "text", false), ("cookie_consent", "text", false), ("name", "text", false), ("body", "text", false),
        ])
    func secret(name: String, type: String, isSecret: Bool) async throws {
        try await PlanDatabase.sqlite.with { database in
            try await database.script("CREATE TABLE people (id integer PRIMARY KEY, \"\(name)\" \(type))")
            let schema = try await Schema.read(from: database)
            let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("people"), "id"))
            let columns = try #require(draft.plan[TableName("people")]?.columns)
            #expect(columns.map(\.export) == [nil, isSecret ? false : nil])
            #expect(PlanCheck.findings(draft.plan, schema).filter { $0.code == "export.secret" } == [])
            #expect(try Self.parsed(PlanFile.text(for: draft.plan))[TableName("people")]?.columns == columns)
            for (export, severity) in [(nil, Finding.Severity.warning), (true, .note)] as [(Bool?, Finding.Severity)] {
                var plan = draft.plan
                plan.tables[0].columns[1].export = export
                let found = PlanCheck.findings(plan, schema).filter { $0.code == "export.secret" }
                #expect(found.map(\.severity) == (isSecret ? [severity] : []), "\(found)")
            }
        }
    }

    @Test("EX-2 EX-3 secrets of every type of PostgreSQL are recognised: codes in numbers and lists of numbers, keys in UUIDs")
    func types() async throws {
        try await PlanDatabase.postgresql.with { database in
            try await database.script(
                "CREATE DOMAIN passcode AS integer",
                "CREATE TABLE people (id integer PRIMARY KEY, otp smallint, scratch_codes integer[], backup_codes text[], api_key uuid, "
                    + "access_tokens jsonb, totp_secret bytea, login passcode, reset_code passcode, tokens bigint[], "
                    + "token_ids uuid[], password_changed timestamptz, has_otp boolean)")
            let schema = try await Schema.read(from: database)
            let table = TableName(schema: "public", "people")
            let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(table, "id"))
            let columns = try #require(draft.plan[table]?.columns)
            let secrets = columns.filter { $0.export == false }.map(\.name)
            let expected: Set = ["otp", "scratch_codes", "backup_codes", "api_key", "access_tokens", "totp_secret", "reset_code"]
            #expect(Set(secrets) == expected)
        }
    }

    @Test("EX-2 a plan says of a system that it is not exported, or which values are not, and its fingerprint stays")
    func systems() throws {
        func plan(_ export: String) throws -> Plan {
            try Self.parsed(Self.plan("note: null") + "\nsystems:\n  docs:\n    kind: firestore\n\(export)")
        }
        let plain = try plan("")
        for (text, rule) in [
            ("no", SystemExportRule(isIncluded: false)), ("yes", SystemExportRule()),
            ("{omit: [notes, \"a: b\"]}", SystemExportRule(omit: ["notes", "a: b"])),
            ("{omit: notes, keep: [tokens]}", SystemExportRule(omit: ["notes"], keep: ["tokens"])),
        ] {
            let read = try plan("    export: \(text)\n")
            #expect(read.systems.map(\.export) == [rule], "\(text)")
            #expect(PlanFingerprint.of(read) == PlanFingerprint.of(plain))
            #expect(try Self.parsed(PlanFile.text(for: read)) == read)
        }
        for wrong in ["maybe", "{}", "{omit: []}", "{leave: [a]}", "[no]"] {
            #expect(throws: (any Error).self, "\(wrong)") { try plan("    export: \(wrong)\n") }
        }
    }

    @Test("EX-2 no secret in the sign-in tables is exported, unless the plan says so", arguments: SQLDialect.allCases)
    func signIn(_ dialect: SQLDialect) async throws {
        let kind: PlanDatabase = dialect == .sqlite ? .sqlite : .postgresql
        try await kind.with { database in
            let name = dialect == .sqlite ? "auth_" : "auth."
            if dialect == .postgresql { try await database.script("CREATE SCHEMA auth") }
            try await database.script(
                "CREATE TABLE \(name)users (id integer PRIMARY KEY, email text, encrypted_password text, recovery_token text)",
                "CREATE TABLE \(name)sessions (id integer PRIMARY KEY, user_id integer REFERENCES \(name)users (id) ON DELETE CASCADE, "
                    + "user_agent text, refresh_token_hash text, refresh_nonce_hash text)",
                "CREATE TABLE \(name)one_time_codes (id integer PRIMARY KEY, user_id integer REFERENCES \(name)users (id) "
                    + "ON DELETE CASCADE, code_hash text, network_hash text, purpose text)",
                "CREATE TABLE \(name)outgoing_mail (id integer PRIMARY KEY, user_id integer REFERENCES \(name)users (id) "
                    + "ON DELETE CASCADE, sealed text)")
            let schema = try await Schema.read(from: database)
            let users = TableName(schema: dialect == .sqlite ? nil : "auth", dialect == .sqlite ? "auth_users" : "users")
            var plan = try PlanDerivation.draft(from: schema, subject: ColumnName(users, "id")).plan
            func exported() throws -> [String] {
                try RowExport.all(of: plan, in: RowGraph(plan: plan, schema: schema)).flatMap { $0.columns.map(\.name) }.sorted()
            }
            let open = ["email", "id", "id", "id", "id", "purpose", "user_agent", "user_id", "user_id", "user_id"]
            #expect(try exported() == open)
            // A plan of an earlier release does not say it.
            for table in plan.tables.indices {
                for column in plan.tables[table].columns.indices { plan.tables[table].columns[column].export = nil }
            }
            #expect(try exported() == open)
            #expect(PlanCheck.findings(plan, schema).filter { $0.code == "export.secret" } == [])
            let place = try #require(plan.tables.firstIndex { $0.table == users })
            plan.tables[place].columns[2].export = true
            #expect(try exported() == (open + ["encrypted_password"]).sorted())
        }
    }
}
