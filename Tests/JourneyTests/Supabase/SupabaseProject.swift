// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Farewell
import FarewellSQL
import Foundation
import InteropProgram
import NIOCore
import NIOHTTP1
import Subprocess
import SystemPackage
import Testing

/// A fake Supabase project (`Interop/supabase`), and a folder to call the real command in, as its team would.
struct SupabaseProject: Sendable {
    let folder: URL
    /// The address of the database as the role `postgres`, which is not a superuser.
    let address: String
    let superuser: String
    let endpoint: String
    let service: String
    let anon: String
    /// The keys of the people who are there; the third has no files and owns a bucket.
    let people: [String]
    private let program: InteropProgram

    var plan: URL { folder.appendingPathComponent("farewell.yaml") }

    static func with(_ use: (SupabaseProject) async throws -> Void) async throws {
        let project = try SupabaseProject()
        do {
            try await use(project)
        } catch {
            project.remove()
            throw error
        }
        project.remove()
    }

    private init() throws {
        program = try InteropProgram("Interop/supabase/project.py \(try TestServer.address(of: "postgres"))")
        let facts = try StrictJSON.value(Array(program.word.utf8), depth: 8)
        func text(_ name: String) throws -> String { try #require(facts[name]?.string, "\(name)") }
        address = try text("database")
        superuser = try text("superuser")
        endpoint = try text("endpoint")
        service = try text("service")
        anon = try text("anon")
        people = try #require(facts["people"]?.array).compactMap { $0["id"]?.string }
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("supabase-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func remove() {
        program.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    // MARK: Calling

    /// - Parameter role: The connecting role.
    func farewell(_ arguments: String..., role: String = "postgres") async throws -> CommandEnd {
        try await call(arguments, role: role)
    }

    func call(_ arguments: [String], role: String = "postgres") async throws -> CommandEnd {
        let changes: [Subprocess.Environment.Key: String?] = [
            "FAREWELL_DATABASE_URL": address.replacing("//postgres@", with: "//\(role)@"), "SUPABASE_URL": endpoint,
            "SUPABASE_SERVICE_ROLE_KEY": service,
        ]
        let result = try await Subprocess.run(
            .path(FilePath(TestBinary.path("farewell"))), arguments: .init(arguments),
            environment: .inherit.updating(changes), workingDirectory: FilePath(folder.path),
            output: .string(limit: 1 << 24), error: .string(limit: 1 << 24))
        return CommandEnd(
            status: CommandPlace.status(result.terminationStatus), output: result.standardOutput,
            errors: result.standardError)
    }

    /// A team's part: drafts the plan and answers the questions about the app's own tables.
    func draft(role: String = "postgres") async throws {
        let made = try await farewell("init", "--force", role: role)
        try #require(made.status == 0, "\(made)")
        let decided = try await farewell("decide", "--table", "public.*", "--answer", "owner", role: role)
        try #require(decided.status == 0, "\(decided)")
    }

    func changePlan(_ change: (String) -> String) throws {
        let text = try String(contentsOf: plan, encoding: .utf8)
        try Data(change(text).utf8).write(to: plan)
    }

    // MARK: The project

    func ask(_ method: HTTPMethod, _ path: String, _ body: String = "", key: String? = nil) async throws -> JSONValue {
        var request = HTTPClientRequest(url: endpoint + path)
        request.method = method
        if let key { request.headers.add(name: "authorization", value: "Bearer \(key)") }
        if !body.isEmpty { request.body = .bytes(ByteBuffer(string: body)) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let data = try await response.body.collect(upTo: 1 << 24)
        return try StrictJSON.value(Array(data.readableBytesView), depth: 32)
    }

    /// Every file of the object store.
    func files() async throws -> [String] {
        try await ask(.GET, "/control/files").array?.compactMap(\.string) ?? []
    }

    /// - Parameter owner: The user whose token uploads it; empty: the service itself.
    func upload(_ bucket: String, _ name: String, owner: String) async throws {
        let path = try #require(name.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        _ = try await ask(.POST, "/control/upload/\(bucket)/\(path)", owner)
    }

    /// Runs SQL as a role; the first value of its answer.
    @discardableResult
    func sql(_ text: String, as role: String? = nil) async throws -> String {
        let address = role.map { self.address.replacing("//postgres@", with: "//\($0)@") } ?? superuser
        let database = try openDatabase(address)
        let result: SQLResult
        do {
            result = try await database.withConnection { try await $0.run(SQLStatement(text)) }
        } catch {
            await database.close()
            throw error
        }
        await database.close()
        guard let value = result.rows.first?.first else { return "" }
        return value.text ?? value.integer.map(String.init) ?? ""
    }

    /// The tables that have something of a person in any column, with how many rows.
    func census(of person: String, email: String) async throws -> [String: Int] {
        let database = try openDatabase(superuser)
        var found: [String: Int] = [:]
        for table in try await Schema.read(from: database).tables where table.kind != .partition {
            let name = SQLDialect.postgresql.qualified(table.name)
            let bytes = table.columns.filter { $0.kind == .bytes }.map {
                " || coalesce(encode(t.\(SQLDialect.postgresql.quoted($0.name)), 'escape'), '')"
            }.joined()
            let count = try await database.withConnection { connection in
                try await connection.run(
                    SQLStatement(
                        "SELECT count(*) FROM \(name) AS t WHERE t::text\(bytes) ILIKE ANY (ARRAY['%' || $1 || '%', '%' || $2 || '%'])",
                        [.text(person), .text(email)])
                ).rows[0][0].integer
            }
            if let count, count > 0 { found[table.name.description] = Int(count) }
        }
        await database.close()
        return found
    }

    /// The definitions of the vendor's schemas, of which nothing may change: tables, columns, keys, triggers, policies, rights.
    func definitions() async throws -> String {
        try await sql(
            """
            SELECT md5(string_agg(line, E'\\n' ORDER BY line)) FROM (
                SELECT a.attrelid::regclass || ' ' || a.attname || ' ' || a.atttypid || ' ' || a.attnotnull || ' '
                    || coalesce(pg_get_expr(d.adbin, d.adrelid), '') AS line, c.relnamespace AS space
                FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
                LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum WHERE a.attnum > 0
                UNION ALL SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid), connamespace FROM pg_constraint
                UNION ALL SELECT pg_get_triggerdef(t.oid) || t.tgenabled::text, c.relnamespace
                FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
                UNION ALL SELECT indexrelid::regclass || ' ' || pg_get_indexdef(indexrelid), c.relnamespace
                FROM pg_index JOIN pg_class AS c ON c.oid = indrelid
                UNION ALL SELECT p.oid::regprocedure || ' ' || md5(p.prosrc), p.pronamespace FROM pg_proc AS p
                UNION ALL SELECT c.oid::regclass || ' ' || c.relowner || ' ' || coalesce(c.relacl::text, ''), c.relnamespace
                FROM pg_class AS c
            ) AS lines WHERE space IN ('auth'::regnamespace, 'storage'::regnamespace)
            """)
    }
}
