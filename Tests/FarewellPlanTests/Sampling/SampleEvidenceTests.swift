// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

/// Evidence of a sample, and coincidences.
struct SampleEvidenceTests {
    @Test("PL-1 PL-7 a few words, small numbers and UUIDs written by hand are no evidence; an address or a made UUID is")
    func values() {
        func isEnough(_ uuids: Set<String> = [], _ integers: Set<Int64> = [], _ texts: Set<String> = []) -> Bool {
            SampleEvidence.isEnough(.init(uuids: uuids, integers: integers, texts: texts))
        }
        #expect(!isEnough())
        #expect(!isEnough(["00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000001"]))
        #expect(isEnough(["5f0c3a52-7c1e-4b1e-9a53-0d5b8f6e7a10"]))
        #expect(!isEnough([], [1, 2]) && !isEnough([], Set(1...19)) && isEnough([], Set(1...20)))
        #expect(!isEnough([], [1, 70_001, 70_002]) && isEnough([], [70_000, 70_001, 70_002]) && isEnough([], [.min, .max, 1_000]))
        #expect(!isEnough([], [], ["admin", "root"]) && isEnough([], [], ["admin", "root", "guest"]))
        #expect(isEnough([], [], ["ann@example.org"]) && isEnough([], [], ["clx0000000000000000000ann"]))
    }

    @Test("PL-1 PL-7 one or two sampled values neither make a link nor refute one: there are too few rows to tell")
    func questions() async throws {
        try await PlanDatabase.sqlite.with { database in
            try await database.script(
                "CREATE TABLE users (id integer PRIMARY KEY, email text UNIQUE, member_no integer UNIQUE)",
                "CREATE TABLE orders (id integer PRIMARY KEY, author_id integer)",
                "CREATE TABLE gone (id integer PRIMARY KEY, author_id integer)",
                "CREATE TABLE others (id integer PRIMARY KEY, author_id integer)",
                "CREATE TABLE small (id integer PRIMARY KEY, doc json)",
                "INSERT INTO users VALUES (101, 'a@example.org', 1), (102, 'b@example.org', 2), (103, 'c@example.org', 3)",
                "INSERT INTO orders VALUES (1, 1), (2, 2)", "INSERT INTO gone VALUES (1, 104), (2, 105)",
                "INSERT INTO others VALUES (1, 7), (2, 8), (3, 9)",
                "INSERT INTO small VALUES (1, '{\"member\": 101}'), (2, '{\"member\": 102}'), (3, '{\"member\": 103}')")
            let schema = try await Schema.read(from: database)
            let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id"))
            let asked = try await QuestionSampling().sampled(draft, schema, database).plan.questions
            func question(_ table: String) throws -> PlanQuestion {
                try #require(asked.first { $0.table.name == table && $0.columns == ["author_id"] }, "\(asked)")
            }
            let orders = try question("orders")
            // The numbers 1 and 2 are in every sequence: they change no target.
            #expect(orders.link?.targetColumns == ["id"] && orders.reason.contains("too few rows to tell"), "\(orders)")
            #expect(orders.answers.first == .owner)
            let gone = try question("gone")
            #expect(gone.answers.first == .owner && gone.reason.contains("too few rows to tell"), "\(gone)")
            let others = try question("others")
            #expect(others.answers.first == .unrelated && !others.reason.contains("too few"), "\(others)")
            #expect(!asked.contains { $0.table.name == "small" }, "\(asked)")
        }
    }

    @Test("PL-1 PL-7 numbers among counted keys, most of which are gone, may be those of users who left; others may not")
    func gone() {
        #expect(SampleEvidence.mayBeGone([5, 6, 7], of: 1...100, rows: 10))
        #expect(!SampleEvidence.mayBeGone([5, 6, 7], of: 1...100, rows: 90), "some of them would be keys")
        #expect(!SampleEvidence.mayBeGone(Set(5...60), of: 1...100, rows: 10), "some of so many would be keys")
        #expect(!SampleEvidence.mayBeGone([500, 600, 700], of: 1...100, rows: 10), "no user ever had such a key")
        #expect(!SampleEvidence.mayBeGone([5, 6, 7], of: 1...1_000_000, rows: 10), "these keys are not counted")
        #expect(!SampleEvidence.mayBeGone([.min, 0, .max], of: .min ... .max, rows: 3))
    }

    @Test("PL-1 PL-7 no sampled value speaks against a link to users of whom no row, or only a few, are left")
    func few() async throws {
        try await PlanDatabase.sqlite.with { database in
            try await database.script(
                "CREATE TABLE users (id integer PRIMARY KEY, email text UNIQUE)",
                "CREATE TABLE orders (id integer PRIMARY KEY, author_id integer)",
                "INSERT INTO orders VALUES (1, 7), (2, 8), (3, 9)")
            let schema = try await Schema.read(from: database)
            let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id"))
            for (users, words) in [
                ("", "where --sample found no row"), ("(1, 'a@example.org'), (100, 'b@example.org')", "too few rows to tell"),
            ] {
                if !users.isEmpty { try await database.script("INSERT INTO users VALUES \(users)") }
                let asked = try await QuestionSampling().sampled(draft, schema, database).plan.questions
                let question = try #require(asked.first { $0.columns == ["author_id"] }, "\(asked)")
                #expect(question.answers.first == .owner && question.reason.contains(words), "\(question)")
            }
        }
    }
}
