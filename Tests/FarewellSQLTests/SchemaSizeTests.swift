// SPDX-License-Identifier: Apache-2.0
import FarewellSQL
import Testing

@Suite("Large schemas")
struct SchemaSizeTests {
    /// Seconds depend on what else the machine does, so growth is held: a query for each pair of tables would
    /// take a hundred times as long. The time itself is printed; it is a quarter of a second on an idle machine.
    @Test("reading ten times the tables takes about ten times as long", arguments: TestDatabase.allCases)
    func growth(_ store: TestDatabase) async throws {
        let small = try await Self.time(toRead: 100, store)
        let large = try await Self.time(toRead: 1000, store)
        print("\(store.rawValue): 1,001 tables read and fingerprinted in \(large)")
        #expect(large < small * 40)
        #expect(large < .seconds(10))
    }

    /// The shortest of three.
    private static func time(toRead count: Int, _ store: TestDatabase) async throws -> Duration {
        let clock = ContinuousClock()
        let times = Times()
        try await store.with { database in
            try await database.withConnection { connection in
                for statement in ["BEGIN"] + statements(count) + ["COMMIT"] { try await connection.run(statement) }
            }
            for _ in 0..<3 {
                let start = clock.now
                let schema = try await Schema.read(from: database)
                let fingerprint = schema.fingerprint
                await times.add(clock.now - start)
                #expect(schema.tables.count == count + 1 && fingerprint.count == 71)
                #expect(schema.tables.filter { $0.foreignKeys.count == 1 }.count == count)
            }
        }
        return try #require(await times.shortest)
    }

    private actor Times {
        private(set) var shortest: Duration?
        func add(_ time: Duration) { shortest = min(shortest ?? time, time) }
    }

    private static func statements(_ count: Int) -> [String] {
        ["CREATE TABLE root (id uuid PRIMARY KEY, email text UNIQUE)"]
            + (0..<count).flatMap { number in
                [
                    """
                    CREATE TABLE t\(number) (id uuid PRIMARY KEY, root_id uuid REFERENCES root (id) ON DELETE CASCADE,
                      name varchar(40), note text DEFAULT 'x', n integer, at timestamp DEFAULT CURRENT_TIMESTAMP,
                      doc json, flag boolean NOT NULL DEFAULT false, amount numeric(10, 2), code text UNIQUE)
                    """,
                    "CREATE INDEX i\(number) ON t\(number) (root_id)",
                ]
            }
    }
}
