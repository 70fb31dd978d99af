// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import Foundation
import Testing

@Suite("A Supabase project: its tables, its files and its users")
struct SupabaseProjectTests {
    @Test("SB-1 SB-3 SUP-01 init recognises the project; its plan erases a user and every file, and changes no definition")
    func erased() async throws {
        try await SupabaseProject.with { project in
            let (person, neighbour, owner) = (project.people[0], project.people[1], project.people[2])
            for number in 0..<3 { try await project.upload("documents", "outside/\(number).txt", owner: person) }
            // In their folder by other capitals, and under names that are patterns to some of the vendor's queries.
            try await project.upload("avatars", "\(person.uppercased())/of the neighbour.png", owner: neighbour)
            try await project.upload("documents", "50%_off/ü ö.txt", owner: person.uppercased())
            let (definitions, before) = (
                try await project.definitions(), try await project.census(of: neighbour, email: "person2@")
            )

            let made = try await project.farewell("init")
            #expect(made.status == 0 && made.output.contains("Supabase"), "\(made)")
            let asked = try PlanFile.load(path: project.plan.path).questions.map(\.table.schema)
            #expect(Set(asked) == ["public"], "only the app's own tables leave questions: \(asked)")
            _ = try await project.farewell("decide", "--table", "public.*", "--answer", "owner")
            let checked = try await project.farewell("check", "--ci", "--sample")
            #expect(checked.status == 0, "sampled owners of files are no links: \(checked)")
            let plan = try PlanFile.load(path: project.plan.path)
            let storage = plan.tables.filter { $0.table.schema == "storage" }
            #expect(storage.allSatisfy { $0.links.allSatisfy(\.isReference) }, "no row there is deleted by SQL")
            #expect(plan.systems.map(\.kind) == ["supabase-storage", "supabase-storage"])

            let preview = try await project.farewell("preview", "--subject", person, "--json")
            let erased = try await project.farewell("erase", "--subject", person, "--yes", "--json")
            #expect(erased.status == 0, "\(erased)")
            #expect(preview.status == 0 && preview.objects.first?["erased"] as? Int == 33, "\(preview)")
            // The neighbour's own file bears the person's key in its path, and stays.
            #expect(try await project.census(of: person, email: "person1@") == ["storage.objects": 1])
            let after = try await project.census(of: neighbour, email: "person2@")
            // The neighbour's comment on the person's post went with it.
            let changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
            #expect(changed == ["public.comments"], "\(changed)")
            let left = try await project.files()
            #expect(left.count == 5 && !left.contains { $0.contains(person) }, "\(left)")
            let verified = try await project.farewell("verify", "--subject", person)
            #expect(verified.status == 0, "\(verified)")

            // A user without files, who owns a bucket: nothing parks, and no user's files are theirs.
            let second = try await project.farewell("erase", "--subject", owner, "--yes")
            #expect(second.status == 0, "\(second)")
            #expect(try await project.files() == left)
            #expect(try await project.sql("SELECT count(*) FROM storage.buckets") == "2")
            #expect(try await project.census(of: owner, email: "person3@") == [:])
            #expect(try await project.definitions() == definitions)
        }
    }

    @Test("SB-1 SB-3 where the role may not delete users, the vendor deletes them, and the sweep erases the vendor's new rows")
    func byInterface() async throws {
        try await SupabaseProject.with { project in
            let person = project.people[0]
            try await project.sql(
                """
                DO $$ BEGIN CREATE ROLE limited LOGIN BYPASSRLS;
                EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$
                """)
            for grant in [
                "USAGE ON SCHEMA public, auth, storage, realtime, net, cron, vault TO limited",
                "SELECT ON ALL TABLES IN SCHEMA auth, storage TO limited", "ALL ON ALL TABLES IN SCHEMA public TO limited",
                "DELETE ON auth.audit_log_entries, auth.flow_state, auth.saml_relay_states, auth.refresh_tokens TO limited",
                "CREATE ON DATABASE \"\(project.superuser.split(separator: "/").last ?? "")\" TO limited",
            ] { try await project.sql("GRANT \(grant)") }
            try await project.draft(role: "limited")
            let checked = try await project.farewell("check", "--ci", role: "limited")
            #expect(checked.status == 0, "\(checked)")
            let plan = try PlanFile.load(path: project.plan.path)
            #expect(plan.systems(.identity).map(\.kind) == ["supabase-auth"])
            let erased = try await project.farewell("erase", "--subject", person, "--yes", role: "limited")
            #expect(erased.status == 0, "\(erased)")
            #expect(try await project.sql("SELECT count(*) FROM auth.users WHERE id = '\(person)'") == "0")
            #expect(try await project.sql("SELECT count(*) FROM auth.users") == "2")
            let log = "SELECT count(*) FROM auth.audit_log_entries WHERE payload::text LIKE '%\(person)%'"
            #expect(try await project.sql(log) == "0", "the vendor wrote down whom it deleted")
            #expect(try await project.sql("SELECT count(*) FROM auth.audit_log_entries") == "6")
            // Rows that this role may not delete stay, and the draft says so.
            let stays = try await project.census(of: person, email: "person1@").keys.sorted()
            #expect(stays == ["realtime.messages", "realtime.subscription"])
            // The vendor deletes the whole row, whatever columns it has by then.
            for change in ["ADD COLUMN nickname text UNIQUE", "DROP COLUMN is_super_admin"] {
                try await project.sql("ALTER TABLE auth.users \(change)", as: "supabase_auth_admin")
            }
            let second = try await project.farewell("erase", "--subject", project.people[1], "--yes", role: "limited")
            #expect(second.status == 0, "\(second)")
            #expect(try await project.sql("SELECT count(*) FROM auth.users") == "1")
        }
    }

