// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Which columns of a row say to which table another column leads.
struct PairColumnTests {
    private static let users = SchemaSketch.table("users", "id int pk", "email text unique")

    private static func questions(_ tables: SchemaTable...) throws -> [PlanQuestion] {
        try PlanDerivation.draft(
            from: Schema(dialect: .postgresql, tables: tables), subject: ColumnName(users.name, "id")
        ).plan.questions
    }

    @Test(
        "PL-2 a column is one of a pair without the ending of a key, beside a type in one word, and beside who acted",
        arguments: [
            ("target", "target_type"), ("owner", "ownertype"), ("owner", "owner_kind"), ("commentable", "commentable_type"),
            ("created_by_id", "created_by_type"), ("created_by", "created_by_type"), ("entity_id", "entity"),
            ("res_id", "model"), ("record_id", "table_name"), ("row_id", "table_name"),
        ])
    func pairs(id: String, type: String) throws {
        let log = SchemaSketch.table("log", "id int pk", "\(id) int not-null", "\(type) text not-null", "value text")
        let asked = try Self.questions(Self.users, log)
        let question = try #require(asked.first { $0.columns.last == id }, "\(asked)")
        #expect(question.columns == [type, id])
        #expect(question.links.map(\.target) == [Self.users.name])
        let isLimited = question.links.allSatisfy { !$0.condition.isEmpty }
        #expect(isLimited, "a link without a condition deletes rows of others: \(question)")
    }

    @Test(
        "PL-2 SCH-01 a generic key of Django is one of a pair, whatever its app calls it",
        arguments: [
            ("object_pk text", "content_type_id", false), ("actor_object_id text", "actor_content_type_id", false),
            ("owner_id int", "owner_content_type_id", false), ("obj_id int", "ct_id", true),
            ("target_id int", "target_type_id", true), ("target_object_id uuid", "target_ct_id", true),
            ("item_id int", "content_type_id", true), ("content_id int", "content_type_id", true),
        ])
    func genericKeys(id: String, type: String, isDeclared: Bool) throws {
        let models = SchemaSketch.table("django_content_type", "id int pk", "app_label text not-null", "model text not-null")
        let key = isDeclared ? " -> django_content_type.id" : ""
        let users = SchemaSketch.table("users", "id \(id.hasSuffix("uuid") ? "uuid" : "int") pk", "email text unique")
        let log = SchemaSketch.table("log", "id int pk", "\(id) not-null", "\(type) int not-null\(key)", "value text")
        let name = String(id.prefix { $0 != " " })
        #expect(try Self.questions(users, models, log).map(\.columns) == [[type, name]])
    }

