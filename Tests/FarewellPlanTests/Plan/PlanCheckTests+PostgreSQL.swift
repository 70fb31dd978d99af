// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellPlan
import FarewellSQL
import Testing

extension PlanCheckTests {
    /// Cases that only PostgreSQL would refuse or do, and only in the middle of a run.
    static let postgresql: [CheckCase] = [
        CheckCase("a hash of an enum", "column.hash-unfit") { plan, schema in
            schema.edit("public.invoices") { $0.columns[3] = mood }
            plan.edit("public.invoices") { $0.columns[3].rule = .keyedHash }
        },
        CheckCase("a constant that is no label of the enum", "column.constant-unfit") { plan, schema in
            schema.edit("public.invoices") { $0.columns[3] = mood }
            plan.edit("public.invoices") { $0.columns[3].rule = .constant("gone") }
        },
        CheckCase("an expression that may yield no label of the enum", "column.expression-unfit") { plan, schema in
            schema.edit("public.invoices") { $0.columns[3] = mood }
            plan.edit("public.invoices") { $0.columns[3].rule = .expression(.call(.upper, [.column("city")])) }
        },
        CheckCase("a number in an expression that an integer does not hold", "column.expression-unfit") { plan, _ in
            plan.edit("public.invoices") {
                $0.columns[3].rule = .expression(.call(.left, [.column("city"), .integer(99_999_999_999)]))
            }
        },
        CheckCase("a number in an expression that is too small for an integer", "column.expression-unfit") { plan, _ in
            plan.edit("public.invoices") {
                $0.columns[3].rule = .expression(.call(.concat, [.column("city"), .integer(-2_147_483_649)]))
            }
        },
        CheckCase("null in a column that is unique, nulls as well", "column.null-not-unique") { _, schema in
            schema.edit("public.invoices") {
                $0.indexes.append(.init(name: "u", columns: ["city"], isUnique: true, areNullsEqual: true))
            }
        },
        CheckCase("null and a constant in a key that takes nulls for equal", "column.null-not-unique") { _, schema in
            schema.edit("public.invoices") {
                $0.indexes.append(.init(name: "u", columns: ["city", "zip"], isUnique: true, areNullsEqual: true))
            }
        },
        CheckCase("null in a key that others keep apart, or not", "column.null-not-unique", .note) { _, schema in
            schema.edit("public.invoices") {
                $0.indexes.append(.init(name: "u", columns: ["total", "city"], isUnique: true, areNullsEqual: true))
            }
        },
        CheckCase("a path into text, which may be no JSON", "link.type") { plan, schema in
            schema.edit("public.posts") { $0.columns.append(.init(name: "meta", type: "text", kind: .text)) }
            plan.edit("public.posts") { entry in
                entry.columns.append(.init("meta", .notPersonal))
                let users = TableName(schema: "auth", "users")
                entry.links.append(Link(columns: ["meta"], path: ["by"], target: users, targetColumns: ["id"]))
            }
        },
        CheckCase("no right to the schema", "right.missing") { _, schema in
            schema.edit("public.profiles") { $0.missingRights = ["usage"] }
        },
        CheckCase("no right to the schema of a table that is not personal", "right.missing", .warning) { _, schema in
            schema.edit("public.countries") { $0.missingRights = ["usage"] }
        },
        CheckCase("an index that finds no equal values", "index.missing", .warning) { _, schema in
            schema.edit("public.posts") { $0.indexes[0].method = "brin" }
        },
        CheckCase("an index that only holds the column as well", "index.missing", .warning) { _, schema in
            schema.edit("public.posts") { $0.indexes[0].columns = ["body", "author_id"] }
        },
        CheckCase("a subject's key that is one however it is written", "subject.loose") { _, schema in
            schema.edit("auth.users") { $0.columns[0].looseEquality = "citext" }
        },
        CheckCase("a subject's key of bytes", "subject.unfit-key") { _, schema in
            schema.edit("auth.users") { $0.columns[0].kind = .bytes }
        },
        CheckCase("a subject's key of a type that no request can name", "subject.unfit-key") { _, schema in
            schema.edit("auth.users") { $0.columns[0].labels = ["a", "b"] }
        },
        CheckCase("a key into one partition, by what is unique there only", "key.into-partition", .note) { plan, schema in
            var partition = SchemaSketch.table("public.posts_1", kind: .partition, "id uuid pk", "body text unique")
            partition.parents = [TableName(schema: "public", "posts")]
            schema.tables.append(partition)
            schema.edit("public.posts") { $0.kind = .partitioned }
            schema.edit("public.matches") { table in
                table.columns.append(.init(name: "about", type: "text", kind: .text))
                table.foreignKeys.append(
                    ForeignKey(columns: ["about"], target: partition.name, targetColumns: ["body"]))
            }
            plan.edit("public.matches") { $0.columns.append(.init("about")) }
        },
        CheckCase("a link by a type that is compared with itself only", "link.type") { _, schema in
            schema.edit("public.posts") { table in
                for place in table.columns.indices where table.columns[place].name == "author_id" {
                    (table.columns[place].type, table.columns[place].kind) = ("inet", .other)
                }
            }
        },
        CheckCase("a link by values that only another program compares", "link.loose") { _, schema in
            schema.edit("public.posts") { table in
                for place in table.columns.indices where table.columns[place].name == "author_id" {
                    table.columns[place].looseEquality = "a collation that is not here"
                }
            }
        },
        CheckCase("a link of text to an address, which may be written in several ways", "link.loose") { plan, schema in
            Self.addAddresses(&plan, &schema, Link(columns: ["body"], target: Self.addresses, targetColumns: ["address"]))
        },
        CheckCase("a link of JSON to an address, which may be written in several ways", "link.loose") { plan, schema in
            schema.edit("public.posts") { $0.columns.append(.init(name: "meta", type: "jsonb", kind: .json)) }
            plan.edit("public.posts") { $0.columns.append(.init("meta", .notPersonal)) }
            Self.addAddresses(
                &plan, &schema, Link(columns: ["meta"], path: ["from"], target: Self.addresses, targetColumns: ["address"]))
        },
        CheckCase("a path into JSON, which no index serves", "index.none-for-path", .warning) { plan, schema in
            schema.edit("public.posts") { $0.columns.append(.init(name: "meta", type: "jsonb", kind: .json)) }
            plan.edit("public.posts") { entry in
                entry.columns.append(.init("meta", .notPersonal))
                let users = TableName(schema: "auth", "users")
                entry.links.append(Link(columns: ["meta"], path: ["by"], target: users, targetColumns: ["id"]))
            }
        },
        CheckCase("a trigger that keeps what is deleted in a row that is there", "trigger.copies", .warning) { _, schema in
            let body = "BEGIN UPDATE audit.log SET was = OLD.display_name WHERE id = OLD.id; RETURN OLD; END"
            schema.edit("public.profiles") { $0.triggers = [.init(name: "audit", events: ["delete"], definition: body)] }
        },
        CheckCase("a trigger that empties a table", "trigger.truncates", .warning) { _, schema in
            let body = "BEGIN TRUNCATE audit.log; RETURN OLD; END"
            schema.edit("public.profiles") { $0.triggers = [.init(name: "tidy", events: ["delete"], definition: body)] }
        },
        CheckCase("a trigger that runs a text which empties a table", "trigger.truncates", .warning) { _, schema in
            let body = "BEGIN EXECUTE format('TRUNCATE %I', TG_ARGV[0]); RETURN OLD; END"
            schema.edit("public.profiles") { $0.triggers = [.init(name: "tidy", events: ["delete"], definition: body)] }
        },
        CheckCase("a trigger that runs a text from elsewhere", "trigger.unreadable", .warning) { _, schema in
            let body = "BEGIN IF TG_OP = 'DELETE' THEN EXECUTE TG_ARGV[0]; END IF; RETURN OLD; END"
            schema.edit("public.profiles") { $0.triggers = [.init(name: "tidy", events: ["delete"], definition: body)] }
        },
    ]