    @Test("SB-1 OP-2 the vendor's changes to its own tables stop no erasure; the check asks about a team's additions and a new bucket")
    func changes() async throws {
        try await SupabaseProject.with { project in
            try await project.draft()
            for change in [
                "ALTER TABLE auth.users ADD COLUMN nickname text",
                "CREATE TABLE auth.badges (user_id uuid REFERENCES auth.users ON DELETE CASCADE)",
                "CREATE TABLE auth.settings (user_id uuid, name text)", "CREATE INDEX ON auth.users (created_at)",
                "CREATE UNIQUE INDEX ON auth.users (nickname)", "COMMENT ON TABLE auth.users IS 'theirs'",
                "INSERT INTO auth.badges SELECT id FROM auth.users",
            ] { try await project.sql(change, as: "supabase_auth_admin") }
            let checked = try await project.farewell("check", "--json")
            #expect(checked.status == 0 && checked.output.contains("vendor.new-table"), "\(checked)")
            let erased = try await project.farewell("erase", "--subject", project.people[0], "--yes", "--json")
            #expect(erased.status == 0, "\(erased)")
            #expect(try await project.sql("SELECT count(*) FROM auth.badges") == "2")

            // What the vendor removes needs one acceptance at most, and no other plan.
            try await project.sql("ALTER TABLE storage.objects DROP COLUMN owner", as: "supabase_storage_admin")
            let older = try await project.farewell("check", "--json")
            #expect(older.status == 0 && older.output.contains("vendor.removed"), "\(older)")
            try await project.sql("DROP TABLE net._http_response")
            let accepted = try await project.farewell("check", "--accept")
            #expect(accepted.status == 0, "\(accepted)")
            let second = try await project.farewell("erase", "--subject", project.people[1], "--yes", "--json")
            #expect(second.status == 0, "\(second)")
            #expect(try await project.census(of: project.people[1], email: "person2@") == [:])

            try await project.sql("INSERT INTO storage.buckets (id, name) VALUES ('chat', 'chat')")
            let bucket = try await project.farewell("check")
            #expect(bucket.status == 1 && bucket.output.contains("chat"), "\(bucket)")
            try await project.sql("UPDATE storage.buckets SET type = 'VECTOR' WHERE id = 'chat'")
            try await project.sql("GRANT CREATE ON SCHEMA storage TO postgres")
            try await project.sql("CREATE TABLE storage.albums (owner uuid)", as: "postgres")
            let table = try await project.farewell("check")
            #expect(table.status == 1 && table.output.contains("storage.albums"), "\(table)")
        }
    }

