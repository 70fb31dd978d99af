// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// U+FEFF: invisible, written before a file by some editors and before the first column by some spreadsheets.
struct ByteOrderMarkTests {
    private static let mark = "\u{FEFF}"

    @Test(
        "PL-1 a name that begins with a byte order mark is read as written, in every notation",
        arguments: [
            "[id, \u{FEFF}id]", "[id, \"\u{FEFF}id\"]", "[id, '\u{FEFF}id']", "[id, \"\\uFEFFid\"]", "[id, \"\\ufeffid\"]",
            "[id, \"\\U0000FEFFid\"]", "[{id: not personal}, {\"\\uFEFFid\": not personal}]",
        ])
    func named(_ columns: String) throws {
        let text = "farewell: 1\nsubject: {table: users, key: id}\ntables:\n  users:\n    rule: erase\n    columns: \(columns)\n"
        let plan = try PlanFile.read(Array(text.utf8), path: "p")
        let names = try #require(plan.tables.first).columns.map { Array($0.name.unicodeScalars) }
        #expect(names == [Array("id".unicodeScalars), Array((Self.mark + "id").unicodeScalars)])
    }

    @Test("PL-1 backslashes in other notations, comments and other private-use characters stay unchanged")
    func others() throws {
        let text = """
            farewell: 1 # \(Self.mark) "\\uFEFF
            subject: {table: "\\uE000", key: 'a\\uFEFF'}
            tables:
              "\\uE000": {rule: erase, columns: ['a\\uFEFF', "b\\\\uFEFF", "\\uFEFF\\uE000\\uE001", a\(Self.mark)\(Self.mark)]}
            """
        let plan = try PlanFile.read(Array(text.utf8), path: "p")
        #expect(plan.subject == SubjectRoot(table: TableName("\u{E000}"), key: "a\\uFEFF"))
        let names = try #require(plan.tables.first).columns.map { Array($0.name.unicodeScalars) }
        let expected = ["a\\uFEFF", "b\\uFEFF", "\u{FEFF}\u{E000}\u{E001}", "a\u{FEFF}\u{FEFF}"]
        #expect(names == expected.map { Array($0.unicodeScalars) })
    }

    @Test("PL-1 a byte order mark before the file belongs to no key, and commands that change the file keep it")
    func ofFile() throws {
        let text = """
            farewell: 1
            subject: {table: users, key: id}
            questions:
            - {table: votes, column: voter, reason: r, link: {from: voter, to: users.id}, answers: [owner, not personal]}
            tables:
              users: {rule: erase, columns: [id]}
              votes: {rule: not personal, columns: [id, voter]}
            """
        let plan = try PlanFile.read(Array(text.utf8), path: "p")
        #expect(try PlanFile.read(Array((Self.mark + text).utf8), path: "p") == plan)
        let answered = try AnswerEditor(text, path: "p").answering([0: .owner])
        let marked = try AnswerEditor(Self.mark + text, path: "p").answering([0: .owner])
        #expect(Array(marked.utf8) == Array((Self.mark + answered).utf8) && answered.contains("answer: owner"))
        let schema = SchemaSketch.schema(
            .sqlite, SchemaSketch.table("users", "id int pk"), SchemaSketch.table("votes", "id int pk", "voter int"),
            SchemaSketch.table("posts", "id int pk", "user_id int not-null -> users.id cascade"))
        let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id"))
        let merged = try PlanMerge(draft, into: text, path: "p", schema).text
        let both = try PlanMerge(draft, into: Self.mark + text, path: "p", schema).text
        #expect(Array(both.utf8) == Array((Self.mark + merged).utf8) && merged.contains("posts"))
        // A second mark is a part of the first key, and no plan has such a key.
        let error = #expect(throws: FarewellError.self) {
            try PlanFile.read(Array((Self.mark + Self.mark + text).utf8), path: "p")
        }
        #expect(error?.message.contains("p:1:1: ") == true, "\(String(describing: error))")
    }
}
