// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellSQL
import Testing

@Suite("The report of the first error")
struct FirstErrorTests {
    /// More statements than a connection keeps prepared, one of which breaks a constraint.
    private static func statements(_ count: Int, failingAt place: Int, _ round: Int) -> [SQLStatement] {
        (0..<count).map { number in
            number == place
                ? SQLStatement("UPDATE t SET a = -\(number + 1) WHERE a = 1")
                : SQLStatement("UPDATE t SET b = '\(round % 2) \(number)' WHERE a = 1")
        }
    }

    private static let table = [
        "CREATE TABLE t (a integer PRIMARY KEY, b text, CONSTRAINT positive CHECK (a > 0))", "INSERT INTO t VALUES (1, 'x')",
    ]

    @Test(
        "SCH-06 a pipeline with more statements than stay prepared fails with its own cause, however often it is tried",
        arguments: [(limit: 8, count: 30), (limit: 256, count: 700), (limit: 0, count: 30), (limit: 1, count: 5)])
    func pipelines(_ size: (limit: Int, count: Int)) async throws {
        let configuration = PostgreSQLConfiguration(maximumConnections: 1, preparedStatements: size.limit)
        try await TestDatabase.withPostgreSQL(configuration) { database in
            try await database.withConnection { connection in
                for text in Self.table { try await connection.run(SQLStatement(text)) }
                for round in 0..<6 {
                    for place in [0, size.count / 2, size.count - 1] {
                        let all = [SQLStatement("BEGIN")] + Self.statements(size.count, failingAt: place, round) + [SQLStatement("COMMIT")]
                        let error = await #expect(throws: FarewellError.self) { try await connection.pipeline(all) }
                        #expect(error?.code == "sql.23514", "round \(round), statement \(place): \(String(describing: error))")
                    }
                    let none = Self.statements(size.count, failingAt: -1, round)
                    #expect(try await connection.pipeline(none).map(\.affected) == Array(repeating: 1, count: size.count))
                }
                try await connection.run("SELECT 1")
                let held = try await connection.run("SELECT count(*) FROM pg_prepared_statements").scalar?.integer ?? -1
                #expect(held <= size.limit, "\(held) are prepared")
            }
        }
    }

    @Test("SCH-06 a transaction of more single statements than stay prepared also reports its cause")
    func statements() async throws {
        let configuration = PostgreSQLConfiguration(maximumConnections: 1, preparedStatements: 4)
        try await TestDatabase.withPostgreSQL(configuration) { database in
            for text in Self.table { try await database.withConnection { _ = try await $0.run(SQLStatement(text)) } }
            for round in 0..<5 {
                let error = await #expect(throws: FarewellError.self) {
                    try await database.transaction(attempts: 1) { connection in
                        for statement in Self.statements(20, failingAt: 15, round) { try await connection.run(statement) }
                    }
                }
                #expect(error?.code == "sql.23514", "\(String(describing: error))")
            }
            try await database.withConnection { try await $0.expect("SELECT b FROM t", gives: [[.text("x")]]) }
        }
    }

    @Test("SCH-06 a statement after an error in the same transaction fails with the same cause", arguments: TestDatabase.allCases)
    func afterwards(_ store: TestDatabase) async throws {
        try await store.with { database in
            try await database.withConnection { connection in
                for text in Self.table { try await connection.run(SQLStatement(text)) }
                if store == .sqlite { try await connection.run("PRAGMA max_page_count = 20") }
                let wrong = store == .sqlite ? "INSERT INTO t VALUES (2, zeroblob(1000000))" : "UPDATE t SET a = -1"
                try await connection.run("BEGIN")
                let first = await #expect(throws: FarewellError.self) { try await connection.run(SQLStatement(wrong)) }
                var later: [FarewellError?] = []
                for text in ["SELECT 1", "UPDATE t SET b = 'y'", "COMMIT"] {
                    do {
                        try await connection.run(SQLStatement(text))
                    } catch {
                        later.append(error as? FarewellError)
                    }
                }
                #expect(later.allSatisfy { $0 == first }, "\(later)")
                if store == .postgresql { #expect(later.count == 3) }
                _ = try? await connection.run("ROLLBACK")
                try await connection.expect("SELECT b FROM t", gives: [[.text("x")]])
            }
        }
    }

    @Test(
        "SCH-06 a trigger that raises the code of a forgotten or outdated statement, or of a failed transaction, is the reported cause",
        arguments: ["26000", "0A000", "25P02", "40001", "55P03", "08006", "57014", "57P01"])
    func misleading(_ state: String) async throws {
        try await TestDatabase.withPostgreSQL { database in
            try await database.withConnection { connection in
                for text in Self.table { try await connection.run(SQLStatement(text)) }
                try await connection.run(
                    SQLStatement(
                        """
                        CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS
                        $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '\(state)'; END $$
                        """))
                try await connection.run("CREATE TRIGGER no BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION no()")
                for _ in 1...3 {
                    let error = await #expect(throws: FarewellError.self) { try await connection.run("UPDATE t SET b = 'y'") }
                    #expect(error?.code == .init(rawValue: "sql.\(state)") && error?.message.contains("no()") == true)
                }
            }
        }
    }

    @Test("SCH-06 statements that the server forgot without notice are dropped without an error")
    func forgotten() async throws {
        let configuration = PostgreSQLConfiguration(maximumConnections: 1, preparedStatements: 4)
        try await TestDatabase.withPostgreSQL(configuration) { database in
            try await database.withConnection { connection in
                for round in 0..<4 {
                    for number in 0..<10 {
                        let text = "SELECT \(number)"
                        try await connection.expect(text, gives: [[.integer(Int64(number))]])
                    }
                    // Behind our back.
                    if round % 2 == 0 { try await connection.run("DO 'BEGIN EXECUTE ''DEALLOCATE ALL''; END'") }
                }
                let held = try await connection.run("SELECT count(*) FROM pg_prepared_statements").scalar?.integer ?? 99
                #expect(held <= 4)
            }
        }
    }

    @Test("SCH-06 a transaction repeated because of a collision reports its final error")
    func retried() async throws {
        try await TestDatabase.withPostgreSQL { database in
            for text in Self.table { try await database.withConnection { _ = try await $0.run(SQLStatement(text)) } }
            let error = await #expect(throws: FarewellError.self) {
                try await database.transaction { connection in
                    _ = try? await connection.run("UPDATE t SET a = -1")
                    try await connection.run("UPDATE t SET b = 'y'")
                }
            }
            #expect(error?.code == "sql.23514", "\(String(describing: error))")
        }
    }
}
