// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Lists of users' keys under names that are not written like those of keys.
struct ListedUserTests {
    private static func list(_ name: String, of element: String) -> SchemaColumn {
        SchemaColumn(name: name, type: "\(element)[]", kind: .array, elementType: element == "bigint" ? "int8" : element)
    }

    private static func schema(key: String, _ lists: [SchemaColumn]) -> Schema {
        var users = SchemaSketch.table("users", "id uuid pk", "email text unique")
        let kind: SchemaColumn.Kind = key == "uuid" ? .uuid : key == "text" ? .text : .integer
        users.columns[0] = SchemaColumn(name: "id", type: key, kind: kind, isNullable: false)
        var albums = SchemaSketch.table("albums", "id int pk", "owner_id uuid not-null -> users.id cascade", "title text")
        albums.columns[1] = SchemaColumn(name: "owner_id", type: key, kind: kind, isNullable: false)
        albums.columns += lists
        return Schema(dialect: .postgresql, tables: [users, albums, SchemaSketch.table("widgets", "id int pk", "title text")])
    }

    private static func draft(_ schema: Schema) throws -> Plan {
        try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
    }

    @Test(
        "PL-1 SCH-04 a list of what users did or got is asked about, with reference first, whatever keys the app declares",
        arguments: [
            ("uuid", ["shared_with", "visible_to", "liked_by", "seen_by", "blocked", "tagged", "cc", "likes", "mentions"], ["colours"]),
            ("text", ["shared_with", "liked_by", "tagged"], ["tags", "roles"]),
            ("bigint", ["shared_with", "liked_by", "assigned_to", "coauthors"], ["scores", "tags"]),
        ])
    func asked(key: String, names: [String], others: [String]) throws {
        let lists = (names + others).map { Self.list($0, of: key) }
        let questions = try Self.draft(Self.schema(key: key, lists)).questions.filter { $0.table.name == "albums" }
        #expect(Set(questions.map { $0.columns[0] }) == Set(names), "\(questions.map(\.columns))")
        for question in questions {
            #expect(question.answers == [.reference, .unrelated], "\(question)")
            #expect(question.link?.list == .array && question.link?.targetColumns == ["id"], "\(question)")
        }
    }

    @Test("PL-1 SCH-04 a text list beside UUIDs and a JSON list by its default are asked about, but no text list beside numbers")
    func written() throws {
        let seen = SchemaColumn(name: "seen_by", type: "jsonb", kind: .json, defaultExpression: "'[]'::jsonb")
        let made = SchemaColumn(name: "created_by", type: "jsonb", kind: .json)
        func asked(_ key: String) throws -> Set<String> {
            let lists = [Self.list("visible_to", of: "text"), seen, made]
            return Set(try Self.draft(Self.schema(key: key, lists)).questions.map { $0.columns[0] })
        }
        #expect(try asked("uuid") == ["visible_to", "seen_by"])
        #expect(try asked("bigint") == ["seen_by"])
    }

    @Test("PL-1 SCH-04 an array of the users' own numbers under a deed is asked about, with not personal first, and no count is")
    func numbers() throws {
        let counts = ["approvals", "mentions_count"].map { SchemaColumn(name: $0, type: "bigint", kind: .integer) }
        let lists = ["mentions", "likes", "blocked", "approvals"].map { Self.list($0, of: "bigint") }
        let others = [Self.list("scores", of: "bigint"), Self.list("tags", of: "text"), Self.list("votes", of: "integer")]
        let questions = try Self.draft(Self.schema(key: "bigint", lists + others + counts.suffix(1))).questions
        #expect(questions.map { $0.columns[0] } == ["mentions", "likes", "blocked", "approvals"], "\(questions)")
        for question in questions {
            #expect(question.answers == [.unrelated, .reference] && question.link?.list == .array, "\(question)")
            #expect(question.reason.contains("may be listed by their keys"), "\(question)")
        }
        #expect(try Self.draft(Self.schema(key: "bigint", counts)).questions.isEmpty)
    }

    private static func json(_ name: String, _ standard: String? = nil) -> SchemaColumn {
        SchemaColumn(name: name, type: "jsonb", kind: .json, defaultExpression: standard)
    }

