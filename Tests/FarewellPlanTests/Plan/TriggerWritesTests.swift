// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// The tables that a trigger's text shows it to write, and in which way.
struct TriggerWritesTests {
    private static let tables = ["album", "album_user", "user_audit", "album_user_audit", "counts"]

    /// `user_audit insert` for each table that the trigger of this function writes.
    private static func found(_ body: String, _ statement: String = "", isForEachRow: Bool = true) -> [String] {
        let writes = writes(body, statement, isForEachRow: isForEachRow)
        return tables.flatMap { name in
            let table = TableName(schema: "public", name)
            let kinds: [(TriggerWrites.Kind, String)] = [(.insert, "insert"), (.update, "update"), (.delete, "delete")]
            return kinds.filter { writes.contain($0.0, table) }.map { "\(name) \($0.1)" }
        }
    }

    private static func writes(_ body: String, _ statement: String = "", isForEachRow: Bool = true) -> TriggerWrites {
        TriggerWrites(
            SchemaTrigger(
                name: "t", events: ["delete"], definition: body, statement: statement,
                functions: [SchemaFunction(name: "public.f", definition: body)], isForEachRow: isForEachRow))
    }

    @Test("PL-4 of a trigger with several statements each table is found, under its whole name alone")
    func several() {
        let two = """
            BEGIN
              INSERT INTO album_user_audit ("albumId") SELECT "albumId" FROM old;
              IF pg_trigger_depth() = 1 THEN UPDATE ONLY public.counts AS c SET n = n - 1 WHERE true; END IF;
              DELETE FROM ONLY "album" WHERE id = OLD.id;
              RETURN NULL;
            END
            """
        #expect(Self.found(two) == ["album delete", "album_user_audit insert", "counts update"])
        #expect(Self.found("INSERT INTO Counts VALUES (1) ON CONFLICT (id) DO UPDATE SET n = 2") == ["counts insert", "counts update"])
        #expect(Self.found("INSERT OR REPLACE INTO `counts` VALUES (1)") == ["counts insert", "counts delete"])
        #expect(Self.found("INSERT INTO other.counts VALUES (1); INSERT INTO \"Counts\" VALUES (1)") == [])
        #expect(Self.found("SELECT 'INSERT INTO counts' -- INSERT INTO counts\n FROM album FOR UPDATE") == [])
        #expect(Self.found("CREATE TRIGGER x AFTER UPDATE ON album BEGIN UPDATE OR IGNORE counts SET n = 1; END") == ["counts update"])
    }

    @Test("SQL-19 a truncated table counts as one whose rows are deleted, and the event of a trigger as none")
    func truncated() {
        #expect(Self.found("BEGIN TRUNCATE counts; RETURN NULL; END") == ["counts delete"])
        let both = "BEGIN TRUNCATE TABLE ONLY public.album, \"user_audit\" RESTART IDENTITY CASCADE; RETURN NULL; END"
        #expect(Self.found(both) == ["album delete", "user_audit delete"])
        #expect(Self.found("CREATE TRIGGER t BEFORE DELETE OR TRUNCATE ON counts EXECUTE FUNCTION f()") == [])
        #expect(Self.found("BEGIN IF TG_OP = 'TRUNCATE' THEN RETURN NULL; END IF; RETURN OLD; END") == [])
    }

