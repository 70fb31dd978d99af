// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

struct ImpliedAnswersTests {
    @Test("PL-1 PL-8 a link to rows of which none is the subject's is settled by the answers there")
    func implied() throws {
        let schema = Schema(
            dialect: .sqlite,
            tables: [
                SchemaSketch.table("users", "id int pk", "email text unique"),
                SchemaSketch.table("keys", "id int pk", "created_by int"),
                SchemaSketch.table("events", "id int pk", "key_id int"),
            ])
        var plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        let made = try #require(plan.questions.firstIndex { $0.columns == ["created_by"] })
        let event = try #require(plan.questions.firstIndex { $0.columns == ["key_id"] })
        #expect(ImpliedAnswers.of(plan).isEmpty)
        plan.questions[made].answer = .reference
        #expect(ImpliedAnswers.of(plan) == [event: .unrelated])
        plan.questions[made].answer = .owner
        #expect(ImpliedAnswers.of(plan).isEmpty, "the rows are the subject's: whose are the events?")
    }
}
