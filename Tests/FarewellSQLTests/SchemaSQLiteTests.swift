// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation
import Testing

@Suite("The schema of a SQLite file")
struct SchemaSQLiteTests {
    @Test("an empty file has an empty schema")
    func empty() async throws {
        let schema = try await SchemaSQLiteFile.schema([])
        #expect(schema == Schema(dialect: .sqlite, tables: []))
    }

    @Test("the check constraints of a table are read from its text, with their names and the columns they may concern")
    func checks() {
        let checks = SQLiteExpression.checks(
            in: """
                CREATE TABLE t ("a)b" text CONSTRAINT said CHECK ("a)b" <> ')' /* ( */ AND length("a)b") < 9), -- CHECK (0)
                  [check] int default (1), C int, check(c > (1 + [check])), CHECK (broken
                """)
        #expect(checks.map(\.name) == ["said", nil])
        #expect(checks.map(\.text) == [#""a)b" <> ')' /* ( */ AND length("a)b") < 9"#, "c > (1 + [check])"])
        #expect(
            ["a)b", "check", "C", "d"].map { name in checks.map { $0.mentions(name) } } == [
                [true, false], [false, true], [false, true], [false, false],
            ])
    }

    @Test("the catalog reads the columns of an index from its text", arguments: ["", " WHERE lower(b) = 'on ('", " -- on t (x)"])
    func keys(_ rest: String) {
        let key = SQLiteExpression.key(ofIndex: "CREATE UNIQUE INDEX [on (a)] ON\n\"t (b)\" (lower(a), c COLLATE NOCASE)\(rest)")
        #expect(key?.text == "lower(a), c COLLATE NOCASE")
        #expect(key?.mentions("A") == true && key?.mentions("b") == false)
        #expect(SQLiteExpression.key(ofIndex: "") == nil)
        let condition = SQLiteExpression.condition(ofIndex: "CREATE UNIQUE INDEX i ON t (lower(a))\(rest)")
        #expect(condition?.text == (rest.contains("WHERE") ? "lower(b) = 'on ('" : nil))
        #expect(condition?.mentions("b") != false && condition?.mentions("a") != true)
    }

    @Test("the columns of an index do not include the order keywords of its parts, even when a column has such a name")
    func ordered() {
        let key = SQLiteExpression.key(ofIndex: "CREATE UNIQUE INDEX i ON t (lower(a) DESC, desc, \"b\" asc, asc desc)")
        #expect(key?.text == "lower(a) , desc, \"b\" , asc ")
        let plain = SQLiteExpression.key(ofIndex: "CREATE INDEX i ON t (lower(a) DESC)")
        #expect(plain?.mentions("a") == true && plain?.mentions("desc") == false)
        for odd in ["CREATE INDEX i ON t ()", "CREATE INDEX i ON t (desc)", "CREATE INDEX i ON t (a) WHERE"] {
            #expect(SQLiteExpression.key(ofIndex: odd) != nil && SQLiteExpression.condition(ofIndex: odd) == nil)
        }
    }

    @Test("the expression of a generated column is read past names, constraints and defaults that look like one")
    func generations() {
        let statement = """
            CREATE TABLE "as (" ("as" INT DEFAULT (1), b CHECK (b AS TEXT), [c ,] TEXT GENERATED ALWAYS AS (a || ')' /* ( */)
              STORED UNIQUE, d AS(coalesce(b, (0))) NOT NULL, PRIMARY KEY (b))
            """
        let found = SQLiteExpression.generations(in: statement)
        #expect(Set(found.keys) == ["c ,", "d"], "\(found)")
        #expect(found["d"]?.text == "coalesce(b, (0))" && found["d"]?.mentions("b") == true)
        #expect(SQLiteExpression.generations(in: "CREATE TABLE t (a").isEmpty)
    }

    @Test("columns have their type, kind, nullability, default and length, and whether they are computed")
    func columns() async throws {
        let table = try await SchemaSQLiteFile.table(
            "t",
            [
                """
                CREATE TABLE t (id INTEGER PRIMARY KEY, name NVARCHAR(40) NOT NULL DEFAULT 'x', at DATETIME, day DATE,
                  doc JSON, flag BOOLEAN, key UUID, amount NUMERIC(10, 2), ratio DOUBLE PRECISION, body BLOB, anything,
                  twice INT AS (id * 2), thrice BIGINT AS (id * 3) STORED, note varchar ( 12 ))
                """
            ])
        #expect(
            table.columns.map(\.name).joined(separator: " ")
                == "id name at day doc flag key amount ratio body anything twice thrice note")
        #expect(
            table.columns.map(\.kind) == [
                .integer, .text, .timestamp, .timestamp, .json, .boolean, .uuid, .number, .number, .bytes, .other,
                .integer, .integer, .text,
            ])
        #expect(
            table["name"]
                == SchemaColumn(
                    name: "name", type: "NVARCHAR(40)", kind: .text, isNullable: false, defaultExpression: "'x'",
                    maximumLength: 40))
        #expect(table["note"]?.maximumLength == 12)
        #expect(table["id"]?.isNullable == false)
        #expect(table.columns.filter(\.isGenerated).map(\.name) == ["twice", "thrice"])
        #expect(table.columns.map(\.generation) == [String?](repeating: nil, count: 11) + ["id * 2", "id * 3", nil])
        #expect(table.primaryKey == ["id"] && table.hasRowID)
        #expect(table.indexes == [SchemaIndex(name: "rowid", columns: ["id"], isUnique: true)])
    }

    @Test("BX-1 the catalog reads which columns treat differently written values as equal")
    func looseEquality() async throws {
        let schema = try await SchemaSQLiteFile.schema([
            """
            CREATE TABLE "t ""x" (a TEXT COLLATE NOCASE, "b ""x" TEXT collate/* */rtrim, c TEXT, d TEXT COLLATE BINARY,
              e TEXT DEFAULT 'collate nocase', f INT, g BLOB COLLATE "nocase", UNIQUE (c COLLATE NOCASE))
            """,
            "CREATE TABLE other (a TEXT)",
            "CREATE TABLE foreign_words (a TEXT COLLATE RTRIM, b TEXT COLLATE NOCASE, c TEXT)",
            // As a program leaves it that brings a collation of its own.
            "PRAGMA writable_schema = ON",
            "UPDATE sqlite_schema SET sql = replace(sql, 'RTRIM', 'phonebook') WHERE name = 'foreign_words'",
        ])
        let foreign = try #require(schema[TableName("foreign_words")])
        #expect(foreign.columns.map(\.looseEquality) == ["a collation that is not here", "NOCASE", nil])
        let table = try #require(schema[TableName("t \"x")])
        #expect(table.columns.map(\.looseEquality) == ["NOCASE", "RTRIM", nil, nil, nil, nil, "NOCASE"])
        #expect(schema[TableName("other")]?["a"]?.looseEquality == nil)
    }

    @Test("a foreign key names its target's real table and columns, in any letter case")
    func foreignKeys() async throws {
        let schema = try await SchemaSQLiteFile.schema([
            "CREATE TABLE People (Id TEXT, Realm TEXT, PRIMARY KEY (Realm, Id))",
            "CREATE TABLE One (Id INTEGER PRIMARY KEY)",
            """
            CREATE TABLE notes (a TEXT, b TEXT, one INT REFERENCES one ON DELETE SET NULL,
              lost INT REFERENCES nowhere (x) ON DELETE RESTRICT,
              FOREIGN KEY (A, B) REFERENCES people ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED)
            """,
        ])
        #expect(
            schema[TableName("notes")]?.foreignKeys == [
                ForeignKey(
                    columns: ["a", "b"], target: TableName("People"), targetColumns: ["Realm", "Id"],
                    onDelete: .cascade,
                    isDeferrable: true),
                ForeignKey(
                    columns: ["lost"], target: TableName("nowhere"), targetColumns: ["x"], onDelete: .restrict,
                    isDeferrable: true),
                ForeignKey(
                    columns: ["one"], target: TableName("One"), targetColumns: ["Id"], onDelete: .setNull,
                    isDeferrable: true),
            ])
    }

    @Test("the catalog reads unique, partial and expression parts of indexes; leaving out nulls is not partial")
    func indexes() async throws {
        let table = try await SchemaSQLiteFile.table(
            "t",
            [
                "CREATE TABLE t (a TEXT UNIQUE, b TEXT, c TEXT, PRIMARY KEY (b, c)) WITHOUT ROWID",
                "CREATE INDEX i1 ON t (lower(a), b)", "CREATE UNIQUE INDEX i2 ON t (c) WHERE a = 'x'",
                "CREATE INDEX i3 ON t (c) WHERE c IS NOT NULL", "CREATE UNIQUE INDEX i4 ON t (c, a)",
                "CREATE INDEX i5 ON t (b COLLATE nocase)",
            ])
        #expect(
            table.indexes == [
                SchemaIndex(name: "i1", columns: ["", "b"]),
                SchemaIndex(
                    name: "i2", columns: ["c"], isUnique: true, isPartial: true, definition: "c WHERE a = 'x'"),
                SchemaIndex(name: "i3", columns: ["c"]),
                SchemaIndex(name: "i4", columns: ["c", "a"], isUnique: true),
                SchemaIndex(name: "i5", columns: ["b"], collation: "NOCASE"),
                SchemaIndex(name: "sqlite_autoindex_t_1", columns: ["a"], isUnique: true),
                SchemaIndex(name: "sqlite_autoindex_t_2", columns: ["b", "c"], isUnique: true),
            ])
        #expect(table.uniqueKeys == [["c", "a"], ["a"]])
        #expect(table.primaryKey == ["b", "c"] && !table.hasRowID && table.rowIDName == nil)
        #expect(table.indexes[3].finds(by: ["a", "c"]) && !table.indexes[3].finds(by: ["a"]))
        #expect(!table.indexes[1].finds(by: ["c"]))
    }

    @Test("the hidden rowid gets a name that no column has")
    func rowID() async throws {
        let schema = try await SchemaSQLiteFile.schema([
            "CREATE TABLE one (RowID TEXT)", "CREATE TABLE two (rowid TEXT, _rowid_ TEXT, OID TEXT)",
        ])
        #expect(schema[TableName("one")]?.rowIDName == "_rowid_")
        #expect(schema[TableName("two")]?.rowIDName == nil)
    }

    @Test("the catalog reads the event of a trigger, whatever the trigger's name")
    func triggers() async throws {
        let table = try await SchemaSQLiteFile.table(
            "T",
            [
                "CREATE TABLE T (a TEXT)", "CREATE TABLE copies (a TEXT)",
                "CREATE TRIGGER \"delete\" AFTER UPDATE OF a ON t BEGIN DELETE FROM copies; END",
                "CREATE TRIGGER IF NOT EXISTS [on insert] /* not insert */ BEFORE DELETE ON t BEGIN SELECT 1; END",
                "CREATE TRIGGER plain INSERT ON t BEGIN INSERT INTO copies VALUES (new.a); END",
            ])
        #expect(table.triggers.map(\.name) == ["delete", "on insert", "plain"])
        #expect(table.triggers.map(\.events) == [["update"], ["delete"], ["insert"]])
        #expect(table.triggers[2].definition.contains("INSERT INTO copies"))
    }

    @Test("a full-text table counts with its text columns, but its internal tables and views do not")
    func virtual() async throws {
        let schema = try await SchemaSQLiteFile.schema([
            "CREATE VIRTUAL TABLE search USING fts5 (title, body)", "CREATE VIEW v AS SELECT 1 AS a",
            "CREATE TABLE farewells (a TEXT)",
        ])
        #expect(schema.tables.map(\.name.name) == ["farewells", "search"])
        #expect(schema.tables[1].kind == .virtual)
        #expect(schema.tables[1].columns.map(\.kind) == [.text, .text])
    }

    @Test("the control store's tables are left out; an app's tables with a similar prefix are not")
    func control() async throws {
        let schema = try await SchemaSQLiteFile.schema([
            "CREATE TABLE farewell_steps (a TEXT)", "CREATE TABLE Farewell_Events (a TEXT)",
            "CREATE TABLE farewell_notes (a TEXT)", "CREATE TABLE farewell_step (a TEXT)", "CREATE TABLE farewell (a TEXT)",
        ])
        #expect(schema.tables.map(\.name.name) == ["farewell", "farewell_notes", "farewell_step"])
    }

    @Test("SQL-13 a virtual table whose module is missing is not readable, and the other tables are read")
    func missingModule() async throws {
        let schema = try await SchemaSQLiteFile.schema([
            "CREATE TABLE fine (a TEXT)", "PRAGMA writable_schema = ON",
            """
            INSERT INTO sqlite_schema VALUES
              ('table', 'odd', 'odd', 0, 'CREATE VIRTUAL TABLE odd USING nowhere_to_be_found(x)')
            """,
        ])
        let odd = try #require(schema[TableName("odd")])
        #expect(odd.kind == .virtual && !odd.isReadable && odd.columns.isEmpty)
        #expect(odd.refusal?.contains("nowhere_to_be_found") == true, "\(odd)")
        #expect(schema[TableName("fine")]?.isReadable == true && schema[TableName("fine")]?.columns.count == 1)
    }

    @Test("hostile names survive the catalog unchanged", arguments: SchemaNames.hostile)
    func hostile(_ name: String) async throws {
        let quoted = SQLDialect.sqlite.quoted(name)
        let other = SQLDialect.sqlite.quoted(name + "2")
        let schema = try await SchemaSQLiteFile.schema([
            "CREATE TABLE \(quoted) (\(quoted) TEXT PRIMARY KEY)",
            "CREATE TABLE \(other) (\(quoted) TEXT REFERENCES \(quoted) ON DELETE CASCADE)",
            "CREATE INDEX \(SQLDialect.sqlite.quoted("i" + name)) ON \(other) (\(quoted))",
            "CREATE TRIGGER \(SQLDialect.sqlite.quoted("t" + name)) DELETE ON \(quoted) BEGIN SELECT 1; END",
        ])
        #expect(schema.tables.map(\.name.name).sorted() == [name, name + "2"].sorted())
        #expect(schema[TableName(name)]?.triggers.map(\.events) == [["delete"]])
        let key = ForeignKey(
            columns: [name], target: TableName(name), targetColumns: [name], onDelete: .cascade, isDeferrable: true)
        #expect(schema[TableName(name + "2")]?.foreignKeys == [key])
        #expect(schema[TableName(name + "2")]?.indexes.map(\.columns) == [[name]])
    }

    @Test("row estimates come from ANALYZE and do not affect the fingerprint")
    func estimates() async throws {
        let statements = [
            "CREATE TABLE t (a TEXT)", "CREATE INDEX i ON t (a)", "INSERT INTO t VALUES ('x'), ('y'), ('z')",
        ]
        let before = try await SchemaSQLiteFile.schema(statements)
        let after = try await SchemaSQLiteFile.schema(statements + ["ANALYZE"])
        #expect(before.tables.map(\.estimatedRows) == [nil])
        #expect(after.tables.map(\.estimatedRows) == [3])
        #expect(before.fingerprint == after.fingerprint && before.differences(to: after).isEmpty)
    }
}