    @Test(
        "PL-1 SCH-04 a JSON list under a plain noun for people is asked about, whatever keys the app declares",
        arguments: ["uuid", "text", "bigint"])
    func plain(key: String) throws {
        let list = "'[]'::jsonb"
        func asked(_ schema: Schema) throws -> [PlanQuestion] { try Self.draft(schema).questions.filter { $0.link?.list != nil } }
        let named = ["watchers", "coauthors"].map { Self.json($0, list) }
        // Without a default, texts may be names.
        let unsaid = key == "text" ? [] : ["reviewers", "participants"].map { Self.json($0) }
        let open = unsaid + ["customers", "project_members"].map { Self.json($0, list) }
        let others =
            [Self.json("banners", list), Self.json("tags", list), Self.json("watcher", list), Self.json("contacts", list)]
            + ["customers_seen", "users", "accounts", "active_members"].map { Self.json($0) }
        let questions = try asked(Self.schema(key: key, named + open + others))
        #expect(questions.map { $0.columns[0] } == (named + open).map(\.name), "\(questions)")
        for question in questions {
            let isOpen = open.contains { $0.name == question.columns[0] }
            #expect(question.answers == (isOpen ? [.unrelated, .reference] : [.reference, .unrelated]), "\(question)")
            #expect(question.link?.list == .json && question.link?.targetColumns == ["id"], "\(question)")
        }
        let text = SchemaColumn(name: "watchers", type: "text", kind: .text, defaultExpression: "'[]'")
        let schema = Schema(dialect: .sqlite, tables: Self.schema(key: key, [text]).tables)
        #expect(try asked(schema).compactMap { $0.link?.list } == [.json])
        // Rows of the named table are meant.
        var tables = Self.schema(key: key, [Self.json("watchers", list)]).tables
        tables.append(SchemaSketch.table("watchers", "id int pk", "name text"))
        #expect(try asked(Schema(dialect: .postgresql, tables: tables)).isEmpty)
    }

    @Test(
        "PL-1 SCH-04 a list that names a deed and its users is asked about in JSON and in text, whatever keys the app declares",
        arguments: ["uuid", "text", "bigint"])
    func deeds(key: String) throws {
        let names = ["mentioned_users", "liked_by_users", "shared_with_members", "invited_people"]
        let others = ["online_users", "registered_users", "mentioned_tags", "tagged_user", "users"]
        let json = (names + others).map { SchemaColumn(name: $0, type: "jsonb", kind: .json) }
        let texts = ["tagged_users", "active_users"].map { SchemaColumn(name: $0, type: "text", kind: .text) }
        let questions = try Self.draft(Self.schema(key: key, json + texts)).questions
        #expect(questions.map { $0.columns[0] } == names + ["tagged_users"], "\(questions)")
        #expect(questions.allSatisfy { $0.answers == [.reference, .unrelated] && $0.link?.targetColumns == ["id"] }, "\(questions)")
        let forms: [Link.ListForm] = [.json, .json, .json, .json, .comma]
        #expect(questions.compactMap { $0.link?.list } == forms, "\(questions)")
    }

    @Test("PL-1 SCH-04 a JSON list in text, by its default, is a list of the users whose deed its name tells")
    func textLists() throws {
        let lists = ["liked_by", "mentions", "labels"].map {
            SchemaColumn(name: $0, type: "text", kind: .text, defaultExpression: "'[]'")
        }
        let schema = Schema(dialect: .sqlite, tables: Self.schema(key: "text", lists).tables)
        let questions = try Self.draft(schema).questions
        #expect(questions.map { $0.columns[0] } == ["liked_by", "mentions"], "\(questions)")
        #expect(questions.allSatisfy { $0.link?.list == .json && $0.answers == [.reference, .unrelated] }, "\(questions)")
    }

    @Test("PL-1 SCH-04 check warns of a list of the users' key type whose name speaks of no table, also in rows of users")
    func warned() throws {
        for key in ["uuid", "bigint"] {
            let schema = Self.schema(
                key: key,
                [Self.list("hosts_of_honour", of: key), Self.list("widget_ids", of: key), Self.list("sizes", of: "integer")])
            let found = PlanCheck.findings(try Self.draft(schema), schema).filter { $0.code == "link.suspected-type" }
            #expect(found.map(\.column) == ["hosts_of_honour"] && found.allSatisfy { $0.severity == .warning }, "\(key): \(found)")
            #expect(found.first?.remedy?.contains("list: array, role: reference") == true)
        }
    }
}
