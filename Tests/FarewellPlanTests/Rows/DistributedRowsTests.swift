// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellPlan
import FarewellSQL
import Foundation
import Testing

@Suite("Statements about rows that lie on several servers")
struct DistributedRowsTests {
    private static func spread(_ table: SchemaTable, by column: String, _ colocation: Int = 1) -> SchemaTable {
        var table = table
        table.citus = CitusTable(spread: .hashed, column: column, colocation: colocation)
        return table
    }

    private static let users = SchemaSketch.table("public.users", "id uuid pk", "email text")
    private static let invoices = SchemaSketch.table(
        "public.invoices", "id int pk", "user_id uuid", "amount numeric", "at timestamptz")
    private static let items = SchemaSketch.table("public.items", "id int pk", "invoice_id int", "name text")

    private static func schema(isDistributed: Bool) -> Schema {
        let tables = [users, invoices, items]
        return Schema(
            dialect: .postgresql, tables: isDistributed ? tables.map { spread($0, by: "id") } : tables)
    }

    /// The statements that end the retention of one row.
    private func ending(
        of name: String, _ then: Retention.Ending = .erase, isDistributed: Bool, date: String? = nil
    ) throws -> [String] {
        let schema = Self.schema(isDistributed: isDistributed)
        let kept = Rule.retain(Retention(reason: "tax", period: Period(10, .year), then: then))
        let root = TableName(schema: "public", "users")
        let plan = Plan(
            subject: SubjectRoot(table: root, key: "id"),
            tables: [
                TablePlan(table: root, rule: .erase, columns: [.init("id"), .init("email")]),
                TablePlan(
                    table: TableName(schema: "public", "invoices"), rule: kept,
                    links: [Link(columns: ["user_id"], target: root, targetColumns: ["id"])],
                    columns: [
                        .init("id", .notPersonal), .init("user_id", .null), .init("amount", .retain),
                        .init("at", .notPersonal),
                    ]),
                TablePlan(
                    table: TableName(schema: "public", "items"), rule: kept,
                    links: [
                        Link(
                            columns: ["invoice_id"], target: TableName(schema: "public", "invoices"),
                            targetColumns: ["id"])
                    ],
                    columns: [.init("id", .notPersonal), .init("invoice_id", .notPersonal), .init("name", .retain)]),
            ])
        let marks = (["id"] + [date].compactMap(\.self)).map { RetainedRows.Mark(column: $0, kind: .same) }
        let ending = RetentionEnding(
            plan: plan, schema: schema, graph: try RowGraph(plan: plan, schema: schema).aboutOne,
            handle: RetainedHandle(
                schema: "public", table: name, then: then.rawValue, marks: marks, emptied: nil,
                rows: [marks.map { _ in StoredValue.integer(1) }]))
        return try (ending.changes() + ending.leftovers() + ending.strangers()).map(\.text)
    }

