// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("A table of another server")
struct ForeignTableTests {
    private static let tables = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE SCHEMA elsewhere;
        CREATE TABLE elsewhere.visits (id integer, person integer);
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
        INSERT INTO elsewhere.visits VALUES (1, 1), (2, 2);
        CREATE EXTENSION postgres_fdw;
        """

    @Test("OP-5 an erasure that a foreign table's server blocks ends with a temporary error that names the table, and resumes")
    func blocked() async throws {
        try await EngineFixture.with(.postgresql, Self.tables) { fixture in
            let server = try #require(URLComponents(string: fixture.address))
            try await fixture.run(
                """
                CREATE SERVER other FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '\(server.host ?? "")', \
                port '\(server.port ?? 0)', dbname '\(server.path.dropFirst())'); \
                CREATE USER MAPPING FOR PUBLIC SERVER other OPTIONS (user '\(server.user ?? "")'); \
                CREATE FOREIGN TABLE visits (id integer, person integer) SERVER other \
                OPTIONS (schema_name 'elsewhere', table_name 'visits')
                """)
            let plan = try await fixture.plan { plan in
                plan.tables.removeAll { $0.table.name == "visits" }
                let columns = ["id", "person"].map { TablePlan.PlannedColumn($0) }
                for schema in ["elsewhere", "public"] {
                    var entry = TablePlan(
                        table: TableName(schema: schema, "visits"), rule: schema == "public" ? .erase : .notPersonal,
                        columns: columns)
                    if schema == "public" {
                        entry.links = [
                            Link(columns: ["person"], target: fixture.name("people"), targetColumns: ["id"])
                        ]
                    }
                    plan.tables.append(entry)
                }
            }
            let engine = try await fixture.engine(plan)
            let other = try PostgreSQLDatabase(url: fixture.address)
            let limited = try PostgreSQLDatabase(
                url: fixture.address, configuration: PostgreSQLConfiguration(statementTimeout: .seconds(1)))
            try await other.withConnection { blocker in
                _ = try await blocker.run("BEGIN")
                _ = try await blocker.run("SELECT * FROM elsewhere.visits WHERE id = 1 FOR UPDATE")
                // On a busy machine the limit may end what comes before the accepting: then nothing has begun.
                var outcome: ErasureOutcome?
                while outcome == nil {
                    do {
                        outcome = try await engine.on(limited).erase(["1"]).first
                    } catch let error as FarewellError where error.code == "sql.57014" {}
                }
                let error = outcome?.error
                #expect(error?.code == "sql.57014" && error?.family == .tryAgain, "\(String(describing: outcome))")
                #expect(error?.message.contains("foreign table: public.visits.") == true, "\(String(describing: error))")
                #expect(error?.remedy?.contains("database.statement-timeout") == true)
                _ = try await blocker.run("ROLLBACK")
            }
            await other.close()
            await limited.close()
            #expect(try await engine.resume().map(\.word) == ["done"])
            #expect(try await fixture.rows("SELECT id FROM elsewhere.visits") == ["2"])
        }
    }
}