    private static let addresses = TableName(schema: "public", "addresses")

    /// Adds a table of people's addresses, and a link of posts to it.
    private static func addAddresses(_ plan: inout Plan, _ schema: inout Schema, _ link: Link) {
        var table = SchemaSketch.table("public.addresses", "id uuid pk", "owner_id uuid -> auth.users.id cascade")
        table.columns.append(.init(name: "address", type: "inet", kind: .other))
        schema.tables.append(table)
        let owner = Link(
            columns: ["owner_id"], target: TableName(schema: "auth", "users"), targetColumns: ["id"], onDelete: .cascade)
        plan.tables.append(
            TablePlan(
                table: table.name, rule: .erase, links: [owner], columns: [.init("id"), .init("owner_id"), .init("address")]))
        plan.edit("public.posts") { $0.links.append(link) }
    }

    @Test("an index of any kind on equality is enough", arguments: ["btree", "hash", "brin", "gin", "gist", "spgist"])
    func methods(_ method: String) throws {
        let (plan, good) = try Self.good()
        var schema = good
        schema.edit("public.posts") { $0.indexes[0].method = method }
        let found = PlanCheck.findings(plan, schema).map(\.code.rawValue)
        #expect(found.isEmpty == ["btree", "hash"].contains(method) && found.allSatisfy { $0 == "index.missing" }, "\(found)")
    }

