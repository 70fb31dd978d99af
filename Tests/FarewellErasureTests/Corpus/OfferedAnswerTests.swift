// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import PlanCorpus
import TestFixtures
import Testing

/// No answer that `init` and `decide` offer is a trap: the check accepts each answer, apart from other questions.
@Suite("Offered answers")
struct OfferedAnswerTests {
    @Test("PL-1 the check refuses no answer that a draft of the corpus offers", arguments: CorpusFixture.allCases)
    func corpus(_ which: CorpusFixture.Case) async throws {
        try await EngineFixture.with(which.dialect, "SELECT 1") { engines in
            try await engines.database.withConnection { connection in
                for text in which.schema.script(which.dialect, keys: which.keys) {
                    _ = try await connection.run(SQLStatement(text))
                }
            }
            let schema = try await Schema.read(from: engines.database)
            let plan = try PlanDerivation.draft(from: schema, subject: which.schema.subjectColumn(which.dialect)).plan
            #expect(RefusedAnswers.of(plan, schema) == [])
        }
    }

    @Test("PL-1 the check refuses no answer that a draft of a random schema offers", arguments: SQLDialect.allCases)
    func random(_ dialect: SQLDialect) async throws {
        var (questions, given) = (0, Set<PlanQuestion.Answer>())
        for seed in UInt64(1)...60 {
            let random = RandomNames(seed: seed, dialect)
            let plan = try PlanDerivation.draft(from: random.schema, subject: random.subject).plan
            #expect(RefusedAnswers.of(plan, random.schema) == [], "seed \(seed)")
            questions += plan.questions.count
            given.formUnion(plan.questions.flatMap(\.answers))
            await Task.yield()
        }
        #expect(questions > 240 && given.isSuperset(of: [.owner, .reference, .unrelated]), "\(questions) \(given)")
    }

    @Test("PL-1 an answer that the check refuses is found: a link to an address that is not unique")
    func refused() throws {
        let (users, guests) = (TableName("users"), TableName("guests"))
        let columns = ["id", "email"].map { SchemaColumn(name: $0, type: "text", kind: .text, isNullable: $0 == "email") }
        let schema = Schema(
            dialect: .sqlite,
            tables: [users, guests].map { SchemaTable(name: $0, columns: columns, primaryKey: ["id"]) })
        var plan = try PlanDerivation.draft(from: schema, subject: ColumnName(users, "id")).plan
        let place = try #require(plan.questions.firstIndex { $0.table == guests })
        #expect(plan.questions[place].answers == [.unrelated])
        #expect(RefusedAnswers.of(plan, schema) == [])
        plan.questions[place].answers = [.owner, .unrelated]
        plan.questions[place].link = Link(columns: ["email"], target: users, targetColumns: ["email"])
        let refused = RefusedAnswers.of(plan, schema)
        #expect(refused.count == 1 && refused.first?.contains("link.shared-target") == true, "\(refused)")
    }
}