    @Test("SB-1 a user named in every column that the services write is named nowhere afterwards, in any schema")
    func everywhere() async throws {
        try await SupabaseProject.with { project in
            let (person, neighbour) = (project.people[0], project.people[1])
            let phone = "4915112345678"
            for statement in Self.traces(of: person, phone: phone, beside: neighbour) { try await project.sql(statement) }
            try await project.draft()
            let checked = try await project.farewell("check", "--ci")
            #expect(checked.status == 0, "\(checked)")
            let before = try await project.census(of: person, email: "person1@")
            for table in [
                "auth.audit_log_entries", "auth.saml_relay_states", "auth.scim_users", "auth.webauthn_credentials", "storage.buckets",
                "storage.s3_multipart_uploads", "storage.s3_multipart_uploads_parts", "realtime.messages", "net._http_response",
                "net.http_request_queue",
            ] { #expect(before[table] ?? 0 > 0, "\(table) is part of the trial: \(before)") }
            let others = "SELECT md5(string_agg(t::text, '' ORDER BY t::text)) FROM storage.buckets AS t WHERE id <> 'theirs'"
            let buckets = try await project.sql(others)

            let erased = try await project.farewell("erase", "--subject", person, "--yes", "--json")
            #expect(erased.status == 0, "\(erased)")
            // The path of an upload in progress is named by the draft, and stays.
            let stays = ["storage.s3_multipart_uploads": 1, "storage.s3_multipart_uploads_parts": 1]
            #expect(try await project.census(of: person, email: "person1@") == stays)
            #expect(try await project.census(of: phone, email: phone) == [:])
            #expect(try await project.sql(others) == buckets)
            #expect(try await project.sql("SELECT count(*) FROM storage.buckets WHERE id = 'theirs' AND owner IS NULL") == "1")
            let uploads = "SELECT count(*) FROM storage.s3_multipart_uploads WHERE owner_id IS NULL"
            #expect(try await project.sql(uploads) == "1")

            // A later column of the vendor's in a table whose rows stay stops nothing.
            try await project.sql("ALTER TABLE storage.buckets ADD COLUMN colour text", as: "supabase_storage_admin")
            try await project.sql("ALTER TABLE storage.buckets DROP COLUMN avif_autodetection", as: "supabase_storage_admin")
            let second = try await project.farewell("erase", "--subject", project.people[2], "--yes")
            #expect(second.status == 0, "\(second)")
            #expect(try await project.census(of: project.people[2], email: "person3@") == [:])
        }
    }

    @Test("SB-1 the draft deletes, clears or names each of the vendor's columns that may name a user")
    func columns() async throws {
        try await SupabaseProject.with { project in
            let database = try openDatabase(project.address)
            let schema = try await Schema.read(from: database)
            await database.close()
            let draft = try PlanDerivation.draft(from: schema)
            let plan = draft.plan.completed(in: schema)
            let vendors = Set(Self.impersonal.keys.compactMap { $0.split(separator: ".").first.map(String.init) })
            #expect(vendors.count == 8)
            for table in schema.tables where vendors.contains(table.name.schema ?? "") && table.kind != .partition {
                let entry = try #require(plan.tables.first { $0.table == table.name })
                guard entry.rule != .erase else { continue }
                let noted = draft.notes.map(\.text).filter { $0.hasPrefix("\(table.name): ") }.joined().split { ", :".contains($0) }
                let known = Self.impersonal[table.name.description]?.split(separator: " ") ?? []
                guard known != ["*"] else { continue }
                let settled = Set(entry.links.flatMap(\.columns)).union((noted + known).map(String.init))
                let kinds: [SchemaColumn.Kind] = [.text, .uuid, .json, .bytes, .array]
                let open = table.columns.filter { kinds.contains($0.kind) && !settled.contains($0.name) }.map(\.name)
                #expect(open == [], "\(table.name)")
            }
        }
    }

    /// Columns of tables whose rows stay that name no user, by the vendor's sources; `*`: all of them. The storage
    /// service deletes the files of an owner, and their rows with them.
    private static let impersonal = [
        "auth.custom_oauth_providers": "*", "auth.instances": "*", "auth.oauth_client_states": "*", "auth.oauth_clients": "*",
        "auth.saml_providers": "*", "auth.schema_migrations": "*", "auth.scim_tokens": "*",
        "auth.sso_domains": "*", "auth.sso_providers": "*",
        "cron.job": "schedule nodename database username", "cron.job_run_details": "database username status",
        "pgsodium.key": "id key_context associated_data raw_key raw_key_nonce parent_key status key_type",
        "storage.buckets": "allowed_mime_types versioning_status type", "storage.buckets_analytics": "*",
        "storage.buckets_vectors": "*", "storage.iceberg_namespaces": "id bucket_name catalog_id",
        "storage.iceberg_tables": "id namespace_id bucket_name remote_table_id shard_key shard_id catalog_id",
        "storage.migrations": "*", "storage.objects": "id bucket_id version metadata path_tokens owner owner_id",
        "storage.s3_multipart_uploads": "id upload_signature bucket_id version",
        "storage.s3_multipart_uploads_parts": "id upload_id bucket_id etag version",
        "storage.vector_indexes": "id bucket_id data_type distance_metric", "supabase_functions.hooks": "*",
        "supabase_functions.migrations": "*", "supabase_migrations.schema_migrations": "version name idempotency_key",
        "supabase_migrations.seed_files": "*", "vault.secrets": "id key_id nonce", "realtime.schema_migrations": "*",
    ]

    /// Statements that leave a user's name wherever the services of the vendor write one.
    private static func traces(of person: String, phone: String, beside neighbour: String) -> [String] {
        [
            "UPDATE auth.users SET phone = '\(phone)' WHERE id = '\(person)'",
            """
            INSERT INTO auth.audit_log_entries (id, payload, created_at) VALUES
              (gen_random_uuid(), '{"action": "login", "actor_id": "x", "actor_username": "\(phone)"}', now()),
              (gen_random_uuid(), '{"action": "user_invited", "actor_id": "x", "traits": {"user_phone": "\(phone)"}}', now())
            """,
            "INSERT INTO auth.sso_providers (id) VALUES ('00000000-0000-0000-0000-0000000000aa')",
            """
            INSERT INTO auth.saml_relay_states (id, sso_provider_id, request_id, for_email)
            VALUES (gen_random_uuid(), '00000000-0000-0000-0000-0000000000aa', 'r', 'person1@example.org')
            """,
            """
            INSERT INTO auth.webauthn_credentials (user_id, credential_id, public_key) VALUES ('\(person)', 'c', 'k')
            """,
            """
            INSERT INTO auth.scim_users (id, sso_provider_id, user_id, resource)
            SELECT gen_random_uuid(), '00000000-0000-0000-0000-0000000000aa', id, jsonb_build_object('userName', email)
            FROM auth.users
            """,
            """
            INSERT INTO storage.buckets (id, name, owner, owner_id)
            VALUES ('theirs', 'theirs', '\(person)', '\(person)'), ('others', 'others', '\(neighbour)', '\(neighbour)')
            """,
            """
            INSERT INTO storage.s3_multipart_uploads (id, upload_signature, bucket_id, key, version, owner_id)
            VALUES ('u', 's', 'documents', '\(person)/film.mp4', 'v', '\(person)')
            """,
            """
            INSERT INTO storage.s3_multipart_uploads_parts (upload_id, part_number, bucket_id, key, etag, owner_id, version)
            VALUES ('u', 1, 'documents', '\(person)/film.mp4', 'e', '\(person)', 'v')
            """,
            """
            INSERT INTO realtime.messages (topic, extension, payload, event) VALUES
              ('user:\(person)', 'broadcast', '{}', 'e'), ('room', 'broadcast', '{"from": {"id": "\(person)"}}', 'e')
            """,
            "INSERT INTO realtime.messages (topic, extension, binary_payload) VALUES ('room', 'broadcast', '\(person)')",
            "INSERT INTO net._http_response (id, headers) VALUES (99, '{\"x-user\": \"\(person)\"}')",
            """
            INSERT INTO net.http_request_queue (method, url, headers, timeout_milliseconds)
            VALUES ('GET', 'http://127.0.0.1:9', '{"x-user": "\(person)"}', 1)
            """,
        ]
    }

    @Test("SB-1 the fence leaves out tables of other owners, and the vendor's migrations continue")
    func fence() async throws {
        try await SupabaseProject.with { project in
            try await project.draft()
            _ = try await project.farewell("erase", "--subject", project.people[0], "--yes")
            let plain = try await project.farewell("fence", "--sql")
            #expect(plain.status == 0 && plain.output.contains("\"public\".\"posts\""), "\(plain)")
            #expect(!plain.output.contains("\"auth\"") && !plain.output.contains("\"realtime\""), "\(plain)")
            // A plan that names the vendor's tables without its profile: the owner of each table decides.
            try project.changePlan { text in
                let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
                let start = lines.firstIndex { $0.hasPrefix("vendors:") } ?? 0
                let end = lines[start...].firstIndex { $0.isEmpty } ?? start
                return (lines[..<start] + lines[end...]).joined(separator: "\n")
            }
            let named = try await project.farewell("fence", "--sql")
            #expect(named.status == 0 && named.output.contains("\"auth\".\"flow_state\""), "\(named)")
            for script in [plain.output, named.output, plain.output] {
                for statement in script.components(separatedBy: ";\n\n") where !statement.isEmpty {
                    try await project.sql(statement, as: "postgres")
                }
            }
            let placed = try await project.sql(
                """
                SELECT string_agg(c.relname, ' ' ORDER BY c.relname) FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
                WHERE t.tgname LIKE 'farewell\\_fence%'
                """)
            #expect(placed == "comments posts profiles push_tokens")
            for migration in [
                "ALTER TABLE auth.flow_state ALTER COLUMN user_id TYPE text",
                "ALTER TABLE auth.flow_state DROP COLUMN linking_target_id",
                "ALTER TABLE auth.refresh_tokens ALTER COLUMN user_id TYPE text",
                "ALTER TABLE auth.sessions RENAME COLUMN tag TO label",
            ] { try await project.sql(migration, as: "supabase_auth_admin") }
            try await project.sql("ALTER TABLE storage.objects DROP COLUMN owner", as: "supabase_storage_admin")
        }
    }
}
