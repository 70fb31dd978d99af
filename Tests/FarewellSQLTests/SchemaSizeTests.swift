// SPDX-License-Identifier: Apache-2.0
import FarewellSQL
import Synchronization
import Testing

@Suite("Large schemas")
struct SchemaSizeTests {
    /// Seconds depend on the machine's other work (`make bench` measures them); a schema is slow to read because of a query for each table.
    @Test("a thousand tables are read with as many queries as ten", arguments: TestDatabase.allCases)
    func growth(_ store: TestDatabase) async throws {
        let few = try await Self.questions(toRead: 10, store)
        #expect(few > 0 && few <= 12)
        #expect(try await Self.questions(toRead: 1000, store) == few)
    }

    private static func questions(toRead count: Int, _ store: TestDatabase) async throws -> Int {
        let asked = Mutex(0)
        try await store.with { database in
            try await database.withConnection { connection in
                for statement in ["BEGIN"] + statements(count) + ["COMMIT"] { try await connection.run(statement) }
                let schema = try await Schema.read(from: Listening(connection: connection) { asked.withLock { $0 += 1 } })
                #expect(schema.tables.count == count + 1 && schema.fingerprint.count == 74)
                #expect(schema.tables.filter { $0.foreignKeys.count == 1 }.count == count)
            }
        }
        return asked.withLock(\.self)
    }

    /// Tells of every statement that asks something; beginning and ending a transaction asks nothing.
    private struct Listening: SQLConnection {
        let connection: any SQLConnection
        let tell: @Sendable () -> Void
        var dialect: SQLDialect { connection.dialect }

        func run(_ statement: SQLStatement) async throws -> SQLResult {
            hear(statement)
            return try await connection.run(statement)
        }

        func pipeline(_ statements: [SQLStatement]) async throws -> [SQLResult] {
            statements.forEach(hear)
            return try await connection.pipeline(statements)
        }

        private func hear(_ statement: SQLStatement) {
            let text = statement.text.drop(while: \.isWhitespace)
            if ["SELECT", "WITH"].contains(where: text.hasPrefix) { tell() }
        }
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
