// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

@Suite("The check of a plan against Citus")
struct CitusCheckTests {
    private let people = SchemaSketch.table("public.users", "id uuid pk", "email text")

    private func table(_ name: String, _ spread: CitusTable.Spread = .hashed, by column: String? = nil, _ columns: String...)
        -> SchemaTable
    {
        var table = SchemaSketch.table("public.\(name)")
        for words in columns {
            let one = SchemaSketch.table("public.\(name)", words)
            table.columns += one.columns
            table.primaryKey += one.primaryKey
            table.foreignKeys += one.foreignKeys
            table.indexes += one.indexes
        }
        table.citus = CitusTable(spread: spread, column: column, colocation: spread == .managed ? 0 : 1)
        return table
    }

    /// The codes of Citus that are found, with tables and columns.
    private func found(_ tables: [SchemaTable], _ edit: (inout Plan) -> Void = { _ in }) -> [String] {
        findings(tables, edit).filter { $0.code.rawValue.hasPrefix("citus.") }.map { "\($0.code.rawValue) \($0.place)" }
    }

    private func findings(_ tables: [SchemaTable], _ edit: (inout Plan) -> Void = { _ in }) -> [Finding] {
        var users = people
        users.citus = CitusTable(spread: .hashed, column: "id", colocation: 1)
        let schema = Schema(dialect: .postgresql, tables: [users] + tables)
        let subject = ColumnName(TableName(schema: "public", "users"), "id")
        let planned = schema.tables.map { table in
            let links = table.foreignKeys.map {
                Link(columns: $0.columns, target: $0.target, targetColumns: $0.targetColumns, onDelete: $0.onDelete)
            }
            return TablePlan(table: table.name, rule: .erase, links: links, columns: table.columns.map { .init($0.name) })
        }
        var plan = Plan(subject: SubjectRoot(table: subject.table, key: "id"), tables: planned)
        edit(&plan)
        return PlanCheck.findings(plan, schema)
    }

    @Test("OP-6 a table distributed by the subject's key, a reference table and one of the coordinator are fine")
    func fine() {
        let tables = [
            table("posts", by: "user_id", "id int pk", "user_id uuid pk -> public.users.id cascade"),
            table("badges", .reference, "user_id uuid pk -> public.users.id cascade"),
            table("notes", .managed, "id int pk", "user_id uuid -> public.users.id cascade"),
            table("visits", by: "user_id", "user_id uuid -> public.users.id cascade"),
        ]
        #expect(found(tables).isEmpty)
    }

    @Test("OP-6 rows that reference each other, and keys that restrict each other, are errors")
    func together() {
        let threads = table(
            "threads", by: "id", "id int pk", "user_id uuid -> public.users.id cascade", "parent int -> public.threads.id cascade")
        #expect(found([threads]) == ["citus.recursion public.threads"])
        let circle = [
            table("a", by: "id", "id int pk", "user_id uuid -> public.users.id cascade", "b int -> public.b.id"),
            table("b", by: "id", "id int pk", "user_id uuid -> public.users.id cascade", "a int -> public.a.id"),
        ]
        let own = found(circle) { plan in
            for place in plan.tables.indices { plan.tables[place].links.removeAll { $0.target != plan.subject.table } }
        }
        #expect(own.count == 1 && own[0].hasPrefix("citus.circle public."))
    }

