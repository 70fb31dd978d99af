// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellSQL
import Testing

/// A refusal by a database with a canary in every value that could leak.
struct RefusalCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let dialect: SQLDialect
    var setUp: [String]
    /// The last of them is refused.
    let statements: [String]
    let code: String
    /// The words of the error.
    let words: [String]
    /// The words that it must not contain, besides values.
    var silent: [String] = []

    static let canary = "canary-value"

    init(
        _ name: String, _ dialect: SQLDialect, _ setUp: [String], _ statements: [String], _ code: String, says words: [String],
        not silent: [String] = []
    ) {
        (testDescription, self.dialect, self.setUp, self.statements) = (name, dialect, setUp, statements)
        (self.code, self.words, self.silent) = (code, words, silent)
    }

    func check() async throws {
        try await (dialect == .sqlite ? TestDatabase.sqlite : .postgresql).with { database in
            let error = try await database.withConnection { connection -> FarewellError? in
                for text in setUp { try await connection.run(SQLStatement(text)) }
                for text in statements.dropLast() { try await connection.run(SQLStatement(text)) }
                return await #expect(throws: FarewellError.self, "\(testDescription)") {
                    try await connection.run(SQLStatement(statements.last ?? ""))
                }
            }
            let refused = try #require(error)
            let told = String(describing: await database.namingTrigger(in: refused))
            #expect(refused.code == .init(rawValue: "sql.\(code)"), "\(testDescription): \(refused.code)")
            for word in words { #expect(told.contains(word), "\(testDescription): \(word) is missing in: \(told)") }
            for word in silent + [Self.canary] { #expect(!told.contains(word), "\(testDescription): \(word) is told by: \(told)") }
        }
    }
}

@Suite("Refusals name the table and the constraint or trigger, and no value")
struct RefusalTests {
    @Test("SQL-12 SQL-29 PostgreSQL's refusals", arguments: PostgreSQLRefusals.all)
    func postgresql(_ refusal: RefusalCase) async throws { try await refusal.check() }

    @Test("SQL-11 SQL-13 SQL-29 SQLite's refusals", arguments: SQLiteRefusals.all)
    func sqlite(_ refusal: RefusalCase) async throws { try await refusal.check() }

    @Test("SQL-29 an error about a lock of another transaction names the table")
    func held() async throws {
        try await TestDatabase.withPostgreSQL { database in
            try await database.withConnection { first in
                try await first.run("CREATE TABLE notes (id bigint PRIMARY KEY)")
                try await first.run("INSERT INTO notes VALUES (1)")
                try await first.run("BEGIN")
                try await first.run("DELETE FROM notes")
                try await database.withConnection { second in
                    try await second.run("SET lock_timeout = '50ms'")
                    let error = await #expect(throws: FarewellError.self) { try await second.run("DELETE FROM notes") }
                    #expect(error?.code == "sql.55P03" && error?.message.contains("notes") == true, "\(String(describing: error))")
                }
                try await first.run("ROLLBACK")
            }
        }
    }

    @Test("SQL-29 the tables that a statement changes are read only from its words")
    func changed() {
        let cases: [(String, [String])] = [
            ("DELETE FROM ONLY \"public\".\"no\"\"tes\" AS t WHERE a = 'DELETE FROM x'", ["public.no\"tes"]),
            ("delete from notes", ["notes"]), ("UPDATE OR IGNORE `a b` SET x = 1", ["a b"]),
            ("WITH g AS (DELETE FROM a RETURNING 1), h AS (UPDATE \"b\" SET c = 1) INSERT INTO [c d] SELECT 1", ["a", "b", "c d"]),
            ("INSERT INTO t VALUES (1) ON CONFLICT DO UPDATE SET a = 1", ["t"]),
            ("SELECT * FROM t FOR NO KEY UPDATE OF t", []), ("SELECT 1 -- DELETE FROM t\n/* DELETE FROM u */", []),
            ("TRUNCATE TABLE ONLY public.t CASCADE", ["public.t"]), ("TRUNCATE", []),
            ("REPLACE INTO main.t VALUES (1)", ["main.t"]), ("", []), ("DELETE", []), ("UPDATE", []), ("'", []), ("DELETE FROM", []),
        ]
        for (text, names) in cases { #expect(ChangedTables(text).names == names, "\(text)") }
    }

    @Test("SQL-12 a context names the outermost function of a trigger and the table whose change called it")
    func context() {
        let guarded = "PL/pgSQL function guard() line 3 at RAISE"
        let cascade = "SQL statement \"DELETE FROM ONLY \"public\".\"notes\" WHERE $1 OPERATOR(pg_catalog.=) \"user_id\"\""
        let cases: [(String, String?, String?)] = [
            (guarded, "guard()", nil), ("\(guarded)\n\(cascade)", "guard()", "public.notes"), (cascade, nil, "public.notes"),
            (
                "PL/pgSQL function helper(text) line 1 at RAISE\nSQL statement \"SELECT helper(OLD.email)\"\n\(guarded)\n\(cascade)",
                "guard()", "public.notes"
            ),
            (
                "SQL statement \"INSERT INTO log VALUES ('canary')\"\n\(guarded)\n\(cascade)", "guard()", "public.notes"
            ),
            ("PL/Python function \"guard\"", "guard", nil), ("while deleting tuple (0,1) in relation \"notes\"", nil, "notes"),
            ("PL/pgSQL-Funktion guard() Zeile 3 bei RAISE", "guard()", nil), ("", nil, nil), ("\n\n", nil, nil),
        ]
        for (text, function, table) in cases {
            let context = PostgreSQLContext(text)
            #expect(context.function == function && context.table == table, "\(text): \(context)")
        }
    }
}
