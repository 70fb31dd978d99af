// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import Testing

/// Users whose noun elsewhere means a person that handles rows: editors, agents.
struct UsersNounTests {
    private static func question(_ table: String, _ column: String, _ tables: SchemaTable...) throws -> PlanQuestion {
        let editors = SchemaSketch.table("editors", "id int pk", "email text unique")
        let schema = Schema(dialect: .postgresql, tables: [editors] + tables)
        let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(editors.name, "id")).plan
        let place = { (question: PlanQuestion) in question.table.name == table && question.columns == [column] }
        return try #require(plan.questions.first(where: place), "\(plan.questions)")
    }

    @Test(
        "PL-1 PL-3 rows of a table named after its users go first with the user, although their noun means one that handles rows",
        arguments: ["editor_id int not-null -> editors.id", "editor int not-null -> editors.id", "editor_id int not-null"])
    func own(key: String) throws {
        let column = String(try #require(key.split(separator: " ").first))
        let settings = SchemaSketch.table("editor_preferences", "id int pk", key, "name text", "value text")
        let own = try Self.question("editor_preferences", column, settings)
        #expect(own.answers.first == .owner, "\(own)")
    }

    @Test("PL-1 PL-3 a row of another name may be one that such a user only handled, and stays first without the user")
    func handled() throws {
        let article = try Self.question(
            "articles", "editor_id",
            SchemaSketch.table("articles", "id int pk", "editor_id int not-null -> editors.id", "body text"))
        #expect(article.answers.first == .reference, "\(article)")
        #expect(article.reason.contains("it refers to any user, also to one that only handled the row"), "\(article)")
    }

    @Test("PL-1 PL-3 beside a person of another table, a row named after its users stays first without the user")
    func others() throws {
        let visits = try Self.question(
            "editor_visits", "editor_id", SchemaSketch.table("patients", "id int pk", "title text"),
            SchemaSketch.table(
                "editor_visits", "id int pk", "editor_id int not-null -> editors.id",
                "patient_id int not-null -> patients.id", "day int"))
        #expect(visits.answers.first == .reference, "\(visits)")
    }
}
