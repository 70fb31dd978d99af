// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys

/// The facts about vendors, all in this file. A change at a vendor is a change here, with a new date.
extension VendorProfile {
    static let all = [supabase, hasura, postgrest, prisma, rails, farewell]

    static let supabase = VendorProfile(
        name: "supabase", title: "Supabase", date: "2026-11-27",
        source: "the migrations of github.com/supabase: auth to 20261005000000, storage to 0074, realtime to "
            + "20260709120000, postgres to 2025-04; etl of 2026-10; pg_net 0.20; pg_cron 1.6",
        schemas: [
            "auth": [
                "audit_log_entries", "custom_oauth_providers", "flow_state", "identities", "instances",
                "mfa_amr_claims", "mfa_challenges", "mfa_factors", "mfa_recovery_code_sets", "mfa_recovery_codes",
                "oauth_authorizations", "oauth_client_states", "oauth_clients", "oauth_consents", "one_time_tokens",
                "refresh_tokens", "saml_providers", "saml_relay_states", "schema_migrations", "scim_directories",
                "scim_resource_keys", "scim_resource_references", "scim_resources", "scim_settings", "scim_tokens",
                "scim_users", "sessions", "sso_domains", "sso_providers", "sso_sessions", "users",
                "webauthn_challenges", "webauthn_credentials",
            ],
            "storage": [
                "buckets", "buckets_analytics", "buckets_vectors", "iceberg_namespaces", "iceberg_tables", "migrations",
                "objects", "prefixes", "s3_multipart_uploads", "s3_multipart_uploads_parts", "vector_indexes",
            ],
            "realtime": ["messages", "schema_migrations", "subscription"],
            "_realtime": ["extensions", "feature_flags", "schema_migrations", "tenants"],
            "vault": ["secrets"],
            "supabase_migrations": ["schema_migrations", "seed_files"],
            "supabase_functions": ["hooks", "migrations"],
            "cron": ["job", "job_run_details"],
            "net": ["_http_response", "http_request_queue"],
            "pgsodium": ["key"], "pgsodium_masks": [], "pgbouncer": [],
            "extensions": [], "graphql": [], "graphql_public": [], "_analytics": [], "_supavisor": [],
            // Of a pipeline (Supabase ETL), which copies rows of the app elsewhere.
            "etl": [
                "destination_tables_metadata", "replication_state", "table_columns", "table_mappings", "table_schemas",
            ],
            // One table for each index of vectors.
            "storage_vectors": [],
        ],
        marks: [
            Mark(table: auth("users"), columns: ["id", "raw_app_meta_data", "instance_id"]),
            Mark(table: auth("audit_log_entries"), columns: ["payload"]),
            Mark(table: auth("refresh_tokens"), columns: ["token", "user_id", "instance_id"]),
            Mark(table: TableName(schema: "storage", "objects"), columns: ["name", "owner"]),
            Mark(table: TableName(schema: "storage", "buckets"), columns: ["id", "owner"]),
            Mark(table: TableName(schema: "realtime", "subscription"), columns: ["entity", "claims"]),
            Mark(table: TableName(schema: "supabase_migrations", "schema_migrations"), columns: ["version"]),
        ],
        marksNeeded: 2,
        // users_email_partial_key: unique among all who do not sign in by single sign-on.
        users: Users(table: auth("users"), key: "id", unique: ["email"], system: "supabase-auth"),
        leads: [
            Lead(
                table: auth("refresh_tokens"), ways: [Way(column: "user_id")],
                note: "No key leads to the user, whose id is text here; older tokens have no session either."),
            Lead(
                table: auth("flow_state"), ways: [Way(column: "user_id"), Way(column: "linking_target_id")],
                note: "Started sign-ins; no key leads to their user."),
            Lead(
                table: auth("saml_relay_states"),
                ways: [Way(column: "for_email", target: ColumnName(auth("users"), "email"))],
                note: "Started single sign-ons, by address."),
            Lead(
                table: auth("audit_log_entries"),
                ways: [
                    Way(column: "payload", path: ["actor_id"]), Way(column: "payload", path: ["traits", "user_id"]),
                    Way(column: "payload", path: ["actor_username"], target: ColumnName(auth("users"), "email")),
                    Way(column: "payload", path: ["traits", "user_email"], target: ColumnName(auth("users"), "email")),
                    // actor_username is the telephone number where the user has one.
                    Way(column: "payload", path: ["actor_username"], target: ColumnName(auth("users"), "phone")),
                    Way(column: "payload", path: ["traits", "user_phone"], target: ColumnName(auth("users"), "phone")),
                ],
                note: "Actions by and on users: entries contain their id, address and full name."),
            Lead(
                table: TableName(schema: "storage", "buckets"),
                ways: [Way(column: "owner_id"), Way(column: "owner")], role: .reference,
                note: "A bucket names its creator. It holds other users' files, so it is kept and loses that name."),
            Lead(
                table: TableName(schema: "storage", "s3_multipart_uploads"), ways: [Way(column: "owner_id")],
                role: .reference,
                note: "Unfinished uploads by the S3 protocol. The service ends them; until then they have no owner."),
            Lead(
                table: TableName(schema: "storage", "s3_multipart_uploads_parts"), ways: [Way(column: "owner_id")],
                role: .reference, note: "The parts of these uploads."),
            Lead(
                table: TableName(schema: "realtime", "subscription"), ways: [Way(column: "claims", path: ["sub"])],
                note: "Subscribers to changes, with the claims of their tokens."),
            Lead(
                table: TableName(schema: "realtime", "messages"),
                ways: [
                    Way(column: "topic", list: .uuids), Way(column: "payload", list: .uuids),
                    Way(column: "binary_payload", list: .uuids),
                ],
                note: "Broadcasts of the last days that name the user in topic or payload."),
            Lead(
                table: TableName(schema: "net", "http_request_queue"),
                ways: [
                    Way(column: "url", list: .uuids), Way(column: "headers", list: .uuids),
                    Way(column: "body", list: .uuids),
                ],
                note: "Unsent requests of database webhooks, which contain whole rows."),
            Lead(
                table: TableName(schema: "net", "_http_response"),
                ways: [
                    Way(column: "content", list: .uuids), Way(column: "headers", list: .uuids),
                    Way(column: "error_msg", list: .uuids),
                ],
                note: "Responses to such requests in the last six hours."),
        ],
        mentions: [
            Mention(
                table: auth("scim_resources"), columns: ["resource"],
                note: "A group's document may name its members; the directory that made the group changes it."),
            Mention(
                table: TableName(schema: "storage", "buckets"), columns: ["id", "name"],
                note: "If the app creates a bucket for each user, let the app delete that bucket."),
            Mention(
                table: TableName(schema: "storage", "objects"), columns: ["name", "user_metadata"],
                note: "Other users' files are kept, also if their path or metadata names the user."),
            Mention(
                table: TableName(schema: "storage", "s3_multipart_uploads"),
                columns: ["key", "metadata", "user_metadata"],
                note: "The path and the metadata of an upload in progress stay; end it by the S3 protocol."),
            Mention(
                table: TableName(schema: "storage", "s3_multipart_uploads_parts"), columns: ["key"],
                note: "The path of an unfinished upload is kept until the upload is ended by the S3 protocol."),
            Mention(
                table: TableName(schema: "storage", "iceberg_namespaces"), columns: ["name", "metadata"],
                note: "If namespaces of an analytics bucket contain users' ids, let the app delete them."),
            Mention(
                table: TableName(schema: "storage", "iceberg_tables"), columns: ["name", "location"],
                note: "If tables of an analytics bucket contain users' ids, let the app delete them."),
            Mention(
                table: TableName(schema: "storage", "vector_indexes"), columns: ["name", "metadata_configuration"],
                note: "The vendor's store holds vectors and their metadata: let the app delete those of the user."),
            Mention(
                table: TableName(schema: "realtime", "subscription"), columns: ["filters"],
                note: "While another user subscribes to rows of this user, the filter names this user."),
            Mention(
                table: TableName(schema: "vault", "secrets"), columns: ["name", "description", "secret"],
                note: "If the app keeps users' secrets here, let the app delete them: no column says whose they are."),
            Mention(
                table: TableName(schema: "cron", "job"), columns: ["command", "jobname"],
                note: "A job that the app made for one user names the user: let the app unschedule it."),
            Mention(
                table: TableName(schema: "cron", "job_run_details"), columns: ["command", "return_message"],
                note: "The commands and results of jobs. A job of your own must delete them, by end_time."),
            Mention(
                table: TableName(schema: "supabase_migrations", "schema_migrations"),
                columns: ["created_by", "statements", "rollback"],
                note: "Migrations name their author and contain the data that they insert."),
            Mention(
                table: TableName(schema: "pgsodium", "key"), columns: ["name", "comment", "user_data"],
                note: "If the app makes keys for users, let the app delete them."),
        ],
        files: Files(
            table: TableName(schema: "storage", "objects"), name: "name", bucket: "bucket_id",
            owners: ["owner_id", "owner"], buckets: TableName(schema: "storage", "buckets"),
            versions: "versioning_status", system: "supabase-storage"),
        // A directory's data about a user: their names and addresses.
        emptied: [auth("scim_users")], knownWith: [auth("scim_resources"): "user_id"])

