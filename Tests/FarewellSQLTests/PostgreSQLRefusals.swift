// SPDX-License-Identifier: Apache-2.0
@testable import FarewellSQL

/// PostgreSQL's possible refusals while a subject's rows are erased.
enum PostgreSQLRefusals {
    static var all: [RefusalCase] { raised + rights + constraints + others + paths }

    private static let tables = [
        "CREATE TABLE users (id bigint PRIMARY KEY, email text)",
        """
        CREATE TABLE notes (id bigint PRIMARY KEY, user_id bigint REFERENCES users ON DELETE CASCADE, body text,
          CONSTRAINT short CHECK (length(body) < 30), CONSTRAINT single UNIQUE (body))
        """,
        "INSERT INTO users VALUES (1, 'canary-value')", "INSERT INTO notes VALUES (1, 1, 'canary-value'), (2, 1, 'other')",
    ]

    private static func function(_ name: String, _ body: String) -> String {
        "CREATE FUNCTION \(name) RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \(body); RETURN OLD; END $$"
    }

    private static func raising(_ state: String) -> String {
        function(
            "guard()",
            """
            RAISE EXCEPTION 'no: %', OLD.body USING ERRCODE = '\(state)', DETAIL = OLD.body, HINT = OLD.body,
            TABLE = OLD.body, COLUMN = OLD.body, CONSTRAINT = OLD.body, SCHEMA = OLD.body, DATATYPE = OLD.body
            """)
    }

    private static let trigger = "CREATE TRIGGER keep BEFORE DELETE ON notes FOR EACH ROW EXECUTE FUNCTION guard()"
    private static let never = ["Grant", "schema changed"]

    /// Names that a trigger's function has, with a schema and without one.
    private static let paths: [RefusalCase] = [
        RefusalCase(
            "SQL-12 a function names a table that is not in the search path", .postgresql,
            tables + [function("guard()", "INSERT INTO stats VALUES (1)"), trigger], ["DELETE FROM notes WHERE id = 1"], "42P01",
            says: ["stats", "keep of public.notes", "ALTER FUNCTION guard() SET search_path"]),
        RefusalCase(
            "SQL-12 a function names a column that another table of the path lacks", .postgresql,
            tables + [function("guard()", "UPDATE users SET seen = 1"), trigger], ["DELETE FROM notes WHERE id = 1"], "42703",
            says: ["seen", "ALTER FUNCTION guard() SET search_path"]),
        RefusalCase(
            "SQL-12 a function names a table of a schema that lacks it", .postgresql,
            tables + [function("guard()", "INSERT INTO public.stats VALUES (1)"), trigger], ["DELETE FROM notes WHERE id = 1"],
            "42P01", says: ["public.stats", "Correct the function"], not: ["search_path"]),
    ]

