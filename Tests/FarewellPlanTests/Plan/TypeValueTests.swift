// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

struct TypeValueTests {
    @Test("PL-2 PL-8 the values of a type column are read once, however many questions there are about its pair")
    func once() async throws {
        try await PlanDatabase.sqlite.with { database in
            try await database.script(
                "CREATE TABLE users (id integer PRIMARY KEY, email text UNIQUE)",
                "CREATE TABLE teams (id integer PRIMARY KEY, owner_id integer NOT NULL REFERENCES users (id) ON DELETE CASCADE)",
                "CREATE TABLE boards (id integer PRIMARY KEY, owner_id integer NOT NULL REFERENCES users (id) ON DELETE CASCADE)",
                "CREATE TABLE files (id integer PRIMARY KEY, record_type text NOT NULL, record_id integer NOT NULL)",
                "INSERT INTO users VALUES (1, 'a@example.org')", "INSERT INTO teams VALUES (1, 1)", "INSERT INTO boards VALUES (1, 1)",
                "INSERT INTO files VALUES (1, 'Team', 1), (2, 'User', 1), (3, 'Board', 1)")
            let schema = try await Schema.read(from: database)
            let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id"))
            let drafted = draft.plan.questions.filter { $0.table.name == "files" }
            #expect(drafted.map(\.links.count) == [3], "\(drafted)")
            let texts = Guarded<[String]>([])
            let counted = WatchedDatabase(database) { statements, _ in
                texts.withLock { $0 += statements.map(\.text) }
                return statements
            }
            let asked = try await QuestionSampling().sampled(draft, schema, counted).plan.questions
            let targets = asked.filter { $0.table.name == "files" && $0.columns.count == 2 }.map { $0.links.map(\.target.name) }
            #expect(targets == [["users", "boards", "teams"]], "\(asked)")
            let reads = texts.withLock { $0 }.filter { $0.contains("SELECT \"record_type\" FROM") }
            #expect(reads.count == 1, "\(reads)")
        }
    }
}
