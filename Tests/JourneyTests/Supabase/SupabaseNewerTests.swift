// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation
import Logging
import TestFixtures
import Testing

/// A system that has no data of anyone, and counts its calls.
private actor EmptySystem: Connector {
    private(set) var calls = 0
    nonisolated let declaration = ConnectorDeclaration(abilities: [.verify])

    func count(_ request: ConnectorRequest) -> Int? { nil }

    func erase(_ request: ConnectorRequest) -> ConnectorAnswer {
        calls += 1
        return .nothingThere
    }

    func verify(_ request: ConnectorRequest) -> ConnectorReading { .gone }
}

@Suite("A Supabase project that is newer than the facts")
struct SupabaseNewerTests {
    /// As `auth.scim_users` was, before the facts knew it: the document stays when the user is deleted.
    private static let cards = [
        """
        CREATE TABLE auth.cards (id uuid PRIMARY KEY, user_id uuid REFERENCES auth.users ON DELETE SET NULL, card jsonb NOT NULL)
        """,
        "INSERT INTO auth.cards SELECT gen_random_uuid(), id, jsonb_build_object('mail', email) FROM auth.users",
    ]

    @Test("SB-1 OP-2 a vendor's new table that only loses its key is named in check, preview, receipt and verify, until a plan decides")
    func emptied() async throws {
        try await SupabaseProject.with { project in
            let (person, other) = (project.people[0], project.people[1])
            try await project.draft()
            for statement in Self.cards { try await project.sql(statement, as: "supabase_auth_admin") }
            let checked = try await project.farewell("check", "--ci")
            #expect(checked.status == 1 && checked.output.contains("warning vendor.new-table auth.cards.user_id"), "\(checked)")
            let preview = try await project.farewell("preview", "--subject", person)
            #expect(preview.output.contains("auth.cards is not in this version's facts"), "\(preview)")
            #expect(!preview.output.contains("No row would stay"), "\(preview)")
            // A vendor's change stops no erasure, and the receipt does not hide it.
            let erased = try await project.farewell("erase", "--subject", person, "--yes")
            #expect(erased.status == 0, "\(erased)")
            let receipt = try await project.farewell("receipt", "show", "--json")
            #expect(receipt.output.contains("This table was not searched") && receipt.output.contains("auth.cards"), "\(receipt)")
            let verified = try await project.farewell("verify", "--subject", person, "--deep")
            #expect(verified.output.contains("! auth.cards is not in this version's facts"), "\(verified)")
            #expect(!verified.output.contains("No identifier of the subject is left"), "\(verified)")
            #expect(try await project.sql("SELECT count(*) FROM auth.cards WHERE card::text LIKE '%person1@%'") == "1")

            let merged = try await project.farewell("init", "--merge", "--json")
            #expect(merged.status == 0 && merged.objects.first?["added"] as? [String] == ["auth.cards"], "\(merged)")
            let asked = try await project.farewell("decide", "--table", "auth.cards", "--answer", "owner")
            #expect(asked.status == 0, "\(asked)")
            let accepted = try await project.farewell("check", "--accept")
            #expect(accepted.status == 0 && !accepted.output.contains("newer than the profile"), "\(accepted)")
            let second = try await project.farewell("erase", "--subject", other, "--yes")
            #expect(second.status == 0, "\(second)")
            #expect(try await project.census(of: other, email: "person2@") == [:])
        }
    }

    @Test(
        "SB-3 a bucket that keeps versions of files is an error of the check, and no erasure starts",
        arguments: ["ENABLED", "SUSPENDED"])
    func versions(_ status: String) async throws {
        try await SupabaseProject.with { project in
            try await project.draft()
            try await project.sql("UPDATE storage.buckets SET versioning_status = '\(status)' WHERE id = 'documents'")
            let files = try await project.files()
            let checked = try await project.farewell("check", "--json")
            #expect(checked.status == 1 && checked.output.contains("vendor.versions"), "\(checked)")
            let refused = try await project.farewell("erase", "--subject", project.people[0], "--yes", "--json")
            #expect(refused.status == 2 && refused.output.contains("plan.unaccounted"), "\(refused)")
            #expect(try await project.files() == files)
        }
    }

    @Test("SB-3 a bucket that begins to keep versions while a process runs stops its erasures before anything is deleted")
    func versionsLater() async throws {
        try await SupabaseProject.with { project in
            try await project.draft()
            let plan = try PlanFile.load(path: project.plan.path)
            let (database, system) = (try openDatabase(project.address), EmptySystem())
            let engine = try await ErasureEngine.open(
                database, plan: plan, folder: project.folder.path, state: project.folder.appendingPathComponent("state").path,
                connectors: Dictionary(plan.systems.map { ($0.name, system as any Connector) }) { first, _ in first },
                environment: .live(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
            let fingerprint = try await engine.databaseFingerprint()
            try await project.sql("UPDATE storage.buckets SET versioning_status = 'ENABLED' WHERE id = 'documents'")
            #expect(try await engine.databaseFingerprint() != fingerprint)
            let outcome = try #require(try await engine.erase([project.people[0]]).first)
            #expect(outcome.receipt == nil && "\(outcome)".contains("keeps earlier versions"), "\(outcome)")
            #expect(await system.calls == 0)
            #expect(try await project.sql("SELECT count(*) FROM auth.users WHERE id = '\(project.people[0])'") == "1")
            #expect(try await engine.refit() == false)
            #expect(engine.unfit?.error.message.contains("keeps earlier versions") == true)
            try await project.sql("UPDATE storage.buckets SET versioning_status = 'DISABLED' WHERE id = 'documents'")
            #expect(try await engine.refit())
            await database.close()
        }
    }

    @Test("SB-1 a receipt says once what the systems of several buckets do not erase")
    func remarks() async throws {
        try await SupabaseProject.with { project in
            try await project.draft()
            let erased = try await project.farewell("erase", "--subject", project.people[0], "--yes")
            #expect(erased.status == 0, "\(erased)")
            let receipt = try await project.farewell("receipt", "show", "--json")
            #expect(receipt.output.components(separatedBy: "unfinished uploads").count == 2, "\(receipt)")
        }
    }
}