    private static let raised: [RefusalCase] =
        ["P0001", "42501", "23505", "23503", "40001", "26000", "0A000", "25P02", "22012", "57014", "XX000", "42601", "45000"].map {
            RefusalCase(
                "a row trigger raises \($0)", .postgresql, tables + [raising($0), trigger], ["DELETE FROM notes WHERE id = 1"], $0,
                says: ["A trigger of notes refused", $0, "guard()", "keep of public.notes"], not: never)
        } + [
            RefusalCase(
                "a trigger raises below a cascade", .postgresql, tables + [raising("42501"), trigger],
                ["DELETE FROM ONLY \"public\".\"users\" AS t WHERE id = 1"], "42501",
                says: ["A trigger of public.notes refused", "guard()", "keep of public.notes", "No right is missing."], not: never),
            RefusalCase(
                "SQL-12 a statement trigger raises after a cascade", .postgresql,
                tables + [
                    function("guard()", "RAISE EXCEPTION 'not by SQL' USING ERRCODE = '42501'"),
                    "CREATE TRIGGER keep AFTER DELETE ON notes FOR EACH STATEMENT EXECUTE FUNCTION guard()",
                ], ["DELETE FROM ONLY \"public\".\"users\" AS t WHERE id = 1"], "42501",
                says: ["A trigger refused the change with 42501", "Trigger: keep of public.notes"], not: never + ["of public.users"]),
            RefusalCase(
                "a statement trigger raises where there are no rows", .postgresql,
                [
                    "CREATE SCHEMA storage", "CREATE TABLE storage.objects (id bigint)",
                    """
                    CREATE FUNCTION storage.guard() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN RAISE EXCEPTION 'not by SQL' USING ERRCODE = '42501'; END $$
                    """,
                    "CREATE TRIGGER guard_objects BEFORE DELETE ON storage.objects FOR EACH STATEMENT EXECUTE FUNCTION storage.guard()",
                ], ["DELETE FROM ONLY \"storage\".\"objects\" WHERE id = 1"], "42501",
                says: ["A trigger of storage.objects refused", "storage.guard()", "guard_objects of storage.objects"], not: never),
            RefusalCase(
                "one of several tables of a statement", .postgresql, tables + [raising("42501"), trigger],
                ["WITH a AS (DELETE FROM notes RETURNING 1), b AS (UPDATE users SET email = '' RETURNING 1) SELECT count(*) FROM a"],
                "42501", says: ["one of the tables notes, users", "guard()", "Trigger: keep of public.notes"], not: never),
            RefusalCase(
                "a trigger's helper raises, called with a value", .postgresql,
                tables + [
                    "CREATE FUNCTION helper(text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '%', $1; END $$",
                    function("guard()", "EXECUTE format('SELECT helper(%L)', OLD.body)"), trigger,
                ], ["DELETE FROM notes"], "P0001", says: ["A trigger of notes refused", "guard()", "keep of public.notes"]),
            RefusalCase(
                "an assertion", .postgresql, tables + [function("guard()", "ASSERT false, OLD.body"), trigger],
                ["DELETE FROM notes"], "P0004", says: ["A trigger of notes refused", "keep of public.notes"]),
            RefusalCase(
                "a deferred trigger raises when the transaction ends", .postgresql,
                tables + [
                    raising("42501"),
                    "CREATE CONSTRAINT TRIGGER late AFTER DELETE ON notes INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION guard()",
                ], ["BEGIN", "DELETE FROM notes", "COMMIT"], "42501",
                says: ["when the transaction ended", "guard()", "late of public.notes"], not: never),
            RefusalCase(
                "a trigger divides by zero", .postgresql,
                tables + [function("guard()", "PERFORM length(OLD.body) / (length(OLD.body) - length(OLD.body))"), trigger],
                ["DELETE FROM notes"], "22012", says: ["table notes", "in the function guard()"]),
        ]

    private static let rights: [RefusalCase] = [
        RefusalCase(
            "a right is missing", .postgresql, tables + ["SET ROLE pg_monitor"], ["DELETE FROM notes"], "42501",
            says: ["notes", "Grant the missing right"], not: ["trigger"]),
        RefusalCase(
            "a right is missing in a trigger", .postgresql,
            tables + [
                "CREATE TABLE audit (body text)", function("guard()", "INSERT INTO audit VALUES (OLD.body)"), trigger,
                "GRANT SELECT, DELETE ON notes TO pg_monitor", "SET ROLE pg_monitor",
            ], ["DELETE FROM notes"], "42501",
            says: ["audit", "in the function guard()", "Grant the missing right", "keep of public.notes"]),
        RefusalCase(
            "row security refuses the new row", .postgresql,
            tables + [
                "ALTER TABLE notes ENABLE ROW LEVEL SECURITY",
                "CREATE POLICY own ON notes FOR ALL TO pg_monitor USING (true) WITH CHECK (body IS NOT NULL)",
                "GRANT SELECT, UPDATE ON notes TO pg_monitor", "SET ROLE pg_monitor",
            ], ["UPDATE notes SET body = NULL"], "42501", says: ["notes", "policy"], not: ["Grant"]),
    ]

