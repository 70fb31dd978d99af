// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

@Suite("The value that replaces the subject's where a column without a key may not be null")
struct NeutralValueTests {
    private static let users = TableName("users")
    private static let notes = TableName("notes")

    /// A schema in which users' keys and the column `changed_by` of notes have these defaults.
    private static func schema(numbered: String?, default standard: String?, _ column: String) -> Schema {
        var people = SchemaSketch.table("users", "id int pk", "email text unique")
        var notes = SchemaSketch.table("notes", "id int pk", column, "body text")
        people.columns[0].defaultExpression = numbered
        notes.columns[1].defaultExpression = standard
        return Schema(dialect: .postgresql, tables: [notes, people])
    }

    private static func drafted(_ schema: Schema) throws -> (plan: Plan, question: PlanQuestion) {
        let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(users, "id")).plan
        return (plan, try #require(plan.questions.first { $0.columns == ["changed_by"] }, "\(plan.questions)"))
    }

    private static let sequence = "nextval('users_id_seq'::regclass)"

    @Test(
        "PL-1 PL-3 zero replaces the subject's key where it is the default and the database numbers the rows there",
        arguments: ["0", "'0'::bigint"])
    func zero(_ standard: String) throws {
        let schema = Self.schema(numbered: Self.sequence, default: standard, "changed_by int not-null")
        let (draft, question) = try Self.drafted(schema)
        #expect(question.answers == [.reference, .owner, .unrelated] && question.link?.replacement == "0", "\(question)")
        #expect(question.reason.contains("so reference replaces the value by `0`"), "\(question)")
        var plan = draft
        for place in plan.questions.indices { plan.questions[place].answer = plan.questions[place].answers.first }
        let answered = plan.answered()
        #expect(answered[Self.notes]?.links.map(\.replacement) == ["0"] && answered[Self.notes]?.rule.rowsStay == true)
        let errors = PlanCheck.findings(answered, schema).filter { $0.severity == .error && $0.table == Self.notes }
        #expect(errors.isEmpty, "\(errors)")
    }

    @Test("PL-1 PL-3 any other default, and zero where a user may have it as a key, replaces nothing without the author")
    func others() throws {
        let cases: [(numbered: String?, standard: String?)] = [
            (Self.sequence, nil), (Self.sequence, "1"), (Self.sequence, "'-1'::integer"), (Self.sequence, "zero()"),
            (nil, "0"), ("0", "0"),
        ]
        for (numbered, standard) in cases {
            let schema = Self.schema(numbered: numbered, default: standard, "changed_by int not-null")
            let question = try Self.drafted(schema).question
            #expect(question.link?.replacement == nil && question.answers.first == .unrelated, "\(standard ?? "") \(question)")
            #expect(question.reason.contains("reference also needs a value (`set`)"), "\(question)")
        }
        // A value that may be null becomes null, and a declared key leads to a row in any case.
        let empty = Self.schema(numbered: Self.sequence, default: "0", "changed_by int")
        let nullable = try Self.drafted(empty).question
        #expect(nullable.link?.replacement == nil && nullable.answers.first == .reference, "\(nullable)")
        let bound = Self.schema(numbered: Self.sequence, default: "0", "changed_by int not-null -> users.id no action")
        #expect(try Self.drafted(bound).question.link?.replacement == nil)
    }

    @Test(
        "PL-1 PL-3 a value replaces the subject's where only a check about null keeps it, and reference comes first",
        arguments: [("int", "0"), ("uuid", "00000000-0000-0000-0000-000000000000")])
    func checked(_ type: String, _ value: String) throws {
        func schema(_ condition: String) -> Schema {
            var schema = Self.schema(numbered: Self.sequence, default: nil, "changed_by \(type)")
            if type == "uuid" { schema.tables[1].columns[0] = SchemaSketch.table("users", "id uuid pk").columns[0] }
            schema.tables[0].checks = [SchemaCheck(name: "pair", condition: condition, columns: ["changed_by", "body"])]
            return schema
        }
        let bound = schema("((changed_by IS NULL) = (body IS NULL))")
        let (plan, question) = try Self.drafted(bound)
        #expect(question.answers.first == .reference && question.link?.replacement == value, "\(question)")
        #expect(question.reason.contains("a check refuses null in every row that has a value here, so reference replaces"))
        #expect(MissingReplacement(plan, bound).of(Array(plan.questions.indices)).isEmpty)
        // A check about values may refuse any other one.
        let restricted = schema("((changed_by IS NULL) = (body IS NULL)) AND (length((changed_by)::text) > 40)")
        let other = try Self.drafted(restricted).question
        #expect(other.answers.first == .unrelated && other.link?.replacement == nil, "\(other)")
    }
}