/// A throw-away SQLite file.
enum SchemaSQLiteFile {
    static func with<Value: Sendable>(
        _ statements: [String], _ body: (any SQLDatabase) async throws -> Value
    ) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("schema-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("test.sqlite").path
        let maker = try SQLiteDatabase(path: path, configuration: SQLiteConfiguration(access: .createIfMissing))
        try await maker.withConnection { connection in
            for statement in statements { try await connection.run(statement) }
        }
        await maker.close()
        // Read by another than made it, so that nothing is remembered.
        let database = try SQLiteDatabase(path: path)
        do {
            let value = try await body(database)
            await database.close()
            return value
        } catch {
            await database.close()
            throw error
        }
    }

    static func schema(_ statements: [String]) async throws -> Schema {
        try await with(statements) { try await Schema.read(from: $0) }
    }

    static func table(_ name: String, _ statements: [String]) async throws -> SchemaTable {
        try #require(try await schema(statements)[TableName(name)])
    }
}

enum SchemaNames {
    /// Names that break careless quoting. None is longer than PostgreSQL's 63 bytes, a digit added.
    static let hostile = [
        "select", "na\"me", "a.b", "with space", "'; DROP TABLE x; --", "Ünïcødé 名前 🙂", "[x]", "`x`", "$1",
        "\\x",
        String(repeating: "x", count: 62), String(repeating: "é", count: 31), "{\"json\": [1]}", "a\nb\tc", "NULL",
        "A",
    ]
}
