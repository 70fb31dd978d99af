// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("Columns that the database computes, and types over other types")
struct ComputedColumnTests {
    @Test(
        "PL-1 PL-7 a computed column without a key is a question, which offers only answers possible for a computed column",
        arguments: SQLDialect.allCases)
    func computed(_ dialect: SQLDialect) async throws {
        let (number, text, kinds) =
            dialect == .postgresql
            ? ("(doc ->> 'uid')::bigint", "doc ->> 'uid'", ["STORED"])
            : ("json_extract(doc, '$.uid')", "json_extract(doc, '$.uid')", ["STORED", "VIRTUAL"])
        let tables = kinds.map { kind in
            """
            CREATE TABLE cached_\(kind) (id integer PRIMARY KEY, doc {json},
                user_id bigint GENERATED ALWAYS AS (\(number)) \(kind), owner_id text GENERATED ALWAYS AS (\(text)) \(kind));
            INSERT INTO cached_\(kind) (id, doc) VALUES (1, '{"uid":7001}'), (2, '{"uid":7002}');
            """
        }
        let script =
            "CREATE TABLE people (id bigint PRIMARY KEY, email text); INSERT INTO people VALUES (7001, 'a'), (7002, 'b');"
            + tables.joined()
        try await EngineFixture.with(dialect, script) { house in
            let schema = try await Schema.read(from: house.database)
            let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(house.name("people"), "id"))
            let sampled = try await QuestionSampling().sampled(draft, schema, house.database).plan
            for plan in [draft.plan, sampled] {
                let asked = plan.questions.filter { ["user_id", "owner_id"].contains($0.columns[0]) }
                #expect(asked.count == 2 * kinds.count, "\(plan.questions)")
                #expect(asked.allSatisfy { $0.answers == [.owner, .unrelated] && $0.reason.contains("computes") })
            }
            let plan = draft.plan.answeringAll(.owner)
            #expect(PlanCheck.findings(plan, schema).filter { $0.severity == .error }.isEmpty)
            let receipt = try await house.engine(plan).erase(["7001"]).first?.receipt
            #expect(receipt?.erased.values.reduce(0, +) == 1 + kinds.count)
        }
    }

    @Test(
        "PL-1 PL-7 sampled values give a computed list no answer that is impossible for a computed column",
        arguments: SQLDialect.allCases)
    func computedList(_ dialect: SQLDialect) async throws {
        let text = dialect == .postgresql ? "doc ->> 'm'" : "json_extract(doc, '$.m')"
        let script = """
            CREATE TABLE users (id integer PRIMARY KEY, email text);
            CREATE TABLE rooms (id integer PRIMARY KEY, doc {json}, member_ids text GENERATED ALWAYS AS (\(text)) STORED);
            INSERT INTO users VALUES (7001, 'a'), (7002, 'b');
            INSERT INTO rooms (id, doc) VALUES (1, '{"m": "7001, 7002"}');
            """
        try await EngineFixture.with(dialect, script) { house in
            let schema = try await Schema.read(from: house.database)
            let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(house.name("users"), "id"))
            let sampled = try await QuestionSampling().sampled(draft, schema, house.database).plan
            for plan in [draft.plan, sampled] {
                let question = try #require(plan.questions.first { $0.columns == ["member_ids"] }, "\(plan.questions)")
                #expect(question.link?.list == .comma && question.answers == [.unrelated, .owner], "\(question)")
            }
        }
    }

    @Test("PL-1 PL-7 arrays of a domain, and domains over arrays, are questions like arrays")
    func domains() async throws {
        let script = """
            CREATE DOMAIN uid AS uuid; CREATE DOMAIN more AS uid; CREATE DOMAIN uids AS uuid[]; CREATE DOMAIN num AS bigint;
            CREATE TABLE people (id uuid PRIMARY KEY, email text);
            CREATE TABLE rooms (id integer PRIMARY KEY, member_ids uid[], user_ids more[], owner_ids uids, editor_ids num[],
                present uid[]);
            INSERT INTO people VALUES ('a0000000-0000-4000-8000-000000007001', 'a');
            INSERT INTO rooms (id, present) VALUES (1, '{a0000000-0000-4000-8000-000000007001}');
            """
        try await EngineFixture.with(.postgresql, script) { house in
            let schema = try await Schema.read(from: house.database)
            let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(house.name("people"), "id"))
            let columns = draft.plan.questions.filter { $0.link?.list == .array }.flatMap(\.columns)
            #expect(Set(columns) == ["member_ids", "user_ids", "owner_ids"], "a number is no uuid")
            let sampled = try await QuestionSampling().sampled(draft, schema, house.database).plan
            let found = try #require(sampled.questions.first { $0.columns == ["present"] }, "\(sampled.questions)")
            #expect(found.link?.list == .array && found.answers.contains(.reference))
        }
    }
}