    @Test(
        "OP-6 on Citus the end of a retention compares no row with rows of another table",
        arguments: [
            ("invoices", Retention.Ending.erase), ("invoices", .anonymise), ("items", .erase), ("items", .anonymise),
        ])
    func endings(_ table: String, _ then: Retention.Ending) throws {
        let plain = try ending(of: table, then, isDistributed: false)
        let spread = try ending(of: table, then, isDistributed: true)
        #expect(plain.count == 3 && spread.count == 3)
        for text in plain { #expect(text.contains("EXISTS") && !text.contains("WITH"), "\(text)") }
        for text in spread {
            #expect(!text.contains("EXISTS"), "\(text)")
            #expect(
                text.hasPrefix(
                    #"WITH o0 AS MATERIALIZED (SELECT t.* FROM ONLY "public"."\#(table)" AS t WHERE t."id" = "#), "\(text)")
        }
        let change = try #require(spread.first)
        if table == "invoices" {
            let adopted =
                #"(t."id" IN (SELECT t."id" FROM o0 AS t JOIN ONLY "public"."users" AS p ON t."user_id" = p."id")) IS TRUE"#
            #expect(change.contains(adopted), "\(change)")
        } else {
            // The rows to which an item's invoice leads are found from that invoice.
            #expect(change.contains(#"o1 AS MATERIALIZED (SELECT p.* FROM o0 AS t JOIN ONLY "public"."invoices" AS p "#), "\(change)")
            #expect(change.contains(#"FROM o1 AS t JOIN ONLY "public"."users" AS p"#), "\(change)")
        }
    }

    @Test("OP-6 on Citus the date of a retained row is compared as a date: its text depends on a setting")
    func dates() throws {
        let plain = try #require(try ending(of: "invoices", isDistributed: false, date: "at").first)
        let spread = try #require(try ending(of: "invoices", isDistributed: true, date: "at").first)
        #expect(plain.contains(#"CAST(t."at" AS text) IS NOT DISTINCT FROM $2::text"#), "\(plain)")
        #expect(spread.contains(#"t."at" IS NOT DISTINCT FROM CAST($2::text AS timestamptz)"#), "\(spread)")
        #expect(!spread.contains("AS text)"), "\(spread)")
    }

    @Test("OP-6 on Citus a selection of rows that several links lead to is not copied into other queries", arguments: [false, true])
    func selections(_ isDistributed: Bool) throws {
        var tables = [
            Self.users, SchemaSketch.table("public.posts", "id int pk", "user_id uuid"),
            SchemaSketch.table("public.likes", "id int pk", "user_id uuid", "post_id int"),
        ]
        if isDistributed { tables = tables.map { Self.spread($0, by: "id") } }
        let root = tables[0].name
        func link(_ column: String, _ target: TableName) -> Link {
            Link(columns: [column], target: target, targetColumns: ["id"])
        }
        let links = [[], [link("user_id", root)], [link("user_id", root), link("post_id", tables[1].name)]]
        let planned = zip(tables, links).map { table, links in
            TablePlan(table: table.name, rule: .erase, links: links, columns: table.columns.map { .init($0.name) })
        }
        let schema = Schema(dialect: .postgresql, tables: tables)
        let graph = try RowGraph(
            plan: Plan(subject: SubjectRoot(table: root, key: "id"), tables: planned), schema: schema
        ).aboutOne
        var build = RowStatementBuilder(dialect: .postgresql)
        let text = RowSelection(graph: graph).with(Set(graph.nodes.map(\.index)), &build)
        let kept = text.components(separatedBy: "AS MATERIALIZED (").dropFirst()
        #expect(kept.count == (isDistributed ? 1 : 0), "\(text)")
        #expect(kept.allSatisfy { $0.contains(" UNION ") }, "\(text)")
    }

    @Test("OP-6 on Citus a member leaves a JSON list by no function that depends on a setting", arguments: [false, true])
    func lists(_ isDistributed: Bool) throws {
        let notes = SchemaSketch.table("public.notes", "id int pk", "user_id uuid", "people jsonb")
        let tables = isDistributed ? [Self.users, notes].map { Self.spread($0, by: "id") } : [Self.users, notes]
        let root = tables[0].name
        func link(_ column: String, _ path: [String] = [], _ list: Link.ListForm? = nil) -> Link {
            Link(
                columns: [column], path: path, target: root, targetColumns: ["id"],
                role: list == nil ? nil : .reference, list: list)
        }
        let links = [[], [link("user_id"), link("people", [], .json), link("people", ["seen"], .json)]]
        let planned = zip(tables, links).map { table, links in
            TablePlan(table: table.name, rule: .erase, links: links, columns: table.columns.map { .init($0.name) })
        }
        let graph = try RowGraph(
            plan: Plan(subject: SubjectRoot(table: root, key: "id"), tables: planned),
            schema: Schema(dialect: .postgresql, tables: tables))
        let texts = try RowProgram(graph: graph.aboutOne).everything.flatMap(\.statements).map(\.text)
        let updates = texts.filter { $0.contains("UPDATE") }
        #expect(!updates.isEmpty)
        for text in updates {
            #expect(text.contains("jsonb_agg") == !isDistributed && text.contains("string_agg") == isDistributed, "\(text)")
        }
    }
}
