// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellPlan
import FarewellSQL
import Foundation

/// A schema of a thousand tables: reading it and comparing a plan with it in the library, and the commands `init`,
/// `check` and `preview` of a user with a row in each table, each from the start of its process to its end.
struct ThousandTables: Comparison {
    let name = "check"
    let title = "a schema of 1,000 tables; the baseline is a limit, and for commands a bare query of the catalog"

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        let name = "bench_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
        try await world.administer("CREATE DATABASE \(name)")
        do {
            let database = try PostgreSQLDatabase(url: world.address(of: name))
            let lines = try await measure(database, world) + commands(database, at: world.address(of: name), world)
            await database.close()
            try await world.administer("DROP DATABASE \(name) WITH (FORCE)")
            return lines
        } catch {
            try? await world.administer("DROP DATABASE \(name) WITH (FORCE)")
            throw error
        }
    }

    private func measure(_ database: PostgreSQLDatabase, _ world: BenchWorld) async throws -> [Report.Line] {
        try await database.withConnection { _ = try await $0.run(SQLStatement(Self.thousandTables)) }
        let subject = ColumnName(TableName(schema: "public", "people"), "id")
        var (reading, checking) = (Latencies(), Latencies())
        for _ in 0..<(world.rounds * 4) {
            let schema = try await reading.time { try await Schema.read(from: database) }
            let plan = try PlanDerivation.draft(from: schema, subject: subject).plan
            _ = await checking.time { PlanCheck.findings(plan, schema, fingerprint: schema.fingerprint) }
        }
        let together = reading.median + checking.median
        return [
            Report.Line(what: "reading the schema", ours: reading.text, baseline: "", ratio: nil),
            Report.Line(what: "checking the plan", ours: checking.text, baseline: "", ratio: nil),
            Report.Line(
                what: "both", ours: together.text, baseline: "1 s", ratio: together.seconds, target: .atMost(1)),
        ]
    }

    private func commands(
        _ database: PostgreSQLDatabase, at address: String, _ world: BenchWorld
    ) async throws -> [Report.Line] {
        let folder = world.folder.appending(path: "thousand")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let place = [
            "--plan", folder.appending(path: "farewell.yaml").path, "--state", folder.appending(path: "state").path,
            "--database", address,
        ]
        var (catalog, took) = (Latencies(), [Latencies(), Latencies(), Latencies()])
        let calls = [["init", "--force", "--subject", "people.id"], ["check"], ["preview", "--subject", Self.person]]
        for _ in 0..<world.rounds {
            try await database.withConnection { connection in
                try await catalog.time { _ = try await connection.run(SQLStatement(Self.columns)) }
            }
            for (number, call) in calls.enumerated() {
                took[number].add(try await CommandRun(call + place, log: folder.appending(path: "log")).took)
            }
        }
        return zip(zip(calls, took), [5.0, 5.0, 10.0]).map { call, limit in
            let (words, took) = call
            return Report.Line(
                what: "farewell \(words[0]), at most \(Int(limit)) s (in seconds)", ours: took.text,
                baseline: catalog.text, ratio: took.median.seconds, target: .atMost(limit))
        }
    }

    /// The user with a row in each table.
    private static let person = "00000000-0000-4000-8000-000000000001"

    private static let columns = """
        SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull FROM pg_class AS c
        JOIN pg_attribute AS a ON a.attrelid = c.oid
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
        """

    /// Tables in a tree eight wide below the people's own, each with a key to its parent, ten columns and an index.
    private static let thousandTables = """
        DO $$ BEGIN
        CREATE TABLE people (id uuid PRIMARY KEY, email text NOT NULL, name text, created_at timestamptz);
        INSERT INTO people VALUES ('\(person)', 'a@example.org');
        FOR n IN 1..999 LOOP
            EXECUTE format('CREATE TABLE table_%s (id uuid PRIMARY KEY, parent_id uuid NOT NULL REFERENCES %s (id) '
                'ON DELETE CASCADE, title text, body text, amount numeric(10,2), is_open boolean, data jsonb, '
                'started_at timestamptz, ended_at timestamptz, position integer)',
                n, CASE WHEN n <= 8 THEN 'people' ELSE 'table_' || (n / 8) END);
            EXECUTE format('CREATE INDEX ON table_%s (parent_id)', n);
            EXECUTE format('INSERT INTO table_%s (id, parent_id) VALUES (%L, %L)', n, '\(person)', '\(person)');
        END LOOP; END $$
        """
}
