// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

/// Keys that ignore letter case, and columns that do beside keys that do not.
struct SpelledKeyTests {
    @Test(
        "PL-7 PL-6 a column that ignores letter case and links to a key that does not is a warning, unless a key forbids other spellings",
        arguments: PlanDatabase.allCases)
    func exactKeys(_ kind: PlanDatabase) async throws {
        try await kind.with { database in
            let loose = kind == .sqlite ? "text COLLATE NOCASE" : "citext"
            if kind == .postgresql { try await database.script("CREATE EXTENSION citext") }
            try await database.script(
                "CREATE TABLE users (id integer PRIMARY KEY, username text NOT NULL UNIQUE, email \(loose) UNIQUE)",
                "CREATE TABLE posts (id integer PRIMARY KEY, author_username \(loose))",
                "CREATE TABLE notes (id integer PRIMARY KEY, author_username \(loose) REFERENCES users (username) ON DELETE CASCADE)",
                "CREATE TABLE mails (id integer PRIMARY KEY, user_email text)")
            let schema = try await Schema.read(from: database)
            let users = ColumnName(TableName(schema: kind == .sqlite ? nil : "public", "users"), "id")
            let draft = try PlanDerivation.draft(from: schema, subject: users).plan
            let asked = try #require(draft.questions.first { $0.table.name == "posts" })
            #expect(asked.reason.contains("does not find other spellings"), "\(asked.reason)")
            #expect(draft.questions.contains { $0.table.name == "mails" && !$0.reason.contains("other spellings") })
            let found = PlanCheck.findings(draft.answeringAll(.owner), schema).filter { $0.code == "link.exact-key" }
            #expect(found.map { $0.table?.name } == ["posts"] && found.first?.severity == .warning, "\(found)")
        }
    }

    @Test(
        "PL-5 a subject's key that ignores letter case is refused, and the remedy names the table's other keys",
        arguments: PlanDatabase.allCases)
    func subjectKeys(_ kind: PlanDatabase) async throws {
        try await kind.with { database in
            let loose = kind == .sqlite ? "text COLLATE NOCASE" : "citext"
            if kind == .postgresql { try await database.script("CREATE EXTENSION citext") }
            try await database.script(
                "CREATE TABLE users (email \(loose) PRIMARY KEY, number integer NOT NULL UNIQUE, nick text UNIQUE)",
                "CREATE TABLE people (email \(loose) PRIMARY KEY, nick text)")
            let schema = try await Schema.read(from: database)
            for (name, words) in [("users", "users.number`"), ("people", "Add a column")] {
                let key = ColumnName(TableName(schema: kind == .sqlite ? nil : "public", name), "email")
                let plan = try PlanDerivation.draft(from: schema, subject: key).plan
                let finding = try #require(PlanCheck.findings(plan, schema).first { $0.code == "subject.loose" })
                #expect(finding.remedy?.contains(words) == true, "\(String(describing: finding.remedy))")
                #expect(finding.remedy?.contains("nick") == false, "a key that may be null is none")
            }
        }
    }
}