    static let hasura = VendorProfile(
        name: "hasura", title: "Hasura", date: "2026-11-26",
        source: "the catalogue's migrations of github.com/hasura/graphql-engine, version 48",
        schemas: [
            "hdb_catalog": [
                "event_invocation_logs", "event_log", "hdb_action_log", "hdb_cron_event_invocation_logs",
                "hdb_cron_events", "hdb_event_log_cleanups", "hdb_metadata", "hdb_scheduled_event_invocation_logs",
                "hdb_scheduled_events", "hdb_schema_notifications", "hdb_source_catalog_version", "hdb_version",
            ]
        ],
        marks: [
            Mark(table: hasura("hdb_version"), columns: ["version"]),
            Mark(table: hasura("hdb_source_catalog_version"), columns: ["version"]),
        ],
        leads: [
            Lead(
                table: hasura("hdb_action_log"), ways: [Way(column: "session_variables", path: ["x-hasura-user-id"])],
                note: "Actions that a user ran, with request and response.")
        ],
        carriers: [
            Carrier(
                table: hasura("event_log"), column: "payload", members: [["data", "new"], ["data", "old"]],
                note: "Events of triggers, which repeat rows of the app.")
        ])

    static let postgrest = VendorProfile(
        name: "postgrest", title: "PostgREST", date: "2026-11-26",
        source: "postgrest.org, version 13: it keeps no tables; `pgrst` and `postgrest` hold settings and caches",
        schemas: ["pgrst": [], "postgrest": []])