    private static let constraints: [RefusalCase] = [
        RefusalCase(
            "CHECK by a key that is set to null", .postgresql,
            tables + [
                """
                CREATE TABLE seats (id bigint PRIMARY KEY, holder bigint REFERENCES users ON DELETE SET NULL,
                  note text DEFAULT 'canary-value', CONSTRAINT held CHECK (holder IS NOT NULL))
                """, "INSERT INTO seats VALUES (1, 1)",
            ], ["DELETE FROM users"], "23514", says: ["check constraint", "public.seats", "held"]),
        RefusalCase(
            "no partition for a key that is set to null", .postgresql,
            tables + [
                "CREATE TABLE visits (guest bigint REFERENCES users ON DELETE SET NULL) PARTITION BY LIST (guest)",
                "CREATE TABLE first_visits PARTITION OF visits FOR VALUES IN (1)", "INSERT INTO visits VALUES (1)",
            ], ["DELETE FROM users"], "23514", says: ["No partition takes", "public.visits", "add a partition"], not: ["constraint"]),
        RefusalCase(
            "a change within a partition that does not take the row", .postgresql,
            [
                "CREATE TABLE visits (guest bigint) PARTITION BY LIST (guest)",
                "CREATE TABLE first_visits PARTITION OF visits FOR VALUES IN (1)", "INSERT INTO visits VALUES (1)",
            ], ["UPDATE first_visits SET guest = NULL"], "23514", says: ["No partition takes", "first_visits"], not: ["constraint"]),
        RefusalCase(
            "NOT NULL by a key that is set to null", .postgresql,
            tables + [
                "CREATE TABLE seats (id bigint PRIMARY KEY, holder bigint NOT NULL REFERENCES users ON DELETE SET NULL)",
                "INSERT INTO seats VALUES (1, 1)",
            ], ["DELETE FROM users"], "23502", says: ["public.seats", "column holder"]),
        RefusalCase("UNIQUE", .postgresql, tables, ["UPDATE notes SET body = 'canary-value'"], "23505", says: ["public.notes", "single"]),
        RefusalCase(
            "EXCLUDE", .postgresql,
            [
                "CREATE TABLE stays (id bigint, during int4range, CONSTRAINT alone EXCLUDE USING gist (during WITH &&))",
                "INSERT INTO stays VALUES (1, '[1,2)'), (2, '[3,4)')",
            ], ["UPDATE stays SET during = '[1,9)'"], "23P01", says: ["exclusion", "public.stays", "alone"]),
        RefusalCase(
            "a foreign key", .postgresql,
            tables + ["CREATE TABLE bills (id bigint, payer bigint CONSTRAINT paid REFERENCES users)", "INSERT INTO bills VALUES (1, 1)"],
            ["DELETE FROM users"], "23503", says: ["foreign key", "public.bills", "paid"]),
        RefusalCase(
            "a deferred foreign key when the transaction ends", .postgresql,
            tables + [
                "CREATE TABLE bills (id bigint, payer bigint CONSTRAINT paid REFERENCES users INITIALLY DEFERRED)",
                "INSERT INTO bills VALUES (1, 1)",
            ], ["BEGIN", "DELETE FROM users", "COMMIT"], "23503", says: ["foreign key", "public.bills", "paid"]),
        RefusalCase(
            "a constraint of the table that a trigger writes to", .postgresql,
            tables + [
                "CREATE TABLE audit (body text, CONSTRAINT brief CHECK (length(body) < 3))",
                function("guard()", "INSERT INTO audit VALUES (OLD.body)"), trigger,
            ], ["DELETE FROM notes"], "23514", says: ["public.audit", "brief", "in the function guard()", "keep of public.notes"]),
        RefusalCase(
            "a constraint of the table that a rule writes to", .postgresql,
            tables + [
                "CREATE TABLE audit (body text, CONSTRAINT brief CHECK (length(body) < 3))",
                "CREATE RULE copy AS ON DELETE TO notes DO ALSO INSERT INTO audit VALUES (OLD.body)",
            ], ["DELETE FROM notes"], "23514", says: ["public.audit", "brief"]),
    ]

    private static let others: [RefusalCase] = [
        RefusalCase(
            "a generated column", .postgresql,
            [
                "CREATE TABLE people (id bigint, name text, handle text GENERATED ALWAYS AS (lower(name)) STORED)",
                "INSERT INTO people VALUES (1, 'canary-value')",
            ],
            ["UPDATE people SET handle = NULL"], "428C9", says: ["handle", "table people", "computed"]),
        RefusalCase(
            "no replica identity", .postgresql,
            [
                "CREATE TABLE feed (id bigint, body text)", "CREATE PUBLICATION out FOR TABLE feed",
                "INSERT INTO feed VALUES (1, 'canary-value')",
            ],
            ["DELETE FROM feed"], "55000", says: ["feed", "REPLICA IDENTITY"]),
        RefusalCase(
            "a value that does not fit its type", .postgresql, tables,
            ["UPDATE notes SET user_id = CAST(body AS bigint)"], "22P02", says: ["table notes"]),
        RefusalCase(
            "a file that is missing", .postgresql, tables, ["COPY notes FROM '/canary-value/missing'"], "58P01",
            says: ["could not open file", "foreign tables"], not: ["defect"]),
        RefusalCase(
            "a library that does not load, as after an upgrade under a running server", .postgresql, tables,
            ["CREATE FUNCTION lost() RETURNS integer LANGUAGE c AS '/canary-value/lost.so'"], "58P01",
            says: ["Restart the database server"], not: ["defect", "disk"]),
        RefusalCase(
            "a trigger's statement that is not SQL", .postgresql, tables + [function("guard()", "EXECUTE 'DELETE notes now'"), trigger],
            ["DELETE FROM notes"], "42601", says: ["in the function guard()", "Correct the function"]),
    ]
}