    @Test("OP-6 no rule and no link may change the distribution value of a row")
    func distribution() {
        let tables = [table("posts", by: "user_id", "id int pk", "user_id uuid pk -> public.users.id cascade", "note text")]
        #expect(
            found(tables) { plan in
                for place in plan.tables.indices where plan.tables[place].table.name == "posts" {
                    plan.tables[place].rule = .anonymise
                    plan.tables[place].columns = [.init("id", .notPersonal), .init("user_id", .null), .init("note", .null)]
                }
            } == ["citus.distribution-column public.posts.user_id"])
        let shared = table("chats", by: "to_id", "id int pk", "from_id uuid -> public.users.id cascade", "to_id uuid -> public.users.id")
        #expect(
            found([shared]) { plan in
                for place in plan.tables.indices where plan.tables[place].table.name == "chats" {
                    plan.tables[place].links[1].shared = .unlink
                }
            } == ["citus.distribution-column public.chats.to_id"])
    }

    @Test("OP-6 rows without a key, columnar storage and triggers elsewhere are errors; the coordinator's triggers are not")
    func tables() {
        var facts = table("facts", by: "user_id", "user_id uuid pk -> public.users.id cascade")
        facts.citus?.isColumnar = true
        let posts = table("posts", by: "user_id", "id int pk", "user_id uuid -> public.users.id cascade")
        let parts = table("parts", by: "post", "post int -> public.posts.id cascade", "note text")
        var watched = table("watched", by: "user_id", "user_id uuid pk -> public.users.id cascade")
        watched.triggers = [SchemaTrigger(name: "watch", events: ["delete"], definition: "")]
        var own = table("own", .managed, "user_id uuid pk -> public.users.id cascade")
        own.triggers = watched.triggers
        #expect(
            found([facts, posts, parts, watched, own]).sorted() == [
                "citus.columnar public.facts", "citus.no-primary-key public.parts", "citus.trigger public.watched",
            ])
    }

    @Test("OP-6 a link without regard to case is an error in a distributed table, and fine where one server has all rows")
    func letters() {
        let columns = ["id int pk", "email text"]
        for (spread, expected) in [
            (CitusTable.Spread.hashed, ["citus.case public.logins.email"]), (.managed, []), (.reference, []),
        ] {
            let logins = table("logins", spread, by: spread == .hashed ? "id" : nil, columns[0], columns[1])
            #expect(
                found([logins]) { plan in
                    var link = Link(columns: ["email"], target: plan.subject.table, targetColumns: ["email"])
                    link.ignoresCase = true
                    for place in plan.tables.indices where plan.tables[place].table.name == "logins" {
                        plan.tables[place].links = [link]
                    }
                } == expected)
        }
    }

    @Test("OP-6 an expression that depends on a setting is an error; one with a fixed result is not")
    func expressions() throws {
        let orders = table(
            "orders", by: "id", "id int pk", "user_id uuid -> public.users.id cascade", "street text", "at timestamptz",
            "born date", "told text", "day text")
        let rules = try [
            "street": "left(street, 2)", "told": "concat(street, id)", "day": "concat('x', at)", "at": "year(street)",
        ].mapValues { ColumnRule.expression(try ColumnExpression(parsing: $0)) }
        let findings = found([orders]) { plan in
            for place in plan.tables.indices where plan.tables[place].table.name == "orders" {
                plan.tables[place].rule = .anonymise
                plan.tables[place].columns = plan.tables[place].columns.map { .init($0.name, rules[$0.name] ?? .notPersonal) }
            }
        }
        #expect(findings == ["citus.expression public.orders.at", "citus.expression public.orders.day"])
    }

    @Test("OP-6 the remedy of a circle through an owned parent is about the parent")
    func circles() {
        let tables = [
            table("photos", by: "id", "id int pk"),
            table("posts", by: "id", "id int pk", "user_id uuid -> public.users.id cascade", "photo int -> public.photos.id"),
        ]
        let remedies = findings(tables) { plan in
            for place in plan.tables.indices {
                let name = plan.tables[place].table
                // The photos go with their posts, and not the reverse.
                if name.name == "posts" { plan.tables[place].links[1].role = .reference }
                guard name.name == "photos" else { continue }
                plan.tables[place].links = [
                    Link(
                        columns: ["id"], target: TableName(schema: "public", "posts"), targetColumns: ["photo"], isOwnedParent: true)
                ]
            }
        }.filter { $0.code == "citus.circle" }.compactMap(\.remedy)
        #expect(remedies.count == 1 && remedies.allSatisfy { $0.contains("`parent: owned`") }, "\(remedies)")
    }

    @Test("OP-6 an entry of a json document that another user's row would lose is an error; of jsonb, and a whole list, it is not")
    func documents() {
        var notes = table("notes", by: "id", "id int pk", "user_id uuid -> public.users.id cascade", "a jsonb", "b jsonb", "c jsonb")
        for place in notes.columns.indices where ["b", "c"].contains(notes.columns[place].name) {
            (notes.columns[place].type, notes.columns[place].baseType) = ("json", "json")
        }
        let findings = found([notes]) { plan in
            let subject = plan.subject
            func reference(_ column: String, _ path: [String], _ list: Link.ListForm?) -> Link {
                Link(
                    columns: [column], path: path, target: subject.table, targetColumns: [subject.key], role: .reference,
                    list: list)
            }
            for place in plan.tables.indices where plan.tables[place].table.name == "notes" {
                plan.tables[place].links += [
                    reference("a", ["user"], nil), reference("a", ["people"], .json), reference("b", ["user"], nil),
                    reference("c", [], .json),
                ]
            }
        }
        #expect(findings == ["citus.json public.notes.b"])
    }

    @Test("OP-6 no remedy asks for a unique key that Citus cannot keep, and the subject's table is to lie by its own key")
    func uniqueKeys() throws {
        var users = SchemaSketch.table("public.users", "company_id int pk", "id uuid pk", "email text", "code text")
        let orders = SchemaSketch.table("public.orders", "id int pk", "email text", "code text")
        func remedies(_ spread: CitusTable?) throws -> (subject: String, link: String) {
            users.citus = spread
            let schema = Schema(dialect: .postgresql, tables: [users, orders])
            let planned = schema.tables.map { table in
                TablePlan(table: table.name, rule: .erase, columns: table.columns.map { .init($0.name) })
            }
            var plan = Plan(subject: SubjectRoot(table: users.name, key: "id"), tables: planned)
            for place in plan.tables.indices where plan.tables[place].table == orders.name {
                plan.tables[place].links = [Link(columns: ["code"], target: users.name, targetColumns: ["code"])]
            }
            let found = PlanCheck.findings(plan, schema)
            let subject = try #require(found.first { $0.code == "subject.key-not-unique" }?.remedy)
            return (subject, try #require(found.first { $0.code == "link.shared-target" }?.remedy))
        }
        let plain = try remedies(nil)
        #expect(plain.subject.hasPrefix("Name a primary or unique key") && plain.link.hasSuffix("give code a unique key."))
        let spread = try remedies(CitusTable(spread: .hashed, column: "company_id", colocation: 1))
        #expect(spread.subject.contains("by its own key") && spread.link.contains("reference or local table"), "\(spread)")
        let reference = try remedies(CitusTable(spread: .reference, colocation: 2))
        #expect(reference.subject == plain.subject && reference.link == plain.link)
    }
}
