// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellPlan
import FarewellSQL
import Foundation

/// `farewell check` on a schema of a thousand tables: reading it and comparing a plan with it.
struct ThousandTables: Comparison {
    let name = "check"
    let title = "reading and checking a schema of 1,000 tables; the baseline is the limit of one second"

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        let name = "bench_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
        try await world.administer("CREATE DATABASE \(name)")
        do {
            let database = try PostgreSQLDatabase(url: world.address(of: name))
            let line = try await measure(database, world)
            await database.close()
            try await world.administer("DROP DATABASE \(name) WITH (FORCE)")
            return line
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

    /// Tables in a tree eight wide below the people's own, each with a key to its parent, ten columns and an index.
    private static let thousandTables = """
        DO $$ BEGIN
        CREATE TABLE people (id uuid PRIMARY KEY, email text NOT NULL, name text, created_at timestamptz);
        FOR n IN 1..999 LOOP
            EXECUTE format('CREATE TABLE table_%s (id uuid PRIMARY KEY, parent_id uuid NOT NULL REFERENCES %s (id) '
                'ON DELETE CASCADE, title text, body text, amount numeric(10,2), is_open boolean, data jsonb, '
                'started_at timestamptz, ended_at timestamptz, position integer)',
                n, CASE WHEN n <= 8 THEN 'people' ELSE 'table_' || (n / 8) END);
            EXECUTE format('CREATE INDEX ON table_%s (parent_id)', n);
        END LOOP; END $$
        """
}
