// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Questions about columns that may hold one of several unique keys of the subject.
struct LinkTargetTests {
    private static let schema = Schema(
        dialect: .postgresql,
        tables: [
            SchemaSketch.table("users", "id int pk", "uuid uuid unique", "username text unique", "email text unique", "age int"),
            SchemaSketch.table("documents", "id int pk", "author_id uuid", "created_by text", "owner_id int", "reviewer_id text"),
        ])

    private static func draft() throws -> Plan {
        try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
    }

    private static func question(_ column: String, in plan: Plan) throws -> PlanQuestion {
        try #require(plan.questions.first { $0.columns == [column] }, "\(column): \(plan.questions)")
    }

    @Test("PL-1 PL-7 each unique key of the subject that fits by its type is offered, the likeliest first")
    func offered() throws {
        let plan = try Self.draft()
        func targets(_ column: String) throws -> [String] {
            LinkTargets(plan, Self.schema).of(try Self.question(column, in: plan)).map(\.column)
        }
        #expect(try targets("created_by") == ["id", "username", "email", "uuid"])
        #expect(try Self.question("created_by", in: plan).reason.contains("those of username, email, uuid there"))
        // The name is that of a key, not of an address.
        #expect(try targets("reviewer_id") == ["id", "uuid"])
        #expect(try targets("owner_id") == [], "one key fits")
        // The subject's own key cannot be meant.
        let author = try Self.question("author_id", in: plan)
        #expect(author.link?.targetColumns == ["uuid"] && author.answers.contains(.owner), "\(author)")
    }

    @Test("PL-1 PL-8 the link of a question leads to the key that the author chooses, and the rest of the file stays")
    func chosen() throws {
        let text = PlanFile.text(for: try Self.draft())
        let plan = try PlanFile.read(Array(text.utf8), path: "p")
        let number = try #require(plan.questions.firstIndex { $0.columns == ["created_by"] })
        let changed = try AnswerEditor(text, path: "p").leading([number], to: ColumnName(TableName("users"), "username"))
        let (before, after) = (text.split(separator: "\n"), changed.split(separator: "\n"))
        let different = zip(before, after).filter { $0 != $1 }.map { String($1) }
        #expect(before.count == after.count && different == ["    link: {from: created_by, to: users.username}"], "\(different)")
        let decided = try PlanFile.read(Array(AnswerEditor(changed, path: "p").answering([number: .owner]).utf8), path: "p")
        #expect(decided[TableName("documents")]?.links.map(\.targetColumns) == [["username"]])
        #expect(throws: FarewellError.self) {
            try AnswerEditor(text, path: "p").leading([plan.questions.count], to: ColumnName(TableName("users"), "uuid"))
        }
    }
}
