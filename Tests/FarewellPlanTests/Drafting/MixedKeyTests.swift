// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Schemas in which some links to users are declared and others are not.
struct MixedKeyTests {
    private static func questions(_ subject: String, _ tables: SchemaTable...) throws -> [String: PlanQuestion] {
        try questions(subject, tables)
    }

    private static func questions(_ subject: String, _ tables: [SchemaTable]) throws -> [String: PlanQuestion] {
        let schema = Schema(dialect: .postgresql, tables: tables)
        let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(parsing: subject)).plan
        return Dictionary(
            plan.questions.map { ("\($0.table).\($0.columns.last ?? "")", $0) }, uniquingKeysWith: { first, _ in first })
    }

    @Test(
        "PL-1 SCH-04 texts named after people are asked about where only a table with one row for each user declares its key",
        arguments: ["creator", "sender", "owner", "author", "assignee", "recipient"])
    func besideKeys(column: String) throws {
        let users = SchemaSketch.table("users", "id text pk", "email text unique")
        let settings = SchemaSketch.table("user_settings", "user_id text pk -> users.id", "theme text")
        let rooms = SchemaSketch.table("rooms", "id int pk", "\(column) text", "topic text")
        let posts = SchemaSketch.table("posts", "id int pk", "user_id text not-null -> users.id", "creator text")
        for others in [[], [settings]] {
            let asked = try Self.questions("users.id", [users, rooms] + others)
            #expect(asked["rooms.\(column)"]?.link?.target == users.name)
            #expect(asked["rooms.topic"] == nil && asked["user_settings.theme"] == nil)
        }
        // Where the app declares such links, other words are names.
        #expect(try Self.questions("users.id", users, rooms, settings, posts)["rooms.\(column)"] == nil)
    }

    @Test("PL-1 SCH-01 flags of users, and names of a user at another service, are no links")
    func flags() throws {
        let asked = try Self.questions(
            "users.name", SchemaSketch.table("users", "name text pk", "admin int not-null", "email text unique"),
            SchemaSketch.table(
                "account", "id text pk", "userName text -> users.name", "provider text not-null",
                "providerAccountId text not-null"))
        #expect(asked["users.admin"] == nil)
        #expect(asked["account.providerAccountId"] == nil)
    }

    @Test(
        "PL-2 a pair of columns is recognised where its names are single words",
        arguments: [("targetid", "targettype"), ("itemid", "itemtype"), ("objectid", "objectclass"), ("target_id", "target_type")])
    func glued(id: String, type: String) throws {
        let asked = try Self.questions(
            "users.id", SchemaSketch.table("users", "id int pk", "email text unique"),
            SchemaSketch.table("items", "id int pk", "user_id int not-null -> users.id", "name text"),
            SchemaSketch.table("values", "id int pk", "\(id) int not-null", "\(type) text not-null", "value text"))
        let question = try #require(asked["values.\(id)"])
        #expect(question.links.allSatisfy { !$0.condition.isEmpty }, "a plain link deletes rows of others: \(question)")
    }

    @Test("PL-3 a value that replaces references is not offered where a unique key would refuse its repetition, and warned of")
    func repeated() throws {
        let users = SchemaSketch.table("users", "id int pk", "email text unique")
        var invites = SchemaSketch.table(
            "invites", "id int pk", "org int not-null", "email text not-null", "inviter_id int -> users.id")
        let free = try Self.questions("users.id", users, invites)
        #expect(free["invites.email"]?.answers.contains(.reference) == true)
        invites.uniqueKeys.append(["org", "email"])
        let asked = try Self.questions("users.id", users, invites)
        #expect(asked["invites.email"]?.answers.contains(.reference) == false)

        let schema = Schema(dialect: .postgresql, tables: [users, invites])
        var plan = try PlanDerivation.draft(from: schema, subject: ColumnName(users.name, "id")).plan
        let place = try #require(plan.tables.firstIndex { $0.table == invites.name })
        var link = Link(columns: ["email"], target: users.name, targetColumns: ["email"])
        (link.role, link.replacement) = (.reference, "deleted")
        plan.tables[place].links.append(link)
        let found = ReferenceCheck(CheckContext(plan, schema)).findings(link, of: plan.tables[place])
        #expect(found.contains { $0.code == "link.set-not-unique" && $0.severity == .warning }, "\(found)")
    }

    @Test("PL-3 SCH-08 a file that names its own user is not first offered as the sender's who shows it")
    func uploaded() throws {
        let users = SchemaSketch.table("users", "id int pk", "email text unique")
        let files = SchemaSketch.table("files", "id int pk", "owner_id int -> users.id set null", "name text")
        let messages = SchemaSketch.table(
            "messages", "id int pk", "sender_id int not-null -> users.id cascade", "file_id int -> files.id", "body text")
        let asked = try Self.questions("users.id", users, files, messages)
        #expect(asked["files.id"]?.answers.first != .owner)
        let unsigned = SchemaSketch.table("files", "id int pk", "name text")
        #expect(try Self.questions("users.id", users, unsigned, messages)["files.id"]?.answers.first == .owner)
    }
}
