// SPDX-License-Identifier: Apache-2.0
import FarewellSample
import Testing

@Suite("Files of SQL statements")
struct SQLScriptTests {
    @Test("statements end at semicolons outside texts, names, comments and bodies")
    func split() {
        let script = SQLScript(
            """
            -- a comment; not a statement
            CREATE TABLE "a;b" (c text DEFAULT 'x;''y;'); /* neither; this */ ;;
            \\c other;
            INSERT INTO t VALUES ('--', "/*") -- here; too
              , ('é');
            CREATE FUNCTION f() AS $body$ BEGIN; END; $body$ LANGUAGE plpgsql;
            SELECT $1, 'open
            """)
        #expect(
            script.statements == [
                "CREATE TABLE \"a;b\" (c text DEFAULT 'x;''y;')",
                "INSERT INTO t VALUES ('--', \"/*\") -- here; too\n  , ('é')",
                "CREATE FUNCTION f() AS $body$ BEGIN; END; $body$ LANGUAGE plpgsql",
                "SELECT $1, 'open",
            ])
    }

    @Test("broken and empty files yield their readable part", arguments: ["", " ;; ", "--", "/*", "\\c x", "/* ; */ -- ;"])
    func empty(_ text: String) {
        #expect(SQLScript(text).statements.isEmpty)
    }

    @Test(
        "a file that is cut anywhere is read up to the cut",
        arguments: ["SELECT '", "SELECT \"a", "SELECT $", "SELECT $a$ b", "SELECT /*", "SELECT --", "SELECT $é$;"])
    func cutOff(_ text: String) {
        #expect(SQLScript(text).statements.first?.hasPrefix("SELECT") == true)
    }
}
