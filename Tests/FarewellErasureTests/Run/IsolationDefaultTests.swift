// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellSQL
import TestFixtures
import Testing

@Suite("A database in which transactions do not see later commits")
struct IsolationDefaultTests {
    private static let script = """
        CREATE TABLE people (id integer PRIMARY KEY, email text NOT NULL);
        CREATE TABLE posts (id integer PRIMARY KEY, person integer NOT NULL REFERENCES people (id));
        CREATE INDEX ON posts (person);
        INSERT INTO people SELECT n, n || '@example.org' FROM generate_series(1, 24) AS n;
        INSERT INTO posts SELECT n, n FROM generate_series(1, 24) AS n;
        """

    @Test(
        "SQL-02 OP-2 simultaneous erasures all finish, and each audit entry follows the one before it",
        .timeLimit(.minutes(30)), arguments: ["repeatable read", "serializable"])
    func simultaneous(level: String) async throws {
        try await EngineFixture.with(.postgresql, Self.script) { fixture in
            let name = try await fixture.rows("SELECT current_database()")[0]
            try await fixture.run("ALTER DATABASE \(name) SET default_transaction_isolation = '\(level)'")
            let address = try TestPostgreSQL.address(database: name)
            let database = try PostgreSQLDatabase(url: address, configuration: .init(connectionWait: .seconds(120)))
            do {
                let plan = try await fixture.plan()
                let engine = try await fixture.engine(plan, on: database)
                let outcomes = try await withThrowingTaskGroup(of: [ErasureOutcome].self) { group in
                    for number in 1...24 { group.addTask { try await Self.erased("\(number)", by: engine) } }
                    return try await group.reduce(into: []) { $0 += $1 }
                }
                #expect(outcomes.map(\.word) == Array(repeating: "done", count: 24), "\(outcomes.compactMap(\.cause))")
                #expect(try await fixture.rows("SELECT id FROM people") == [])
                #expect(try await engine.verifyAudit() == 48)
            } catch {
                await database.close()
                throw error
            }
            await database.close()
        }
    }

    /// Asked again where the turn was waited for too long, on a machine that has much else to do.
    private static func erased(_ subject: String, by engine: ErasureEngine) async throws -> [ErasureOutcome] {
        while true {
            do {
                return try await engine.erase([subject])
            } catch let error as FarewellError where error.code == "sql.55P03" {}
        }
    }
}