    @Test("the remedy for a schema without the right to use it can be pasted")
    func usage() throws {
        let (plan, good) = try Self.good()
        var schema = good
        schema.role = SchemaRole(name: "the-app")
        schema.edit("public.profiles") { $0.missingRights = ["usage", "delete"] }
        let remedies = PlanCheck.findings(plan, schema).map(\.remedy)
        #expect(
            remedies == [
                #"Grant it: GRANT USAGE ON SCHEMA "public" TO "the-app"."#,
                #"Grant it: GRANT DELETE ON "public"."profiles" TO "the-app"."#,
            ])
    }

    private static let writes = [
        ("CREATE TRIGGER t AFTER UPDATE OF a ON notes BEGIN UPDATE OR IGNORE log SET a = old.a||''; END", "log"),
        ("BEGIN\n  UPDATE ONLY \"my log\" AS l\n  SET who = jsonb_build_object('n', OLD.name); RETURN NULL; END", "my log"),
        ("CREATE RULE k AS ON UPDATE TO public.t DO ALSO UPDATE audit.log SET was = old.a WHERE id = old.id", "audit.log"),
        ("BEGIN UPDATE log SET n = 1, was = (SELECT OLD.a WHERE true) WHERE id = 1; RETURN OLD; END", "log"),
        ("BEGIN /* it's */ RAISE NOTICE E'it\\'s'; UPDATE log SET was = OLD; RETURN OLD; END", "log"),
        ("BEGIN IF TG_OP = 'DELETE' THEN REPLACE INTO old_notes VALUES (OLD.a); END IF; END", "old_notes"),
    ]

    @Test("a trigger that writes the old row elsewhere is named with its table, whatever its words", arguments: writes)
    func copied(_ definition: String, _ table: String) throws {
        let messages = try Self.triggerFindings(definition).map(\.message)
        #expect(messages.count == 1 && messages.allSatisfy { $0.contains(table) }, "\(messages)")
    }

    @Test(
        "a trigger that only tests the old row keeps no copy of it",
        arguments: [
            "BEGIN UPDATE rooms SET n = n - 1 WHERE id = OLD.room; RETURN OLD; END",
            "BEGIN UPDATE rooms SET n = (SELECT count(*) FROM lines WHERE room = OLD.room) WHERE id = OLD.room; RETURN NULL; END",
            "BEGIN NEW.updated_at := now(); RETURN NEW; END", "BEGIN RAISE NOTICE 'update x set y = old.z'; RETURN OLD; END",
            "BEGIN -- update log set a = old.a\n RETURN OLD; END",
            "CREATE RULE soft AS ON DELETE TO public.t DO INSTEAD UPDATE public.t SET hidden = true WHERE id = old.id",
            "CREATE TRIGGER t AFTER UPDATE ON notes WHEN old.a <> new.a BEGIN UPDATE notes SET at = 1; END", "UPDATE", "'", "",
        ])
    func asked(_ definition: String) throws {
        #expect(try Self.triggerFindings(definition).isEmpty)
    }

    private static func triggerFindings(_ definition: String) throws -> [Finding] {
        let (plan, good) = try Self.good()
        var schema = good
        schema.edit("public.profiles") {
            $0.triggers = [.init(name: "t", events: ["update", "delete"], definition: definition)]
        }
        return PlanCheck.findings(plan, schema).filter { $0.code == "trigger.copies" }
    }

    private static let mood = SchemaColumn(name: "city", type: "mood", kind: .text, labels: ["sad", "glad"])

    @Test(
        "an expression that yields a label of an enum fits it",
        arguments: [
            .null, .constant("glad"), .expression(.text("sad")), .expression(.call(.coalesce, [.column("city"), .text("sad")])),
        ] as [ColumnRule])
    func labels(_ rule: ColumnRule) throws {
        var (plan, schema) = try Self.good()
        schema.edit("public.invoices") { $0.columns[3] = Self.mood }
        plan.edit("public.invoices") { $0.columns[3].rule = rule }
        #expect(PlanCheck.findings(plan, schema) == [])
    }

    @Test("the remedy for a column of an enum names its labels", arguments: [.constant("gone"), .keyedHash] as [ColumnRule])
    func remedies(_ rule: ColumnRule) throws {
        var (plan, schema) = try Self.good()
        schema.edit("public.invoices") { $0.columns[3] = Self.mood }
        plan.edit("public.invoices") { $0.columns[3].rule = rule }
        let found = PlanCheck.findings(plan, schema)
        #expect(found.count == 1 && found.first?.remedy?.contains("sad, glad") == true, "\(found)")
    }
}
