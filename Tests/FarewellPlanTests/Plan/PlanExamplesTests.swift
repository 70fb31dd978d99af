// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellPlan
import FarewellSQL
import FarewellSample
import TestFixtures
import Testing

struct PlanExamplesTests {
    private static func draft(_ profile: SamplePeople.Profile, _ kind: PlanDatabase) async throws -> (PlanDraft, Schema) {
        let box = SchemaBox()
        try await kind.with { database in
            try await ExampleSchema.make(profile, kind, in: database)
            await box.keep(try await Schema.read(from: database))
        }
        let schema = try #require(await box.schema)
        return (try PlanDerivation.draft(from: schema), schema)
    }

    private actor SchemaBox {
        private(set) var schema: Schema?
        func keep(_ schema: Schema) { self.schema = schema }
    }

    @Test("the plans of the examples fit their schemas without an error", arguments: PlanDatabase.allCases)
    func committed(_ kind: PlanDatabase) async throws {
        for profile in SamplePeople.Profile.allCases {
            let (_, schema) = try await Self.draft(profile, kind)
            let folder = try ExampleFolder(near: [#filePath])
            let plan = try PlanFile.load(path: "\(folder.path)/\(profile.rawValue)/farewell.\(kind.rawValue).yaml")
            let errors = PlanCheck.findings(plan, schema).filter { $0.severity == .error }
            #expect(errors == [], "\(profile.rawValue)")
        }
    }

    @Test(
        "PL-1 SV-4 the derived plan of coachme asks only about messages and usage logs that also lead elsewhere",
        arguments: PlanDatabase.allCases)
    func coachme(_ kind: PlanDatabase) async throws {
        let (draft, schema) = try await Self.draft(.coachme, kind)
        let errors = PlanCheck.findings(draft.plan, schema).filter { $0.severity == .error }
        #expect(
            errors.map { "\($0.code.rawValue) \($0.table?.name ?? "").\($0.column ?? "")" } == [
                "question.open messages.conversation_id", "question.open usage_logs.message_id",
            ])
        let erased = draft.plan.tables.filter { $0.rule == .erase }.map(\.table.name)
        for name in ["conversations", "messages", "context_profiles", "usage_logs", "pattern_syntheses", "users"] {
            #expect(erased.contains(name), "\(name)")
        }
    }

    @Test("PL-1 PL-3 the derived plan of muse asks only about rows of two users", arguments: PlanDatabase.allCases)
    func muse(_ kind: PlanDatabase) async throws {
        let (draft, schema) = try await Self.draft(.muse, kind)
        let errors = PlanCheck.findings(draft.plan, schema).filter { $0.severity == .error }
        #expect(Set(errors.map(\.code)) == ["question.open"])
        #expect(
            errors.map { "\($0.table?.name ?? "").\($0.column ?? "")" } == [
                "conversations.match_id", "invites.inviter_id", "invites.invitee_email", "messages.conversation_id",
                "messages.receiver_id", "reported_users.reported_id", "swipes.swiped_id",
            ])
        let answered = draft.plan.answeringAll(.owner)
        #expect(PlanCheck.findings(answered, schema).filter { $0.severity == .error } == [])
        let erased = answered.tables.filter { $0.rule == .erase }.map(\.table.name)
        for name in [
            "messages", "conversations", "reported_users", "muse_interactions", "feedback", "matches", "swipes",
            "user_languages", "user_preferences", "invites", "profiles",
        ] {
            #expect(erased.contains(name), "\(name)")
        }
    }

    @Test(
        "PL-1 the derived plan of a shop begins at its customers and does not affect employees",
        arguments: PlanDatabase.allCases)
    func chinook(_ kind: PlanDatabase) async throws {
        let (draft, schema) = try await Self.draft(.chinook, kind)
        #expect(draft.plan.subject.table.name.lowercased() == "customer")
        // Only whether employees are customers: the e-mail addresses of customers are not unique, so no answer deletes one.
        let places = draft.plan.questions.map { "\($0.table.name).\($0.columns[0])".lowercased().filter { $0 != "_" } }
        #expect(places == ["employee.employeeid", "employee.email"])
        #expect(draft.plan.questions.allSatisfy { $0.answers == [.unrelated] })
        let errors = PlanCheck.findings(draft.plan.answeringAll(.unrelated), schema).filter { $0.severity == .error }
        #expect(errors == [])
        let rules = Dictionary(
            draft.plan.tables.map { ($0.table.name.lowercased(), $0.rule.word) },
            uniquingKeysWith: { first, _ in first })
        #expect(rules["employee"] == "not personal" && rules["track"] == "not personal")
        #expect(rules["invoice"] == "erase")
    }
}
