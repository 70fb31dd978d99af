// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Links that ignore letter case (`case: ignored`).
struct CaselessLinkTests {
    private static let users = SchemaSketch.table("users", "id int pk", "email text unique", "username text unique")
    private static let letters = SchemaSketch.table("letters", "id int pk", "email text not-null")

    private static func schema(_ tables: SchemaTable...) -> Schema { Schema(dialect: .postgresql, tables: tables) }

    private static func draft(_ schema: Schema, key: String = "id") throws -> Plan {
        try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), key)).plan
    }

    @Test("PL-1 PL-6 a drafted link by e-mail address ignores letter case, where the database itself regards it")
    func drafted() throws {
        let invites = SchemaSketch.table(
            "invites", "id int pk", "inviter_id int not-null -> users.id cascade", "email text", "team text")
        let posts = SchemaSketch.table("posts", "id int pk", "author_email text", "author_username text")
        let plan = try Self.draft(Self.schema(Self.users, Self.letters, invites, posts))
        let links = Dictionary(
            plan.questions.compactMap { question in question.link.map { ("\(question.table).\(question.columns[0])", $0) } },
            uniquingKeysWith: { first, _ in first })
        for place in ["letters.email", "invites.email", "posts.author_email"] {
            #expect(links[place]?.targetColumns == ["email"] && links[place]?.ignoresCase == true, "\(place) \(links)")
        }
        #expect(links["posts.author_username"]?.ignoresCase == false, "a user name is what the user wrote")

        var folding = Self.users
        folding.columns[1].looseEquality = "citext"
        let question = try Self.draft(Self.schema(folding, Self.letters)).questions.first { $0.columns == ["email"] }
        #expect(question?.link?.ignoresCase == false, "the column itself ignores it")
        let keyed = SchemaSketch.table("users", "email text pk", "name text")
        let asked = try Self.draft(Self.schema(keyed, Self.letters), key: "email").questions
        #expect(asked.allSatisfy { question in question.links.allSatisfy { !$0.ignoresCase } }, "the key is compared as it was given")
    }

    @Test("PL-1 the plan file says that a link ignores letter case, reads it back, and refuses it beside a key or a list")
    func written() throws {
        let plan = try Self.draft(Self.schema(Self.users, Self.letters)).answeringAll(.owner)
        let text = PlanFile.text(for: plan)
        #expect(text.contains("case: ignored"))
        let read = try PlanFile.read(Array(text.utf8), path: "p")
        #expect(read == plan)
        #expect(read.tables.flatMap(\.links).count { $0.ignoresCase } == 1)
        for further in ["key: cascade", "list: comma", "path: [a]", "parent: owned"] {
            let odd = text.replacing("case: ignored", with: "case: ignored, \(further)")
            #expect(throws: FarewellError.self, "\(further)") { try PlanFile.read(Array(odd.utf8), path: "p") }
        }
        #expect(throws: FarewellError.self) {
            try PlanFile.read(Array(text.replacing("case: ignored", with: "case: regarded").utf8), path: "p")
        }
    }

    @Test("PL-1 check refuses case: ignored for numbers and the subject's key, and names the index that such a link needs")
    func checked() throws {
        let notes = SchemaSketch.table("notes", "id int pk", "user_id int not-null", "email text", "code text")
        var schema = Self.schema(Self.users, notes)
        func findings(_ link: Link) throws -> [Finding] {
            var plan = try Self.draft(schema)
            plan.questions = []
            let place = try #require(plan.tables.firstIndex { $0.table == notes.name })
            (plan.tables[place].rule, plan.tables[place].links) = (.erase, [link])
            for column in plan.tables[place].columns.indices { plan.tables[place].columns[column].rule = nil }
            return PlanCheck.findings(plan, schema)
        }
        func link(_ column: String, _ target: String) -> Link {
            Link(columns: [column], target: Self.users.name, targetColumns: [target], role: .owner, ignoresCase: true)
        }
        #expect(try findings(link("user_id", "id")).contains { $0.code == "link.case-unfit" && $0.severity == .error })
        let fitting = try findings(link("email", "email"))
        #expect(!fitting.contains { $0.code == "link.case-unfit" })
        let missing = try #require(fitting.first { $0.code == "index.missing" && $0.column == "email" })
        #expect(missing.remedy?.contains("(lower(\"email\"))") == true, "\(missing)")
        let table = try #require(schema.tables.firstIndex { $0.name == notes.name })
        schema.tables[table].indexes.append(SchemaIndex(name: "plain", columns: ["email"]))
        #expect(try findings(link("email", "email")).contains { $0.code == "index.missing" && $0.column == "email" })
        for expression in ["upper(email)", "lower(code)", "lower(btrim(email))"] {
            schema.tables[table].indexes.append(SchemaIndex(name: "other", columns: [""], expression: expression))
        }
        #expect(try findings(link("email", "email")).contains { $0.code == "index.missing" && $0.column == "email" })
        schema.tables[table].indexes.append(SchemaIndex(name: "lowered", columns: [""], expression: "lower(email)"))
        #expect(try !findings(link("email", "email")).contains { $0.code == "index.missing" && $0.column == "email" })
        // The comparison is in the database's own collation, and lower() in the column's.
        let column = try #require(schema.tables[table].columns.firstIndex { $0.name == "email" })
        schema.tables[table].columns[column].collation = "pg_catalog.\"C\""
        let collated = try findings(link("email", "email")).first { $0.code == "index.missing" && $0.column == "email" }
        #expect(collated?.remedy?.contains(#"(lower("email" COLLATE pg_catalog."default"))"#) == true)
        let fit = SchemaIndex(name: "fit", columns: [""], expression: #"lower((email COLLATE "default"))"#)
        schema.tables[table].indexes.append(fit)
        #expect(try !findings(link("email", "email")).contains { $0.code == "index.missing" && $0.column == "email" })
    }
}