    static let prisma = VendorProfile(
        name: "prisma", title: "Prisma Migrate", date: "2026-11-26", source: "github.com/prisma/prisma-engines 6",
        tables: [
            Bookkeeping(
                name: "_prisma_migrations",
                columns: [
                    "id", "checksum", "finished_at", "migration_name", "logs", "rolled_back_at", "started_at",
                    "applied_steps_count",
                ])
        ])

    static let rails = VendorProfile(
        name: "rails", title: "Rails", date: "2026-11-26", source: "github.com/rails/rails, Active Record 8",
        tables: [
            Bookkeeping(name: "schema_migrations", columns: ["version"]),
            Bookkeeping(name: "ar_internal_metadata", columns: ["key", "value", "created_at", "updated_at"]),
        ])

    /// The tables of the session authority that are about the service and not about users. Those of the control store
    /// are in no schema that a plan sees.
    static let farewell = VendorProfile(
        name: "farewell", title: "Farewell's own session authority", date: "2026-11-26",
        source: "Sources/FarewellSessions/Store",
        tables: AuthorityTableName.service.map { table in
            Bookkeeping(
                name: table, columns: AuthorityTableName.columns[table] ?? [],
                places: AuthorityTableName.spellings(table))
        })

    /// Facts of 2026-11-27, from github.com/pgmq/pgmq 1.10; `headers` since 1.5. Supabase calls them Queues.
    static let queues = [
        Queues(
            title: "pgmq (Supabase Queues)", schema: "pgmq", prefixes: ["q_", "a_"],
            marks: ["msg_id", "read_ct", "enqueued_at", "vt", "message"], contents: ["message", "headers"])
    ]

    private static func auth(_ table: String) -> TableName { TableName(schema: "auth", table) }
    private static func hasura(_ table: String) -> TableName { TableName(schema: "hdb_catalog", table) }
}
