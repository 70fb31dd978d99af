// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

/// A subject's row has further unique keys: foreign keys lead to them, and other places repeat them.
@Suite("Other keys of the subject's row")
struct OtherKeyTests {
    private static let leaver = "a0000000-0000-4000-8000-000000007001"
    private static let script = """
        CREATE TABLE users (id integer PRIMARY KEY, email text UNIQUE, uuid uuid NOT NULL UNIQUE, account_no bigint NOT NULL UNIQUE);
        CREATE TABLE parcels (id integer PRIMARY KEY, owner_uuid uuid NOT NULL REFERENCES users (uuid) ON DELETE CASCADE);
        CREATE TABLE ledgers (id integer PRIMARY KEY, account_no bigint NOT NULL REFERENCES users (account_no) ON DELETE CASCADE);
        CREATE TABLE raw (id integer PRIMARY KEY, user_uuid uuid, meta {json}, note text);
        CREATE TABLE bills (id integer PRIMARY KEY, account_no bigint, score bigint, uuid uuid);
        INSERT INTO users VALUES (1, 'one@example.org', '\(leaver)', 70000001),
            (2, 'two@example.org', 'b0000000-0000-4000-8000-000000007002', 70000002);
        INSERT INTO parcels SELECT id, uuid FROM users;
        INSERT INTO ledgers SELECT id, account_no FROM users;
        INSERT INTO raw VALUES (1, '\(leaver)', '{"by":"\(leaver)"}', 'for \(leaver), 70000001'),
            (2, 'b0000000-0000-4000-8000-000000007002', '{}', 'x');
        INSERT INTO bills VALUES (1, 70000001, 1, 'c0000000-0000-4000-8000-000000000001');
        """

    @Test("PL-1 PL-6 other unique keys are identifiers, and columns named after them are questions", arguments: SQLDialect.allCases)
    func found(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.script) { fixture in
            let schema = try await Schema.read(from: fixture.database)
            let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(fixture.name("users"), "id"))
            #expect(draft.plan.subject.identifiers.map(\.column) == ["email", "uuid", "account_no"])
            let asked = draft.plan.questions.map { "\($0.table.name).\($0.columns[0]) \($0.link?.targetColumns[0] ?? "-")" }
            #expect(asked == ["bills.account_no account_no", "raw.user_uuid uuid"], "\(asked)")
            let personal = draft.plan.tables.filter { $0.rule.isPersonal }.map(\.table.name)
            #expect(personal == ["ledgers", "parcels", "users"], "no guess is a link")

            let sampled = try await QuestionSampling().sampled(draft, schema, fixture.database).plan
            let column = try #require(sampled.questions.first { $0.columns == ["user_uuid"] })
            #expect(column.reason.contains("2 of 2 different sampled values of user_uuid are values of "), "\(column.reason)")
            let member = try #require(sampled.questions.first { $0.columns == ["meta"] })
            #expect(member.link?.path == ["by"] && member.link?.targetColumns == ["uuid"], "\(member)")

            let engine = try await fixture.engine(sampled.answeringAll(.unrelated))
            let outcome = try #require(try await engine.erase(["1"], options: ErasureOptions(deepScan: .complete)).first)
            let receipt = try #require(outcome.receipt, "\(outcome)")
            #expect(receipt.erased == ["users": 1, "parcels": 1, "ledgers": 1])
            #expect(receipt.verification.deepScan.occurrences == 3, "\(receipt.verification.deepScan)")
        }
    }

    @Test("PL-1 a row that references another key is erased once the answer says so", arguments: SQLDialect.allCases)
    func answered(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.script) { fixture in
            let engine = try await fixture.engine(try await fixture.plan("users"))
            let outcome = try #require(try await engine.erase(["1"], options: ErasureOptions(deepScan: .complete)).first)
            let receipt = try #require(outcome.receipt, "\(outcome)")
            #expect(receipt.erased == ["users": 1, "parcels": 1, "ledgers": 1, "raw": 1, "bills": 1])
            #expect(receipt.verification.deepScan.occurrences == 0)
            #expect(try await fixture.rows("SELECT id FROM raw") == ["2"])
        }
    }
}
