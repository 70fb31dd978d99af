// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

/// SQLite files of apps that give their own connections functions and modules.
@Suite("Functions and modules that this SQLite lacks")
struct MissingPartTests {
    private static let tables = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE notes (id integer PRIMARY KEY, person integer REFERENCES people (id) ON DELETE CASCADE, body text);
        CREATE TABLE logs (id integer PRIMARY KEY, person integer REFERENCES people (id) ON DELETE CASCADE);
        CREATE INDEX of_note ON notes (person); CREATE INDEX of_log ON logs (person);
        CREATE INDEX by_word ON notes (lower(body));
        INSERT INTO people VALUES (1, 'a@example.org');
        """

    private func write(_ statements: [String], in fixture: EngineFixture) async throws {
        try await fixture.database.withConnection { connection in
            for statement in statements { _ = try await connection.run(SQLStatement(statement)) }
        }
    }

    @Test("SQL-13 check names the index and the trigger that call a function which this SQLite lacks")
    func functions() async throws {
        try await EngineFixture.with(.sqlite, Self.tables) { fixture in
            try await write(
                [
                    "CREATE TRIGGER told AFTER DELETE ON logs BEGIN SELECT app_log(OLD.id); END",
                    "PRAGMA writable_schema = ON",
                    "UPDATE sqlite_schema SET sql = replace(sql, 'lower(', 'app_lower(') WHERE name = 'by_word'",
                    "PRAGMA writable_schema = RESET",
                ], in: fixture)
            let found = try await fixture.findings(of: try await fixture.plan()).filter { $0.code == "schema.part-missing" }
            #expect(found.map { $0.table?.name } == ["logs", "notes"], "\(found)")
            let (log, note) = (try #require(found.first), try #require(found.last))
            #expect(log.message.contains("app_log") && log.message.contains("the trigger told of logs"), "\(log)")
            #expect(note.message.contains("app_lower") && note.message.contains("the index by_word of notes"), "\(note)")
            #expect(found.allSatisfy { $0.severity == .error })
        }
    }

    @Test("SQL-13 a virtual table whose module is missing is named by check, and the others are planned")
    func module() async throws {
        try await EngineFixture.with(.sqlite, Self.tables) { fixture in
            try await write(
                [
                    "PRAGMA writable_schema = ON",
                    """
                    INSERT INTO sqlite_schema VALUES ('table', 'odd', 'odd', 0, 'CREATE VIRTUAL TABLE odd USING vec0(x)')
                    """, "PRAGMA writable_schema = RESET",
                ], in: fixture)
            let plan = try await fixture.plan()
            #expect(plan.tables.map(\.table.name) == ["logs", "notes", "odd", "people"])
            let found = try await fixture.findings(of: plan)
            let odd = try #require(found.only("table.unreadable"), "\(found)")
            #expect(odd.table?.name == "odd" && odd.message.contains("vec0") && odd.severity == .warning)
            #expect(!found.contains { $0.severity == .error }, "\(found)")
        }
    }
}
