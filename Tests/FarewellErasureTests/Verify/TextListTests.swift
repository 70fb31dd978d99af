// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

/// Text columns that list keys, written with commas, as JSON, or in a way of their own.
@Suite("Lists of keys in text")
struct TextListTests {
    private static let leaver = "a0000000-0000-4000-8000-000000007001"
    private static let other = "b0000000-0000-4000-8000-000000007002"

    /// - Parameter value: A list of the leaver and another subject.
    private static func script(_ value: String, default text: String = "''", isNumber: Bool = false) -> String {
        let keys = isNumber ? ("7001", "7002") : ("'\(leaver)'", "'\(other)'")
        return """
            CREATE TABLE users (id \(isNumber ? "integer" : "uuid") PRIMARY KEY, email text);
            CREATE TABLE rooms (id integer PRIMARY KEY, member_ids text NOT NULL DEFAULT \(text));
            INSERT INTO users VALUES (\(keys.0), 'one@example.org'), (\(keys.1), 'two@example.org');
            INSERT INTO rooms VALUES (1, '\(value)'), (2, '');
            """
    }

    private func draft(_ fixture: EngineFixture) async throws -> (draft: PlanDraft, schema: Schema) {
        let schema = try await Schema.read(from: fixture.database)
        return (try PlanDerivation.draft(from: schema, subject: ColumnName(fixture.name("users"), "id")), schema)
    }

    @Test("PL-1 PL-9 sampled values, or the default, decide how a text lists keys", arguments: SQLDialect.allCases)
    func decided(_ dialect: SQLDialect) async throws {
        let json = "[\"\(Self.leaver)\", \"\(Self.other)\"]"
        let jsonForm: Link.ListForm? = dialect == .sqlite ? .json : nil
        let cases: [(value: String, default: String, drafted: Link.ListForm?, sampled: Link.ListForm?)] = [
            ("\(Self.leaver), \(Self.other)", "''", .comma, .comma), (json, "''", .comma, jsonForm),
            (json, "'[]'", jsonForm, jsonForm), ("\(Self.leaver);\(Self.other)", "''", .comma, nil),
            ("{\(Self.leaver)}", "''", .comma, nil),
        ]
        for (value, text, drafted, sampled) in cases {
            try await EngineFixture.with(dialect, Self.script(value, default: text)) { fixture in
                let (draft, schema) = try await self.draft(fixture)
                let question = try #require(draft.plan.questions.first { $0.columns == ["member_ids"] })
                #expect(question.link?.list == drafted, "\(value)")
                let read = try await QuestionSampling().sampled(draft, schema, fixture.database).plan
                let found = try #require(read.questions.first { $0.columns == ["member_ids"] })
                #expect(found.link?.list == sampled && (sampled != nil) == found.answers.contains(.reference), "\(found)")
            }
        }
    }

    @Test(
        "PL-4 PL-6 PL-9 a key in a list of another form is a finding of check, rehearsal, read-back and deep scan",
        arguments: SQLDialect.allCases)
    func found(_ dialect: SQLDialect) async throws {
        let values = [
            (false, "[\"\(Self.leaver)\",\"\(Self.other)\"]"), (false, "\(Self.other) \(Self.leaver.uppercased())"),
            (true, "[7001, 7002]"), (true, "7002;7001"), (true, "|7001|"), (true, "7002 7001"),
        ]
        for (isNumber, value) in values {
            try await EngineFixture.with(dialect, Self.script(value, isNumber: isNumber)) { fixture in
                let (draft, schema) = try await self.draft(fixture)
                let plan = draft.plan.answeringAll(.reference)
                let findings = try await PlanSampling().findings(plan, schema, fixture.database)
                #expect(findings.map(\.code.rawValue) == ["list.other-form"] && findings[0].severity == .error, "\(findings)")
                let engine = try await fixture.engine(plan)
                let subject = isNumber ? "7001" : Self.leaver
                let rehearsal = try #require(try await engine.rehearse([subject]).first)
                #expect(rehearsal.left.values.reduce(0, +) == 1, "\(value): \(rehearsal)")
                let outcome = try #require(try await engine.erase([subject]).first)
                #expect(outcome.receipt == nil, "\(value): \(outcome)")
                #expect(try await fixture.count("users") == 2, "SQL-01 identity stays")
                let verified = try await engine.verify(subject, extent: .complete)
                #expect(verified.deepScan.leftIn.contains { $0.contains("rooms.member_ids") }, "\(value): \(verified)")
            }
        }
    }

    @Test("PL-9 a list of the declared form loses the subject and nothing else", arguments: SQLDialect.allCases)
    func removed(_ dialect: SQLDialect) async throws {
        for (isNumber, value, rest) in [(true, "7001, 7002", "7002"), (false, "\(Self.other),\(Self.leaver)", Self.other)] {
            try await EngineFixture.with(dialect, Self.script(value, isNumber: isNumber)) { fixture in
                let (draft, schema) = try await self.draft(fixture)
                let plan = draft.plan.answeringAll(.reference)
                #expect(try await PlanSampling().findings(plan, schema, fixture.database).isEmpty)
                let engine = try await fixture.engine(plan)
                let subject = isNumber ? "7001" : Self.leaver
                let outcome = try #require(try await engine.erase([subject], options: ErasureOptions(deepScan: .complete)).first)
                #expect(outcome.receipt?.verification.deepScan.occurrences == 0, "\(outcome)")
                #expect(try await fixture.rows("SELECT member_ids FROM rooms WHERE id = 1") == [rest])
            }
        }
    }
}
