// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

@Suite("The count of an export")
struct SmallTableCountTests {
    /// The counts of logs, which a link of a message's key reaches: an erasure's and an export's.
    private static func counts(
        _ rows: Int?, key: String = "uuid", _ change: (inout SchemaTable) -> Void = { _ in }
    ) throws -> (erasure: String, export: String) {
        let users = SchemaSketch.table("public.users", "id uuid pk")
        let messages = SchemaSketch.table("public.messages", "id \(key) pk", "user_id uuid -> public.users.id")
        var logs = SchemaSketch.table(
            "public.logs", "id int pk", "user_id uuid -> public.users.id", "message_id \(key) -> public.messages.id")
        logs.estimatedRows = rows
        change(&logs)
        func link(_ column: String, _ target: SchemaTable) -> Link {
            Link(columns: [column], target: target.name, targetColumns: ["id"])
        }
        let user = link("user_id", users)
        let links = [[], [user], [user, link("message_id", messages)]]
        let tables = [users, messages, logs]
        let planned = zip(tables, links).map { table, links in
            TablePlan(table: table.name, rule: .erase, links: links, columns: table.columns.map { .init($0.name) })
        }
        let graph = try RowGraph(
            plan: Plan(subject: SubjectRoot(table: users.name, key: "id"), tables: planned),
            schema: Schema(dialect: .postgresql, tables: tables)
        ).aboutOne
        let program = try RowProgram(graph: graph)
        return (program.counts.text, program.exportCounts.text)
    }

    @Test("EX-1 an export counts the rows of a small table in one reading of it, and not parent by parent", arguments: ["uuid", "int"])
    func small(_ key: String) throws {
        let counts = try Self.counts(9_999, key: key)
        let whole =
            #"SELECT p.subject, x.i0 FROM f1 AS p FULL JOIN (SELECT t."id" AS i0, t."message_id" AS k "#
            + #"FROM ONLY "public"."logs" AS t WHERE t."message_id" IS NOT NULL AND (t."user_id" = $1::uuid) IS NOT TRUE) AS x "#
            + "ON x.k = p.c0 WHERE (x.k IS NULL OR p.c0 IS NULL) IS FALSE"
        #expect(counts.export.contains(whole), "\(counts.export)")
        #expect(!counts.export.contains("LATERAL"), "\(counts.export)")
        #expect(counts.erasure.contains("LATERAL") && !counts.erasure.contains("FULL JOIN"), "\(counts.erasure)")
    }

    @Test("EX-1 an export counts parent by parent where a table may be large, or where a full join is not certain to work")
    func others() throws {
        for rows in [nil, 0, 10_000] {
            let counts = try Self.counts(rows)
            #expect(counts.export == counts.erasure && counts.export.contains("LATERAL"), "\(counts.export)")
        }
        let texts = try Self.counts(5, key: "text")
        #expect(texts.export == texts.erasure && texts.export.contains("LATERAL"), "\(texts.export)")
        let partitioned = try Self.counts(5) { $0.kind = .partitioned }
        #expect(partitioned.export == partitioned.erasure && partitioned.export.contains("LATERAL"), "\(partitioned.export)")
        // Without an index the server chooses freely in both.
        let bare = try Self.counts(5) { $0.indexes = [] }
        #expect(bare.export == bare.erasure && !bare.export.contains("LATERAL"), "\(bare.export)")
    }
}