    @Test("SQL-19 TRUNCATE in a text that a trigger runs empties the tables that it names, or any if it names none")
    func run() {
        func empties(_ body: String) -> [String] {
            let writes = Self.writes("BEGIN \(body); RETURN NULL; END")
            return Self.tables.filter { writes.empties(TableName(schema: "public", $0)) }
        }
        #expect(empties("EXECUTE 'TRUNCATE TABLE public.counts, album_user CASCADE'") == ["album_user", "counts"])
        #expect(empties("statement := 'TRUNCATE counts'; EXECUTE statement") == ["counts"])
        for open in ["format('TRUNCATE %I', name)", "'TRUNCATE ' || name", "'TRUNCATE public.' || name", "concat('TRUNCATE ', name)"] {
            #expect(empties("EXECUTE \(open)") == Self.tables, "\(open)")
        }
        // The event of a trigger, a text that nothing runs, and another statement.
        #expect(empties("IF TG_OP = 'TRUNCATE' THEN EXECUTE format('INSERT INTO %I VALUES (1)', name); END IF") == [])
        #expect(empties("RAISE NOTICE 'TRUNCATE counts'") == [])
        #expect(empties("EXECUTE 'INSERT INTO log VALUES (''truncated'')'") == [])
    }

    @Test("SQL-19 with a truncated table count those that inherit from it, and with CASCADE those with a key to it")
    func truncatedWith() {
        #expect(Self.emptied("TRUNCATE summaries") == ["older", "summaries", "summaries_2025"])
        #expect(Self.emptied("TRUNCATE summaries_2025") == ["older", "summaries", "summaries_2025"])
        #expect(
            Self.emptied("TRUNCATE summaries CASCADE")
                == ["lines", "older", "summaries", "summaries_2025", "words"])
        #expect(Self.emptied("TRUNCATE words CASCADE") == ["words"])
        #expect(Self.emptied("DELETE FROM summaries") == [])
        #expect(
            Self.emptied("EXECUTE 'TRUNCATE lines CASCADE'") == ["lines", "words"]
                && Self.emptied("EXECUTE format('TRUNCATE %I', TG_ARGV[0])").count == 7)
        #expect(Self.emptied("EXECUTE TG_ARGV[0]") == [])
    }

    /// The tables that a trigger with this statement empties: words belong to lines, and lines to summaries.
    private static func emptied(_ statement: String) -> [String] {
        func table(_ name: String, keyTo target: String? = nil, parent: String? = nil) -> SchemaTable {
            SchemaTable(
                name: TableName(schema: "public", name), parents: parent.map { [TableName(schema: "public", $0)] } ?? [],
                columns: [],
                foreignKeys: target.map {
                    [ForeignKey(columns: ["of"], target: TableName(schema: "public", $0), targetColumns: ["id"])]
                } ?? [])
        }
        var posts = table("posts", keyTo: "people")
        let function = SchemaFunction(name: "public.f", definition: "BEGIN \(statement); RETURN NULL; END")
        posts.triggers = [
            SchemaTrigger(
                name: "t", events: ["delete"], definition: function.definition, statement: "", functions: [function],
                isForEachRow: true)
        ]
        let schema = Schema(
            dialect: .postgresql,
            tables: [
                table("people"), posts, table("words", keyTo: "lines"), table("lines", keyTo: "summaries"),
                table("older", parent: "summaries_2025"), table("summaries_2025", parent: "summaries"),
                table("summaries"),
            ])
        return schema.truncated.map(\.name).sorted()
    }

    @Test("PL-4 a trigger that runs a text may write any table, and one for statements may do so without a changed row")
    func unbounded() {
        #expect(Self.writes("EXECUTE format('INSERT INTO %I VALUES (1)', name)").mayWriteOthers)
        #expect(!Self.writes("INSERT INTO counts VALUES (1)").mayWriteOthers)
        let created = "CREATE TRIGGER t AFTER DELETE ON public.album FOR EACH STATEMENT EXECUTE FUNCTION public.f()"
        #expect(Self.writes("INSERT INTO counts VALUES (1)", created, isForEachRow: false).isForStatement)
        let reading = created.replacing("FOR EACH", with: "REFERENCING OLD TABLE AS old FOR EACH")
        #expect(!Self.writes("INSERT INTO counts SELECT id FROM old", reading, isForEachRow: false).isForStatement)
        #expect(!Self.writes("INSERT INTO counts VALUES (1)", created).isForStatement)
    }
}
