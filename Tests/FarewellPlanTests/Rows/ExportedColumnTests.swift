// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

@Suite("The columns of an export")
struct ExportedColumnTests {
    private static let schema = SchemaSketch.schema(
        .postgresql,
        SchemaSketch.table("public.users", "id uuid pk", "email text unique", "invited_by uuid -> public.users.id set null"),
        SchemaSketch.table("public.profiles", "id int pk", "user_id uuid not-null unique -> public.users.id", "bio text"),
        SchemaSketch.table("public.notes", "id int pk", "user_id uuid not-null -> public.users.id", "editor_id uuid", "body text"),
        SchemaSketch.table(
            "public.reports", "id int pk", "reporter_id int -> public.profiles.id", "reported_user_id int -> public.profiles.id",
            "reason text", "day date", "checked_by uuid -> public.users.id"),
        SchemaSketch.table(
            "public.replies", "id int pk", "note_id int not-null -> public.notes.id", "user_id uuid -> public.users.id", "body text",
            "watchers uuid[]", "meta jsonb"),
        SchemaSketch.table(
            "public.matches", "id int pk", "user1_id uuid -> public.users.id", "user2_id uuid -> public.users.id", "day date"))

    private static let plan = """
        farewell: 1
        subject: {table: public.users, key: id}
        tables:
          public.users:
            rule: erase
            links: [{from: invited_by, to: public.users.id, key: set null, role: reference}]
            columns: [id, email, invited_by]
          public.profiles: {rule: erase, links: [{from: user_id, to: public.users.id, key: no action}], columns: [id, user_id, bio]}
          public.notes:
            rule: erase
            links: [{from: user_id, to: public.users.id, key: no action}, {from: editor_id, to: public.users.id, role: reference}]
            columns: [id, user_id, editor_id, body]
          public.reports:
            rule: erase
            links:
              - {from: reporter_id, to: public.profiles.id, key: no action, role: owner}
              - {from: reported_user_id, to: public.profiles.id, key: no action, role: owner}
            columns: [id, reporter_id, reported_user_id, reason, {day: {export: yes}}, checked_by]
          public.replies:
            rule: erase
            links:
              - {from: note_id, to: public.notes.id, key: no action, shared: erase}
              - {from: user_id, to: public.users.id, key: no action}
              - {from: watchers, to: public.users.id, list: array}
              - {from: meta, path: [by], to: public.users.id, role: reference}
            columns: [id, note_id, user_id, body, watchers, meta]
          public.matches:
            rule: erase
            links: [{from: user1_id, to: public.users.id, key: no action}, {from: user2_id, to: public.users.id, key: no action}]
            columns: [id, user1_id, user2_id, day]
        """

    private static func decided(_ table: String) throws -> [String] {
        let plan = try PlanFile.read(Array(plan.utf8), path: "plan")
        let graph = try RowGraph(plan: plan, schema: schema).aboutOne
        let node = try #require(graph.nodes.first { $0.table.name.name == table })
        return node.table.columns.map { column in
            switch ExportedColumn(column, of: node, in: graph) {
            case .whole: "\(column.name): whole"
            case .whereNaming: "\(column.name): naming"
            case .omitted(let reason): "\(column.name): \(reason)"
            case .inPart(let part):
                "\(column.name): \(part.users.isEmpty ? "" : "key ")\(part.authors.isEmpty ? "" : "of author")"
                    + (part.others.isEmpty ? "" : " or naming")
            }
        }
    }

    @Test("EX-2 a key of another user, and in a shared row what its author wrote, is decided by links, keys and names")
    func columns() throws {
        #expect(try Self.decided("users") == ["id: whole", "email: whole", "invited_by: key "])
        #expect(try Self.decided("profiles") == ["id: whole", "user_id: whole", "bio: whole"])
        #expect(try Self.decided("notes") == ["id: whole", "user_id: whole", "editor_id: key ", "body: whole"])
        #expect(
            try Self.decided("reports") == [
                "id: whole", "reporter_id: key of author", "reported_user_id: key of author", "reason: of author", "day: whole",
                "checked_by: key of author",
            ])
        #expect(
            try Self.decided("replies") == [
                "id: whole", "note_id: of author or naming", "user_id: key of author", "body: of author", "watchers: key of author",
                "meta: key of author",
            ])
        #expect(try Self.decided("matches") == ["id: whole", "user1_id: key ", "user2_id: key ", "day: whole"])
    }

    @Test("EX-2 the statement of a table whose rows have one owner reads the columns as they are")
    func plain() throws {
        let plan = try PlanFile.read(Array(Self.plan.utf8), path: "plan")
        let exports = RowExport.all(of: plan, in: try RowGraph(plan: plan, schema: Self.schema))
        let profiles = try #require(exports.first { $0.table.name == "profiles" && $0.share == .own })
        #expect(!profiles.rows.text.contains("CASE") && profiles.omitted == [])
        #expect(profiles.rows.text.contains(#"SELECT t."id", t."user_id", CAST(t."bio" AS text) FROM"#), "\(profiles.rows.text)")
        let reports = try #require(exports.first { $0.table.name == "reports" && $0.share == .own })
        let omitted = reports.omitted.map { "\($0.name) \($0.reason)" }
        #expect(
            omitted == [
                "reporter_id otherUsers", "reported_user_id otherUsers", "reason otherAuthors", "checked_by otherUsers",
            ])
    }

    @Test(
        "EX-2 the name of a column tells if its user wrote the row",
        arguments: [
            ("sender_id", "author"), ("user_id", "author"), ("createdById", "author"), ("reporter_id", "author"), ("from_id", "author"),
            ("from_user_id", "author"), ("swiper_id", "author"), ("receiver_id", "other"), ("to_id", "other"), ("to_user_id", "other"),
            ("reported_id", "other"), ("reported_user_id", "other"), ("blockedUserId", "other"), ("target_account_id", "other"),
            ("other_user_id", "other"), ("followee_id", "other"), ("shared_with", "other"), ("approver_id", "-"), ("post_id", "-"),
            ("user1_id", "author"), ("user2_id", "author"),
        ])
    func side(_ column: String, _ expected: String) {
        #expect((PersonSide.of(column).map { "\($0)" } ?? "-") == expected)
    }

    @Test("EX-2 check names the tables whose rows another user may have written, until a column says export: yes")
    func checked() throws {
        func found(_ text: String) throws -> [Finding] {
            PlanCheck.findings(try PlanFile.read(Array(text.utf8), path: "plan"), Self.schema).filter { $0.code == "export.undecided" }
        }
        let open = Self.plan.replacing("{day: {export: yes}}", with: "day")
        let findings = try found(open)
        // Replies name their author directly, and other users only through the post.
        #expect(findings.compactMap { $0.table?.name }.sorted() == ["reports"])
        #expect(findings.allSatisfy { $0.severity == .note })
        let message = try #require(findings.first { $0.table?.name == "reports" }?.message)
        #expect(message.contains("(reporter_id)") && message.contains("leaves out reason, day."), "\(message)")
        #expect(try found(Self.plan).isEmpty)
    }
}
