// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Testing

@Suite("PostgreSQL's catalog of constraints, triggers and publications")
struct SchemaDefinitionTests {
    private static func table(_ name: String, _ script: String) async throws -> SchemaTable {
        try await SchemaPostgreSQLTests.table(name, script)
    }

    @Test("SQL-21 the catalog reads condition and columns of checks, those of domains included")
    func checks() async throws {
        let table = try await Self.table(
            "t",
            """
            CREATE DOMAIN filled AS text CHECK (VALUE IS NOT NULL); CREATE DOMAIN named AS filled CHECK (VALUE <> 'x');
            CREATE TABLE t (a int, b named, c int CONSTRAINT positive CHECK (c > 0),
              CONSTRAINT one CHECK (a IS NOT NULL OR c IS NOT NULL));
            ALTER TABLE t ADD CONSTRAINT later CHECK (a < 5) NOT VALID
            """)
        #expect(
            table.checks == [
                SchemaCheck(name: "filled_check", condition: "(VALUE IS NOT NULL)", columns: ["b"], isOfDomain: true),
                SchemaCheck(name: "later", condition: "(a < 5)", columns: ["a"]),
                SchemaCheck(
                    name: "named_check", condition: "((VALUE)::text <> 'x'::text)", columns: ["b"], isOfDomain: true),
                SchemaCheck(name: "one", condition: "((a IS NOT NULL) OR (c IS NOT NULL))", columns: ["a", "c"]),
                SchemaCheck(name: "positive", condition: "(c > 0)", columns: ["c"]),
            ])
        #expect(table.checks[3].asksForNull("a") && !table.checks[4].asksForNull("c"))
    }

    @Test("the catalog reads which columns keys empty, how they match, their update action and when they are checked")
    func keys() async throws {
        let table = try await Self.table(
            "t",
            """
            CREATE TABLE people (realm int, id int, PRIMARY KEY (realm, id));
            CREATE TABLE t (realm int NOT NULL, a int, b int, c int,
              CONSTRAINT k1 FOREIGN KEY (realm, a) REFERENCES people ON DELETE SET NULL (a) ON UPDATE CASCADE,
              CONSTRAINT k2 FOREIGN KEY (b, c) REFERENCES people MATCH FULL DEFERRABLE INITIALLY DEFERRED)
            """)
        let keys = table.foreignKeys
        #expect(keys.map(\.setColumns) == [["a"], []] && keys.map(\.emptiedColumns) == [["a"], []])
        #expect(keys.map(\.matchesFull) == [false, true] && keys.map(\.isDeferred) == [false, true])
        #expect(keys.map(\.onUpdate) == [.cascade, .noAction])
    }

    @Test("SQL-22 the catalog reads columns and operators of exclusion constraints, and the columns of unique indexes")
    func exclusions() async throws {
        let table = try await Self.table(
            "t",
            """
            CREATE EXTENSION btree_gist;
            CREATE TABLE t (a text, b daterange, c int, CONSTRAINT e EXCLUDE USING gist (a WITH =, b WITH &&, (c + 1) WITH =)
              WHERE (c > 0), CONSTRAINT u UNIQUE (c) DEFERRABLE);
            CREATE UNIQUE INDEX i ON t (lower(a), c) WHERE c > 1
            """)
        let exclusion = try #require(table.exclusions.first)
        #expect(exclusion.columns == ["a", "b", ""] && exclusion.operators == ["=", "&&", "="])
        #expect(exclusion.definition.hasPrefix("EXCLUDE USING gist (a WITH =, b WITH &&"))
        #expect(table.indexes.map(\.name) == ["e", "i", "u"])
        #expect(table.indexes.map(\.definition) == ["", "lower(a), c WHERE (c > 1)", ""])
        #expect(table.indexes.map(\.isDeferrable) == [false, false, true])
    }

    @Test("the catalog reads the base type of a domain, and which columns name large objects")
    func largeObjects() async throws {
        let table = try await Self.table(
            "t", "CREATE DOMAIN lo AS oid; CREATE DOMAIN photo AS lo; CREATE TABLE t (a oid, b lo, c photo, d int, e bytea)")
        #expect(table.columns.map { $0.baseType == "oid" } == [true, true, true, false, false])
        #expect(table.columns.map(\.baseType) == ["oid", "oid", "oid", "int4", "bytea"])
    }

    @Test("SQL-19 the catalog reads the functions that triggers and rules call, and the functions that these call")
    func functions() async throws {
        let schema = try await SchemaPostgreSQLTests.schema(
            """
            CREATE SCHEMA deep; CREATE TABLE t (a int); CREATE TABLE log (a int);
            CREATE FUNCTION deep."Keep it"(int) RETURNS void LANGUAGE sql AS 'INSERT INTO log VALUES ($1)';
            CREATE FUNCTION step(int) RETURNS void LANGUAGE plpgsql AS 'BEGIN EXECUTE ''SELECT deep."Keep it" ($1)'' USING $1; END';
            CREATE FUNCTION steps(int) RETURNS void LANGUAGE sql AS 'SELECT 1';
            CREATE FUNCTION fire() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM STEP(OLD.a); RETURN OLD; END';
            CREATE FUNCTION atomic(int) RETURNS void LANGUAGE sql RETURN step($1);
            CREATE TRIGGER tr BEFORE DELETE ON t FOR EACH STATEMENT EXECUTE FUNCTION fire();
            CREATE RULE ru AS ON DELETE TO log DO INSTEAD SELECT atomic(old.a)
            """)
        let trigger = try #require(schema[TableName(schema: "public", "t")]?.triggers.first)
        #expect(trigger.functions.map(\.name) == ["deep.\"Keep it\"", "public.fire", "public.step"])
        #expect(trigger.statement.contains("public.fire()") && trigger.calledFunction == "public.fire")
        #expect(!trigger.isForEachRow && !trigger.isRule)
        let rule = try #require(schema[TableName(schema: "public", "log")]?.triggers.first)
        #expect(rule.functions.map(\.name) == ["deep.\"Keep it\"", "public.atomic", "public.step"])
        #expect(rule.isRule && rule.isInstead)
    }

    @Test("SQL-24 a table in a publication lists the changes that the server refuses, and the server does refuse them")
    func publications() async throws {
        try await TestDatabase.withPostgreSQL { database in
            let script = """
                CREATE TABLE keyed (a int PRIMARY KEY, b int, c int);
                CREATE TABLE bare (a int, b int);
                CREATE TABLE whole (a int, b int); ALTER TABLE whole REPLICA IDENTITY FULL;
                CREATE TABLE hidden (a int PRIMARY KEY, b int); ALTER TABLE hidden REPLICA IDENTITY NOTHING;
                CREATE TABLE slow (a int PRIMARY KEY DEFERRABLE, b int);
                CREATE TABLE other (a int PRIMARY KEY, b int NOT NULL UNIQUE); ALTER TABLE other REPLICA IDENTITY USING INDEX other_b_key;
                CREATE TABLE filtered (a int PRIMARY KEY, b int);
                CREATE TABLE listed (a int PRIMARY KEY, b int); ALTER TABLE listed REPLICA IDENTITY FULL;
                CREATE TABLE inserted (a int, b int);
                CREATE TABLE apart (a int, b int) PARTITION BY LIST (a); CREATE TABLE apart_1 PARTITION OF apart FOR VALUES IN (1);
                CREATE PUBLICATION p FOR TABLE keyed, bare, whole, hidden, slow, other, filtered WHERE (b > 0), listed (a), apart;
                CREATE PUBLICATION q FOR TABLE inserted WITH (publish = 'insert');
                CREATE PUBLICATION r FOR TABLE apart WITH (publish_via_partition_root)
                """
            try await SchemaPostgreSQLTests.run(script, database)
            let schema = try await Schema.read(from: database)
            for table in schema.tables where table.kind == .table || table.kind == .partition {
                let name = SQLDialect.postgresql.quoted(table.name.name)
                for (change, statement) in [
                    ("update", "UPDATE \(name) SET b = 1 WHERE a = -1"), ("delete", "DELETE FROM \(name) WHERE a = -1"),
                ] {
                    let isRefused = await refuses(statement, database)
                    #expect(
                        table.changesRefusedForReplication.contains(change) == isRefused, "\(change) of \(table.name)")
                }
            }
            let refused = schema.tables.filter { !$0.changesRefusedForReplication.isEmpty }.map(\.name.name)
            #expect(refused == ["apart_1", "bare", "filtered", "hidden", "listed", "slow"])
        }
    }

    private func refuses(_ statement: String, _ database: any SQLDatabase) async -> Bool {
        do {
            try await database.withConnection { _ = try await $0.run(SQLStatement(statement)) }
            return false
        } catch {
            return true
        }
    }

    @Test("event triggers, unfilled materialised views and publications that refuse nothing are listed and are no drift")
    func told() async throws {
        try await TestDatabase.withPostgreSQL { database in
            try await SchemaPostgreSQLTests.run(
                "CREATE TABLE t (a int PRIMARY KEY); CREATE MATERIALIZED VIEW seen AS SELECT a FROM t WITH NO DATA", database)
            let before = try await Schema.read(from: database)
            #expect(before[TableName(schema: "public", "seen")]?.isPopulated == false)
            try await database.withConnection { connection in
                for statement in [
                    "CREATE FUNCTION f() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END'",
                    "CREATE EVENT TRIGGER watch ON sql_drop EXECUTE FUNCTION f()", "CREATE PUBLICATION p FOR ALL TABLES",
                    "REFRESH MATERIALIZED VIEW seen", "CREATE INDEX ON t (a)", "COMMENT ON TABLE t IS 'x'", "ANALYZE t",
                    "CREATE STATISTICS s ON a, (a + 1) FROM t",
                ] { try await connection.run(statement) }
            }
            let after = try await Schema.read(from: database)
            #expect(after.eventTriggers == [SchemaEventTrigger(name: "watch", event: "sql_drop")])
            #expect(after[TableName(schema: "public", "seen")]?.isPopulated == true)
            #expect(after.fingerprint == before.fingerprint && before.differences(to: after).isEmpty)
        }
    }

    @Test("OP-6 an event trigger that an extension brings, as Citus does, is not the app's")
    func extensionsOwn() async throws {
        try await TestDatabase.withPostgreSQL { database in
            try await database.withConnection { connection in
                for statement in [
                    "CREATE FUNCTION f() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END'",
                    "CREATE EVENT TRIGGER brought ON sql_drop EXECUTE FUNCTION f()",
                    "ALTER EXTENSION plpgsql ADD EVENT TRIGGER brought",
                    "CREATE EVENT TRIGGER watch ON sql_drop EXECUTE FUNCTION f()",
                ] { try await connection.run(SQLStatement(statement)) }
            }
            #expect(try await Schema.read(from: database).eventTriggers == [SchemaEventTrigger(name: "watch", event: "sql_drop")])
        }
    }
}