    @Test("PL-2 SCH-01 each generic key of a row has the column of its own name, and other keys have none")
    func severalGenericKeys() throws {
        let types = ["action_object_content_type_id", "actor_content_type_id", "polymorphic_ctype_id"]
        let asked = try Self.questions(
            Self.users,
            SchemaSketch.table("django_content_type", "id int pk", "app_label text not-null", "model text not-null"),
            SchemaSketch.table(
                "actions",
                ["id int pk", "actor_object_id int not-null", "action_object_object_id int", "author_id int"]
                    + types.map { "\($0) int -> django_content_type.id" }))
        #expect(
            Set(asked.map(\.columns)) == [
                ["author_id"], [types[0], "action_object_object_id"], [types[1], "actor_object_id"],
            ])
    }

    @Test("PL-2 SCH-01 a text beside its type, and the model of a thing, make no pair")
    func texts() throws {
        let asked = try Self.questions(
            Self.users,
            SchemaSketch.table("files", "id int pk", "content text", "content_type text", "source text", "source_type text"),
            SchemaSketch.table("cars", "id int pk", "owner_id int not-null", "model text", "entity text"))
        #expect(asked.map(\.columns) == [["owner_id"]], "\(asked)")
    }

    @Test(
        "PL-2 what a type column may hold by a check, an enum or its default is the condition that is offered, also as a code",
        arguments: [
            (#"("owner_type" = ANY (ARRAY['U'::text, 'O'::text]))"#, nil, nil, ["U"], PlanQuestion.Answer.owner),
            ("((owner_type)::text = ANY ((ARRAY['usr'::character varying, 'org'::character varying])::text[]))", nil, nil, ["usr"], .owner),
            ("owner_type IN ('person','company')", nil, nil, ["person"], .owner),
            ("owner_type IN ('User','Org')", nil, nil, ["User"], .owner),
            ("owner_type IN ('customer','patient')", nil, nil, ["customer", "patient"], .unrelated),
            ("owner_type IN ('x','y')", nil, nil, [], .unrelated),
            ("length(owner_type) < 9 AND owner_type <> 'U'", nil, nil, frameworks, .owner),
            (nil, ["U", "O"], nil, ["U"], .owner),
            (nil, nil, "'member'::text", frameworks + ["member"], .owner),
            (nil, nil, "'Org'::text", frameworks, .owner),
        ] as [(String?, [String]?, String?, [String], PlanQuestion.Answer)])
    func values(
        check: String?, labels: [String]?, usual: String?, offered: [String], first: PlanQuestion.Answer
    ) throws {
        var deeds = SchemaSketch.table("deeds", "id int pk", "owner_type text not-null", "owner_id int not-null")
        deeds.columns[1].labels = labels
        deeds.columns[1].defaultExpression = usual
        if let check { deeds.checks = [SchemaCheck(name: "known", condition: check, columns: ["owner_type"])] }
        let orgs = SchemaSketch.table("orgs", "id int pk", "title text")
        let asked = try Self.questions(Self.users, orgs, deeds).filter { $0.table == deeds.name }
        let question = try #require(asked.first, "a pair is asked about")
        #expect(question.columns == ["owner_type", "owner_id"] && question.answers.first == first, "\(asked)")
        #expect(question.link?.condition.parts.first?.values ?? [] == offered, "\(asked)")
    }

    private static let frameworks = ["User", "user", "users", "App\\Models\\User"]

    @Test("PL-2 where all tables of an app begin alike, a type column may name them without that beginning", arguments: [true, false])
    func prefixed(_ areAll: Bool) throws {
        let users = SchemaSketch.table("oc_users", "id int pk", "displayname text")
        let comments = SchemaSketch.table("oc_comments", "id int pk", "actor_type text not-null", "actor_id int not-null")
        let others = ["mounts", "file_locks"].map { SchemaSketch.table((areAll ? "oc_" : "") + $0, "id int pk", "path text") }
        let schema = Schema(dialect: .postgresql, tables: [comments, users] + others)
        let asked = try PlanDerivation.draft(from: schema, subject: ColumnName(users.name, "id")).plan.questions
        let question = try #require(asked.first { $0.table == comments.name }, "\(asked)")
        let whole = ["OcUser", "oc_user", "oc_users", "App\\Models\\OcUser"]
        let values = question.link?.condition.parts.first?.values ?? []
        #expect(values == (areAll ? whole + Self.frameworks : whole), "\(question)")
    }

    @Test("PL-2 a code that may mean two tables, or a check that names other tables only, offers no rows of users first")
    func ambiguous() throws {
        var deeds = SchemaSketch.table("deeds", "id int pk", "owner_type text not-null", "owner_id int not-null")
        deeds.checks = [SchemaCheck(name: "", condition: "owner_type IN ('U','O')", columns: ["owner_type"])]
        let units = SchemaSketch.table("units", "id int pk", "title text")
        let twice = try Self.questions(Self.users, units, deeds).filter { $0.table == deeds.name }
        #expect(twice.map { $0.answers.first } == [.unrelated], "\(twice)")
        deeds.checks[0].condition = "owner_type IN ('Unit')"
        #expect(try !Self.questions(Self.users, units, deeds).contains { $0.table == deeds.name && $0.columns.count == 2 })
    }

    @Test("PL-2 the type of a thing whose key the row has is no name of a table, unless its values name others")
    func things() throws {
        let products = SchemaSketch.table("products", "id int pk", "user_id int not-null -> users.id cascade")
        var items = SchemaSketch.table("lines", "id int pk", "product_id int not-null", "product_type text not-null")
        let plain = try #require(try Self.questions(Self.users, products, items).first { $0.table == items.name })
        #expect(plain.columns == ["product_id"] && plain.links.map(\.target) == [products.name], "\(plain)")
        // Without such a table, or where the key cannot be meant, the type names one.
        let alone = try #require(try Self.questions(Self.users, items).first { $0.table == items.name })
        #expect(alone.columns == ["product_type", "product_id"])
        let codes = SchemaSketch.table("products", "code uuid pk", "user_id int not-null -> users.id cascade")
        let unfit = try #require(try Self.questions(Self.users, codes, items).first { $0.table == items.name })
        #expect(unfit.columns == ["product_type", "product_id"])
        // People of several kinds, and nouns for any row, stay pairs.
        items.columns[1].name = "user_id"
        items.columns[2].name = "user_type"
        let people = try #require(try Self.questions(Self.users, products, items).first { $0.table == items.name })
        #expect(people.columns == ["user_type", "user_id"])
    }

    @Test(
        "PL-2 the check reports a pair with listed values only if one may mean a table with rows of users, and names that table",
        arguments: [
            (["Way"], nil), (["Way", "Page"], "pages.id"), (["User", "Way"], "users.id"), (["way", "w"], "users.id"),
        ] as [([String], String?)])
    func reported(labels: [String], target: String?) throws {
        let pages = SchemaSketch.table("pages", "id int pk", "user_id int not-null -> users.id cascade")
        let ways = SchemaSketch.table("ways", "id int pk", "title text")
        var parts = SchemaSketch.table("parts", "id int pk", "member_type text not-null", "member_id int not-null")
        parts.columns[1].labels = labels
        let schema = Schema(dialect: .postgresql, tables: [Self.users, pages, ways, parts])
        var plan = try PlanDerivation.draft(from: schema, subject: ColumnName(Self.users.name, "id")).plan
        plan.questions = []
        let found = PlanCheck.findings(plan, schema).filter { $0.code == "link.suspected" && $0.table == parts.name }
        #expect(found.count == (target == nil ? 0 : 1), "\(found)")
        if let target { #expect(found.first?.message.contains(target) == true, "\(found)") }
    }
}
