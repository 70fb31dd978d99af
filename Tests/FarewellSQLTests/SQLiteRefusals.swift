// SPDX-License-Identifier: Apache-2.0
@testable import FarewellSQL

/// SQLite's possible refusals while a subject's rows are erased.
enum SQLiteRefusals {
    static var all: [RefusalCase] { triggers + ownStatements + constraints + keys + indexes + mistakes }

    private static let tables = [
        "PRAGMA foreign_keys = ON", "CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT)",
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, user_id INTEGER REFERENCES users(id) ON DELETE CASCADE, body TEXT UNIQUE)",
        "INSERT INTO users VALUES (1, 'canary-value')", "INSERT INTO notes VALUES (1, 1, 'canary-value'), (2, 1, 'other')",
    ]

    private static func trigger(_ body: String, _ name: String = "keep") -> String {
        "CREATE TRIGGER \(name) BEFORE DELETE ON notes BEGIN \(body); END"
    }

    private static let triggers: [RefusalCase] =
        ["ABORT", "FAIL", "ROLLBACK"].flatMap { way in
            [
                RefusalCase(
                    "a trigger raises \(way)", .sqlite, tables + [trigger("SELECT RAISE(\(way), 'it''s the canary-value')")],
                    ["DELETE FROM notes"], "P0001", says: ["The trigger keep of notes refused", "the trigger's conditions"],
                    not: ["function"]),
                RefusalCase(
                    "a trigger raises \(way) below a cascade", .sqlite, tables + [trigger("SELECT RAISE(\(way), 'no')")],
                    ["DELETE FROM users"], way == "FAIL" ? "23503" : "P0001", says: ["trigger keep of notes refused"]),
            ]
        } + [
            RefusalCase(
                "two triggers raise the same", .sqlite,
                tables + [trigger("SELECT RAISE(ABORT, 'no')"), trigger("SELECT RAISE(ABORT, 'no')", "hold")], ["DELETE FROM users"],
                "P0001",
                says: ["keep of notes", "hold of notes"]),
            RefusalCase(
                "a trigger names a table that is gone", .sqlite, tables + [trigger("INSERT INTO audit VALUES (old.body)")],
                ["DELETE FROM notes"], "42P01", says: ["audit", "the trigger keep of notes"]),
        ]

    /// A statement of a trigger is refused, and not the one that fired it.
    private static let ownStatements: [RefusalCase] = [
        RefusalCase(
            "SQL-13 a trigger's own statement repeats a key", .sqlite,
            tables + ["CREATE TABLE cfg (k TEXT PRIMARY KEY)", trigger("INSERT INTO cfg VALUES ('canary-value')")],
            ["DELETE FROM users"], "23505",
            says: ["cfg.k", "a statement of the trigger keep of notes", "no rule of the plan"]),
        RefusalCase(
            "SQL-13 a trigger's own statement violates a check", .sqlite,
            tables + [
                "CREATE TABLE sizes (n INTEGER CONSTRAINT small CHECK (n < 10))", "INSERT INTO sizes VALUES (1)",
                trigger("UPDATE sizes SET n = 11"),
            ], ["DELETE FROM notes"], "23514", says: ["table sizes", "the trigger keep of notes", "no rule of the plan"]),
        RefusalCase(
            "SQL-13 a trigger's own statement writes a value of the wrong type", .sqlite,
            tables + ["CREATE TABLE numbers (n INTEGER) STRICT", trigger("INSERT INTO numbers VALUES ('canary-value')")],
            ["DELETE FROM notes"], "42804", says: ["table numbers", "the trigger keep of notes", "no rule of the plan"]),
        RefusalCase(
            "SQL-13 a trigger computes too great a number", .sqlite,
            tables + [trigger("SELECT abs(-9223372036854775808)")], ["DELETE FROM notes"], "XX000",
            says: ["integer overflow", "the trigger keep of notes", "Correct the trigger"]),
        RefusalCase(
            "SQL-13 a trigger's own row names a deleted one when the transaction ends", .sqlite,
            tables + [
                "CREATE TABLE lines (id INTEGER PRIMARY KEY, note INTEGER NOT NULL REFERENCES notes(id))",
                "CREATE TRIGGER keep AFTER DELETE ON notes BEGIN INSERT INTO lines (note) VALUES (old.id); END",
            ], ["BEGIN", "PRAGMA defer_foreign_keys = ON", "DELETE FROM notes", "COMMIT"], "23503",
            says: ["lines (note) to notes", "the trigger keep of notes may have written"]),
    ]

    private static let constraints: [RefusalCase] = [
        RefusalCase(
            "a named CHECK", .sqlite,
            ["CREATE TABLE t (a TEXT, CONSTRAINT brief CHECK (length(a) < 20))", "INSERT INTO t VALUES ('canary-value')"],
            ["UPDATE t SET a = a || a"], "23514", says: ["table t", "brief"]),
        RefusalCase(
            "a CHECK without a name, by a key that is set to null", .sqlite,
            tables + [
                """
                CREATE TABLE seats (id INTEGER PRIMARY KEY, holder INTEGER REFERENCES users(id) ON DELETE SET NULL,
                  CHECK (holder IS NOT NULL OR id > 9))
                """,
                "INSERT INTO seats VALUES (1, 1)",
            ], ["DELETE FROM users"], "23514", says: ["table seats", "holder IS NOT NULL"]),
        RefusalCase(
            "NOT NULL", .sqlite, ["CREATE TABLE t (a TEXT NOT NULL)", "INSERT INTO t VALUES ('canary-value')"], ["UPDATE t SET a = NULL"],
            "23502", says: ["t.a"]),
        RefusalCase("UNIQUE", .sqlite, tables, ["UPDATE notes SET body = 'canary-value'"], "23505", says: ["notes.body"]),
        RefusalCase(
            "a unique index of an expression", .sqlite,
            ["CREATE TABLE t (a TEXT)", "CREATE UNIQUE INDEX once ON t (lower(a))", "INSERT INTO t VALUES ('canary-value'), ('x')"],
            ["UPDATE t SET a = 'canary-value'"], "23505", says: ["table t", "once"]),
        RefusalCase(
            "a strict table", .sqlite, ["CREATE TABLE t (a INTEGER) STRICT", "INSERT INTO t VALUES (1)"],
            ["UPDATE t SET a = 'canary-value'"],
            "42804", says: ["table t", "t.a"]),
        RefusalCase(
            "a generated column", .sqlite, ["CREATE TABLE t (a TEXT, b TEXT AS (lower(a)))", "INSERT INTO t VALUES ('canary-value')"],
            ["UPDATE t SET b = NULL"], "XX000", says: ["generated column", "table t"]),
    ]

    private static let bills = ["CREATE TABLE bills (id INTEGER, payer INTEGER REFERENCES users(id))", "INSERT INTO bills VALUES (1, 1)"]

    private static let keys: [RefusalCase] = [
        RefusalCase("a foreign key", .sqlite, tables + bills, ["DELETE FROM users"], "23503", says: ["bills (payer) to users"]),
        RefusalCase(
            "a foreign key when the transaction ends", .sqlite, tables + bills,
            ["BEGIN", "PRAGMA defer_foreign_keys = ON", "DELETE FROM users", "COMMIT"], "23503", says: ["bills (payer) to users"]),
        RefusalCase(
            "a restricting key below a cascade", .sqlite,
            tables + ["CREATE TABLE stars (note INTEGER REFERENCES notes(id) ON DELETE RESTRICT)", "INSERT INTO stars VALUES (1)"],
            ["DELETE FROM users"], "23503", says: ["stars (note) to notes"]),
        RefusalCase(
            "SQL-13 a foreign key that fits no key", .sqlite,
            ["CREATE TABLE users (id INTEGER PRIMARY KEY, code TEXT)", "CREATE TABLE badges (code TEXT REFERENCES users(code))"],
            ["PRAGMA foreign_keys = ON", "DELETE FROM users"], "42830", says: ["badges", "users", "unique index"]),
    ]

    private static let notes = [
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT)", "INSERT INTO notes VALUES (1, 'canary-value words'), (2, 'beta')",
    ]

    private static let indexes: [RefusalCase] = [
        RefusalCase(
            "SQL-11 a full-text index that is out of step", .sqlite,
            notes + [
                "CREATE VIRTUAL TABLE notes_fts USING fts5(body, content='notes', content_rowid='id')",
                """
                CREATE TRIGGER notes_ad AFTER DELETE ON notes BEGIN
                  INSERT INTO notes_fts(notes_fts, rowid, body) VALUES ('delete', old.id, old.body); END
                """,
            ], ["DELETE FROM notes WHERE id = 1"], "XX002",
            says: [
                "full-text index notes_fts", "does not match its source rows", "notes_ad of notes",
                "INSERT INTO notes_fts(notes_fts) VALUES('rebuild')",
            ],
            not: ["Restore"]),
        RefusalCase(
            "SQL-29 a trigger deletes from a full-text index without content", .sqlite,
            notes + [
                "CREATE VIRTUAL TABLE notes_tri USING fts5(body, content='')",
                "INSERT INTO notes_tri(rowid, body) VALUES (1, 'canary-value words')",
                "CREATE TRIGGER notes_ad AFTER DELETE ON notes BEGIN DELETE FROM notes_tri WHERE rowid = old.id; END",
            ], ["DELETE FROM notes WHERE id = 1"], "0A000", says: ["notes_tri", "notes_ad of notes", "'delete'"]),
    ]

    private static let mistakes: [RefusalCase] = [
        RefusalCase(
            "a trigger hands malformed JSON to a function", .sqlite,
            notes + ["CREATE TRIGGER keep BEFORE DELETE ON notes BEGIN SELECT json_extract(old.body, '$.a'); END"],
            ["DELETE FROM notes"], "XX000", says: ["malformed JSON", "table notes", "the trigger keep of notes"]),
        RefusalCase(
            "triggers that call each other without end", .sqlite,
            notes + [
                "PRAGMA recursive_triggers = ON",
                "CREATE TRIGGER again AFTER UPDATE ON notes BEGIN UPDATE notes SET body = body || 'x'; END",
            ], ["UPDATE notes SET body = 'a'"], "XX000", says: ["too many levels of trigger recursion", "notes"]),
        RefusalCase(
            "a chain of cascades longer than SQLite follows", .sqlite,
            [
                "PRAGMA foreign_keys = ON",
                "CREATE TABLE tree (id INTEGER PRIMARY KEY, parent INTEGER UNIQUE REFERENCES tree(id) ON DELETE CASCADE)",
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200) "
                    + "INSERT INTO tree SELECT i, nullif(i - 1, 0) FROM n",
            ], ["DELETE FROM tree WHERE id = 1"], "XX000",
            says: ["too many levels of trigger recursion", "tree", "every 500th row"]),
        RefusalCase(
            "a view", .sqlite, notes + ["CREATE VIEW texts AS SELECT body FROM notes"], ["DELETE FROM texts"], "XX000",
            says: ["texts"]),
    ]
}
