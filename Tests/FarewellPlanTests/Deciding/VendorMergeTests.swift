// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// A plan that leaves tables to a vendor's profile grows with the project.
struct VendorMergeTests {
    private static let first = SchemaSketch.schema(
        .postgresql,
        SchemaSketch.table("auth.users", "id uuid pk", "email text"),
        SchemaSketch.table("auth.audit_log_entries", "id uuid pk", "payload jsonb"),
        SchemaSketch.table("auth.flow_state", "id uuid pk", "user_id uuid"),
        SchemaSketch.table("storage.buckets", "id text pk", "name text", "owner uuid"),
        SchemaSketch.table("storage.objects", "id uuid pk", "bucket_id text", "name text", "owner uuid", "owner_id text"),
        SchemaSketch.table("public.notes", "id uuid pk", "user_id uuid not-null -> auth.users.id cascade", "body text"))

    private static func draft(_ schema: Schema, _ buckets: [String]) throws -> PlanDraft {
        try PlanDerivation.draft(
            from: schema, surroundings: VendorSurroundings(address: "https://abc.supabase.co", buckets: buckets))
    }

    private func requireKept(_ text: String, in merged: String) throws {
        var rest = merged.split(separator: "\n", omittingEmptySubsequences: false)[...]
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let place = try #require(rest.firstIndex(of: line), "\(line)")
            rest = rest[(place + 1)...]
        }
    }

    @Test("SB-1 PL-8 a new bucket, table and column are added to a plan with a vendor's profile, and its lines stay")
    func grown() throws {
        let text = PlanFile.text(for: try Self.draft(Self.first, ["a", "b"]).plan)
            .replacing("SUPABASE_SERVICE_ROLE_KEY", with: "MY_KEY").replacing("abc.supabase.co", with: "own.example.org")
        var schema = Self.first
        schema.tables.append(SchemaSketch.table("public.likes", "id uuid pk", "user_id uuid not-null -> auth.users.id cascade"))
        schema.tables.append(SchemaSketch.table("public.votes", "id uuid pk", "user_id uuid"))
        let notes = try #require(schema.tables.firstIndex { $0.name.name == "notes" })
        schema.tables[notes].columns.append(SchemaColumn(name: "mood", type: "text", kind: .text))
        // The vendor's own additions are its profile's.
        let users = try #require(schema.tables.firstIndex { $0.name.name == "users" })
        schema.tables[users].columns.append(SchemaColumn(name: "nickname", type: "text", kind: .text))
        let draft = try Self.draft(schema, ["a", "b", "c'\u{FEFF}d"])
        let merge = try PlanMerge(draft, into: text, path: "p", schema)
        #expect(merge.added.map(\.description) == ["public.likes", "public.votes"])
        #expect(merge.questions == 1 && merge.removed == [])
        #expect(merge.changed.map(\.description) == ["public.notes.mood"])
        try requireKept(text, in: merge.text)
        let before = try PlanFile.read(Array(text.utf8), path: "p")
        let plan = try PlanFile.read(Array(merge.text.utf8), path: "p")
        #expect(plan.vendors == before.vendors && Array(plan.systems.dropLast()) == before.systems)
        let added = try #require(plan.systems.last)
        #expect(Array((added.settings["bucket"] ?? "").utf8) == Array("c'\u{FEFF}d".utf8))
        #expect(added.settings["endpoint"] == "https://own.example.org/storage/v1", "as the plan's other systems have it")
        #expect(added.secrets == ["key": .environment("MY_KEY")] && added.owned?.condition.parts.first?.values == ["c'\u{FEFF}d"])
        let again = try PlanMerge(draft, into: merge.text, path: "p", schema)
        #expect(again.added == [] && again.systems == [] && again.text == merge.text)
    }

    @Test(
        "SB-1 the first bucket of a project gets a list of systems, also behind other sections and in a file of Windows",
        arguments: ["\n", "\r\n"], ["", "\norder: [rows, files, identity]\n# the end\n"])
    func first(_ newline: String, _ end: String) throws {
        let drafted = PlanFile.text(for: try Self.draft(Self.first, []).plan) + end
        let text = drafted.replacing("\n", with: newline)
        #expect(!text.contains("systems:"))
        let merge = try PlanMerge(try Self.draft(Self.first, ["a", "b"]), into: text, path: "p", Self.first)
        #expect(merge.systems.map(\.name) == ["storage-a", "storage-b"] && !merge.isAddressMissing)
        let plan = try PlanFile.read(Array(merge.text.utf8), path: "p")
        #expect(plan.systems == merge.systems && plan.systems.allSatisfy { $0.owned != nil })
        #expect(merge.text.unicodeScalars.count { $0 == "\r" } == (newline == "\n" ? 0 : merge.text.unicodeScalars.count { $0 == "\n" }))
    }

    @Test("SB-1 a system of the same name empties another bucket: the new system gets another name")
    func sameName() throws {
        let text = PlanFile.text(for: try Self.draft(Self.first, ["a"]).plan).replacing("storage-a:", with: "storage-b:")
        let merge = try PlanMerge(try Self.draft(Self.first, ["a", "b"]), into: text, path: "p", Self.first)
        #expect(merge.systems.map(\.name) == ["storage-b-2"] && merge.systems.map { $0.settings["bucket"] } == ["b"])
    }

    @Test("SB-1 a vendor's table with users' data that a plan leaves out is reported, and init --merge adds its entry")
    func leftOut() throws {
        let draft = try Self.draft(Self.first, [])
        var plan = draft.plan
        plan.tables.removeAll { $0.table.name == "flow_state" || $0.table.name == "buckets" }
        let text = PlanFile.text(for: plan)
        func warned(_ plan: Plan) -> [String] {
            PlanCheck.findings(plan, Self.first).filter { $0.code == "vendor.not-personal" }.map(\.place)
        }
        #expect(warned(plan) == ["auth.flow_state", "storage.buckets"] && warned(draft.plan) == [])
        let merge = try PlanMerge(draft, into: text, path: "p", Self.first)
        #expect(merge.added.map(\.description) == ["auth.flow_state", "storage.buckets"])
        try requireKept(text, in: merge.text)
        let merged = try PlanFile.read(Array(merge.text.utf8), path: "p")
        #expect(merged[TableName(schema: "auth", "flow_state")] == draft.plan[TableName(schema: "auth", "flow_state")])
        #expect(warned(merged) == [])
        // The author's own word counts.
        plan.tables.append(
            TablePlan(
                table: TableName(schema: "auth", "flow_state"), rule: .notPersonal,
                columns: [
                    .init("id"), .init("user_id", .notPersonal),
                ]))
        #expect(warned(plan) == ["storage.buckets"])
    }
}
