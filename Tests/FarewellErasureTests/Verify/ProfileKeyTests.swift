// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

/// Unique columns of tables with one row for each user stand for the user as well.
@Suite("Keys of one user's rows")
struct ProfileKeyTests {
    private static let session = "a0000000-0000-4000-8000-000000007001"
    private static let profile = "a0000000-0000-4000-8000-000000008001"
    private static let other = "b0000000-0000-4000-8000-00000000"
    private static let script = """
        CREATE TABLE users (id integer PRIMARY KEY, email text UNIQUE);
        CREATE TABLE srp_auth (user_id integer PRIMARY KEY REFERENCES users (id), srp_user_id uuid NOT NULL UNIQUE, salt text);
        CREATE TABLE srp_sessions (id integer PRIMARY KEY, srp_user_id uuid NOT NULL, server_key text);
        CREATE TABLE profiles (id integer PRIMARY KEY, user_id integer NOT NULL UNIQUE REFERENCES users (id) ON DELETE CASCADE,
            public_id uuid NOT NULL UNIQUE);
        CREATE TABLE visits (id integer PRIMARY KEY, profile_public_id uuid NOT NULL, page text);
        CREATE TABLE products (id integer PRIMARY KEY, public_id uuid);
        CREATE TABLE notes (id integer PRIMARY KEY, body text);
        INSERT INTO users VALUES (1, 'one@example.org'), (2, 'two@example.org');
        INSERT INTO srp_auth VALUES (1, '\(session)', 's'), (2, '\(other)7002', 's');
        INSERT INTO srp_sessions VALUES (1, '\(session)', 'k'), (2, '\(other)7002', 'k');
        INSERT INTO profiles VALUES (1, 1, '\(profile)'), (2, 2, '\(other)8002');
        INSERT INTO visits VALUES (1, '\(profile)', '/'), (2, '\(other)8002', '/');
        INSERT INTO products VALUES (1, 'c0000000-0000-4000-8000-000000000001');
        INSERT INTO notes VALUES (1, 'seen by \(profile)'), (2, 'x');
        """

    @Test(
        "PL-1 PL-6 columns that repeat a unique key of a user's only row are questions, and the search looks for its value",
        arguments: SQLDialect.allCases)
    func repeated(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.script) { house in
            let schema = try await Schema.read(from: house.database)
            let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(house.name("users"), "id")).plan
            let asked = draft.questions.map { "\($0.table.name).\($0.columns[0]) \($0.link?.target.name ?? "-")" }
            #expect(asked == ["srp_sessions.srp_user_id srp_auth", "visits.profile_public_id profiles"], "\(draft.questions)")
            #expect(draft.questions.allSatisfy { $0.answers.first == .owner })

            // A plan from before the question hears of the columns.
            var before = draft
            before.questions = []
            let found = PlanCheck.findings(before, schema).filter { $0.code == "link.suspected" && $0.severity == .warning }
            #expect(found.compactMap(\.column).sorted() == ["profile_public_id", "srp_user_id"], "\(found)")

            let engine = try await house.engine(draft.answeringAll(.owner))
            let receipt = try #require(try await engine.erase(["1"], options: ErasureOptions(deepScan: .complete)).first?.receipt)
            #expect(receipt.erased == ["users": 1, "srp_auth": 1, "srp_sessions": 1, "profiles": 1, "visits": 1])
            #expect(receipt.verification.deepScan.occurrences == 1, "the note: \(receipt.verification.deepScan)")
            #expect(try await house.rows("SELECT id FROM visits") == ["2"])
        }
    }

    @Test("PL-6 a unique key of a user's only row is found in places that the plan calls not personal", arguments: SQLDialect.allCases)
    func searched(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.script) { house in
            let schema = try await Schema.read(from: house.database)
            let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(house.name("users"), "id")).plan
            let kept = try await house.engine(draft.answeringAll(.unrelated))
            let receipt = try #require(try await kept.erase(["2"], options: ErasureOptions(deepScan: .complete)).first?.receipt)
            #expect(receipt.verification.deepScan.occurrences == 2, "\(receipt.verification.deepScan)")
        }
    }
}
