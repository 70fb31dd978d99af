// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import Foundation
import Testing

@Suite("A Supabase project that grows: buckets and tables after the first plan")
struct SupabaseBucketTests {
    @Test("SB-1 SB-3 init --merge adds a later bucket and table to the plan; until then nothing is erased, and no receipt is made")
    func later() async throws {
        try await SupabaseProject.with { project in
            let person = project.people[0]
            try await project.draft()
            try await project.sql("INSERT INTO storage.buckets (id, name) VALUES ('chat', 'chat')")
            try await project.upload("chat", "\(person)/voice.ogg", owner: person)
            try await project.upload("chat", "shared/of them.ogg", owner: person)
            try await project.upload("chat", "shared/of another.ogg", owner: project.people[1])
            try await project.sql(
                "CREATE TABLE public.reactions (id bigint PRIMARY KEY, user_id uuid NOT NULL REFERENCES auth.users)", as: "postgres")
            try await project.sql("INSERT INTO public.reactions VALUES (1, '\(person)'), (2, '\(project.people[1])')")
            try await project.sql("ALTER TABLE auth.users ADD COLUMN nickname text", as: "supabase_auth_admin")
            let (files, text) = (try await project.files(), try String(contentsOf: project.plan, encoding: .utf8))

            let checked = try await project.farewell("check", "--json")
            #expect(checked.status == 1 && checked.output.contains("vendor.bucket"), "\(checked)")
            let refused = try await project.farewell("erase", "--subject", person, "--yes", "--json")
            #expect(refused.status == 2 && refused.output.contains("plan.unaccounted"), "\(refused)")
            let doctor = try await project.farewell("doctor")
            #expect(doctor.status != 0 && doctor.output.contains("no erasure starts"), "\(doctor)")
            #expect(try await project.files() == files)

            let merged = try await project.farewell("init", "--merge", "--json")
            #expect(merged.status == 0, "\(merged)")
            #expect(merged.objects.first?["systems"] as? [String] == ["storage-chat"], "\(merged)")
            #expect(merged.objects.first?["added"] as? [String] == ["public.reactions"], "\(merged)")
            let after = try String(contentsOf: project.plan, encoding: .utf8).split(separator: "\n")
            #expect(text.split(separator: "\n").allSatisfy(after.contains), "the other lines stay")
            let again = try await project.farewell("init", "--merge", "--json")
            #expect(again.objects.first?["systems"] as? [String] == [], "\(again)")
            let accepted = try await project.farewell("check", "--accept")
            #expect(accepted.status == 0, "\(accepted)")

            let erased = try await project.farewell("erase", "--subject", person, "--yes", "--json")
            #expect(erased.status == 0, "\(erased)")
            #expect(try await project.census(of: person, email: "person1@") == [:])
            let left = try await project.files().filter { $0.hasPrefix("chat/") }
            #expect(left.count == 1 && left[0].contains("another"), "\(left)")
        }
    }
}
