// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("Several keys that name an owner")
struct RivalOwnerTests {
    @Test("PL-1 PL-3 two keys whose names both suggest an owner are a question", arguments: SQLDialect.allCases)
    func asked(_ dialect: SQLDialect) async throws {
        for null in ["NOT NULL", ""] {
            let script = """
                CREATE TABLE users (id integer PRIMARY KEY, email text);
                CREATE TABLE documents (id integer PRIMARY KEY, user_id integer \(null) REFERENCES users,
                    uploader_id integer \(null) REFERENCES users);
                """
            try await EngineFixture.with(dialect, script) { house in
                let schema = try await Schema.read(from: house.database)
                let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(house.name("users"), "id")).plan
                #expect(plan.questions.map(\.columns) == [["user_id"], ["uploader_id"]], "\(plan.questions)")
                #expect(plan.tables.first { $0.table.name == "documents" }?.rule.erasesRows == false)
            }
        }
    }
}
