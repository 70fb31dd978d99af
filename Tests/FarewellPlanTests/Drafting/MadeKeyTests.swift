// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

/// Users' keys that programs make and that a database without a type for UUIDs keeps as texts: the same names are asked
/// about as with UUIDs.
struct MadeKeyTests {
    /// Tables whose columns name users under names that are none for keys; `key` is the type of keys.
    private static func tables(_ key: String) -> [SchemaTable] {
        [
            SchemaSketch.table("users", "id \(key) pk", "email text unique", "manager \(key)"),
            SchemaSketch.table(
                "orders", "id \(key) pk", "user_id \(key) not-null -> users.id", "gifted_to \(key)", "refunded_to \(key)",
                "total int"),
            SchemaSketch.table("transfers", "id \(key) pk", "from_account \(key)", "to_account \(key)", "amount int"),
            SchemaSketch.table("ratings", "id \(key) pk", "rater \(key)", "ratee \(key)", "stars int"),
            SchemaSketch.table("issues", "id \(key) pk", "author_id \(key) -> users.id", "watchers jsonb", "voters jsonb"),
            SchemaSketch.table("edges", "id \(key) pk", "source \(key)", "target \(key)"),
            SchemaSketch.table(
                "notes", "id \(key) pk", "author \(key)", "assignee \(key)", "backup_user \(key)", "last_poster \(key)",
                "created_by \(key)", "place \(key)", "body text"),
            SchemaSketch.table("links", "sender \(key) not-null", "receiver \(key) not-null", "user1 \(key)", "user2 \(key)"),
        ]
    }

    private static func asked(_ tables: [SchemaTable]) throws -> [String] {
        let schema = Schema(dialect: .sqlite, tables: tables)
        let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        return plan.questions.map { "\($0.table).\($0.columns.joined(separator: ",")) \($0.answers.map(\.rawValue))" }.sorted()
    }

    private static func marked(_ tables: [SchemaTable], _ form: SchemaColumn.SampledText, except: Set<String> = []) -> [SchemaTable] {
        tables.map { table in
            var table = table
            for place in table.columns.indices where table.columns[place].kind == .text {
                let isKey = !["email", "body"].contains(table.columns[place].name)
                table.columns[place].sampledText = isKey && !except.contains(table.columns[place].name) ? form : .other
            }
            return table
        }
    }

    @Test("PL-1 SCH-04 keys that are UUIDs in texts lead to the same questions and first answers as keys of a type for UUIDs")
    func same() throws {
        let typed = try Self.asked(Self.tables("uuid"))
        #expect(typed.count >= 18, "\(typed)")
        #expect(try Self.asked(Self.marked(Self.tables("text"), .keys)) == typed)
        // Without such values or a sign in the schema, plain words are the words of people.
        let plain = try Self.asked(Self.tables("text"))
        #expect(!plain.contains { $0.hasPrefix("ratings") || $0.hasPrefix("links") }, "\(plain)")
    }

    @Test("PL-1 texts with other values than keys are no links, although users' keys are UUIDs in texts")
    func others() throws {
        let asked = try Self.asked(Self.marked(Self.tables("text"), .keys, except: ["rater", "sender", "from_account"]))
        #expect(!asked.contains { $0.contains("rater") || $0.contains("sender") || $0.contains("from_account") }, "\(asked)")
        #expect(asked.contains { $0.hasPrefix("ratings.ratee") } && asked.contains { $0.hasPrefix("links.receiver") })
    }

    @Test(
        "PL-1 the default of the users' key, its length or a check says that it is made, and a column of its type may hold it",
        arguments: ["default", "length", "check"])
    func signs(_ sign: String) throws {
        var tables = Self.tables("text")
        switch sign {
        case "default": tables[0].columns[0].qualifiedDefault = "lower(hex(randomblob(16)))"
        case "length": tables[0].columns[0].maximumLength = 36
        default: tables[0].checks = [SchemaCheck(name: "", condition: "length(id) = 36", columns: ["id"])]
        }
        let asked = try Self.asked(tables)
        for column in ["ratings.rater", "links.sender", "orders.gifted_to", "issues.watchers"] {
            #expect(asked.contains { $0.hasPrefix("\(column) ") }, "\(asked)")
        }
    }

    @Test("PL-1 the form of keys is known from UUIDs and from long tokens of one length, and not from words")
    func forms() {
        let uuid = "5f0c3a52-7c1e-4b1e-9a53-0d5b8f6e7a10"
        #expect(KeyForm(of: [uuid]) == .uuid)
        #expect(KeyForm(of: ["clx0000000000000000000ann", "clx0000000000000000000bob", "clx0000000000000000000eve"]) == .token(length: 25))
        for words in [[], ["ann", "bob", "eve"], [uuid, "root"], ["ann.of.green.gables@example.org"], ["clx0000000000000000000ann"]] {
            #expect(KeyForm(of: words) == nil, "\(words)")
        }
        let form = KeyForm.uuid
        #expect(form.reading(["", "root", uuid], isJSONText: true) == .keys)
        #expect(form.reading(["[\"\(uuid)\"]"], isJSONText: true) == .lists && form.reading(["[]"], isJSONText: true) == .lists)
        #expect(form.reading(["[\"red\"]"], isJSONText: true) == .other && form.reading(["[]"], isJSONText: false) == .other)
        #expect(form.reading([""], isJSONText: true) == nil)
    }

    @Test("PL-1 PL-7 init reads from a few rows which texts have the form of users' keys", arguments: PlanDatabase.allCases)
    func sampled(_ kind: PlanDatabase) async throws {
        let (ann, bob) = ("5f0c3a52-7c1e-4b1e-9a53-0d5b8f6e7a10", "0d9f1c1e-3b7a-4c55-8f5e-5d2c1f0b9a77")
        try await kind.with { database in
            try await database.script(
                "CREATE TABLE users (id text PRIMARY KEY, email text UNIQUE)",
                "CREATE TABLE posts (id text PRIMARY KEY, user_id text REFERENCES users (id), photographer text, editor text, note text)",
                "CREATE TABLE empty (id text PRIMARY KEY, sender text)",
                "INSERT INTO users VALUES ('\(ann)', 'a@example.org'), ('\(bob)', 'b@example.org')",
                "INSERT INTO posts VALUES ('\(bob)', '\(ann)', '\(bob)', 'Jane Doe', 'n')")
            let schema = try await Schema.read(from: database)
            let draft = try PlanDerivation.draft(from: schema, subject: nil).plan
            let marked = try #require(try await TextKeySampling().marked(schema, for: draft.subject, database))
            #expect(marked.fingerprint == schema.fingerprint)
            let asked = try PlanDerivation.draft(from: marked, subject: nil).plan.questions.map { "\($0.table.name).\($0.columns[0])" }
            #expect(Set(asked).isSuperset(of: ["posts.photographer", "empty.sender"]), "\(asked)")
            #expect(!asked.contains("posts.editor") && !asked.contains("posts.note"), "\(asked)")
            try await database.script("UPDATE posts SET user_id = NULL", "UPDATE users SET id = email")
            #expect(try await TextKeySampling().marked(schema, for: draft.subject, database) == nil)
        }
    }
}
