// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellEngine
import FarewellSQL
import Foundation
import FoundationXML
import Testing

struct PlanDrawingTests {
    private static func example() throws -> (Plan, Schema) {
        var (plan, schema) = try PlanCheckTests.good()
        plan.folders = [FolderPlan(name: "photos", root: "./photos", location: .folder(template: "{subject}/"))]
        schema.tables.append(SchemaSketch.table("public.fresh", "id uuid pk"))
        schema.edit("public.matches") { $0.columns.append(.init(name: "note", type: "text", kind: .text)) }
        return (plan, schema)
    }

    private static let rows = [TableName(schema: "auth", "users"): 1, TableName(schema: "public", "matches"): 12]

    @Test("the tree names every table, its rule, its rows and how it is reached")
    func tree() throws {
        let (plan, schema) = try Self.example()
        let text = PlanDrawing.draw(plan, schema: schema, rows: Self.rows, as: .text)
        #expect(
            text == """
                auth.users  [erase · 1 row]
                ├─ public.invoices  [retain]  by customer_id no action (row stays)  — 10 years, then erase: Tax law
                ├─ public.posts  [anonymise]  by author_id set null (row stays)
                ├─ public.profiles  [erase]  by id cascade
                │  └─ public.matches  [erase · 12 rows · 1 column unaccounted]  by user1_id cascade; user2_id cascade
                └─ photos  [files, erase]  by {subject}/  — ./photos

                unaccounted for:
                  public.fresh

                not personal:
                  public.countries

                """)
    }

    @Test("every format names every table", arguments: PlanDrawing.Format.allCases)
    func complete(_ format: PlanDrawing.Format) throws {
        let (plan, schema) = try Self.example()
        let text = PlanDrawing.draw(plan, schema: schema, rows: Self.rows, as: format)
        for table in schema.tables { #expect(text.contains(table.name.description), "\(table.name)") }
        #expect(text.contains("photos") && text.contains("12"))
    }

    @Test("the picture is well-formed, titled for screen readers, and marks what is unaccounted for in red")
    func picture() throws {
        let (plan, schema) = try Self.example()
        let svg = PlanDrawing.draw(plan, schema: schema, rows: Self.rows, as: .svg)
        #expect(XMLParser(data: Data(svg.utf8)).parse())
        #expect(svg.contains("<title id=\"title\">") && svg.contains("<desc id=\"desc\">"))
        #expect(svg.components(separatedBy: "#c00000").count > 2)
        #expect(!svg.contains("href") && !svg.contains("<script"))
    }

    @Test("hostile names cannot break out of any format", arguments: PlanDrawing.Format.allCases)
    func hostile(_ format: PlanDrawing.Format) throws {
        let odd = "x\"]; <script>alert(1)</script> -->|\\\n\u{1}\u{202E}&`'"
        var table = SchemaSketch.table("public.t", "id uuid pk", "user_id uuid -> public.users.id cascade")
        table.name = TableName(schema: odd, odd)
        table.columns[1].name = odd
        table.foreignKeys[0].columns = [odd]
        let schema = SchemaSketch.schema(
            .postgresql, SchemaSketch.table("public.users", "id uuid pk", "email text"), table)
        let plan = try PlanDerivation.draft(from: schema).plan
        let text = PlanDrawing.draw(plan, schema: schema, as: format)
        #expect(format == .json || format == .text || format == .dot || !text.contains("<script>"))
        #expect(!text.unicodeScalars.contains("\u{1}"))
        switch format {
        case .svg: #expect(XMLParser(data: Data(text.utf8)).parse())
        case .json: #expect(try JSONSerialization.jsonObject(with: Data(text.utf8)) is [String: Any])
        case .dot: #expect(!text.replacing("\\\"", with: "").contains("x\"]"))
        case .mermaid: #expect(!text.contains("|\\") && text.split(separator: "\n").count == 9)
        case .text: #expect(!text.unicodeScalars.contains("\u{202E}"))
        }
    }

    @Test("a thousand tables are drawn without delay, the least important ones counted")
    func large() throws {
        var random = PlanSeed(seed: 3)
        let schema = RandomSchema.schema(tables: 1_000, &random)
        let plan = try RandomSchema.plan(for: schema)
        let svg = PlanDrawing.draw(plan, schema: schema, as: .svg)
        #expect(XMLParser(data: Data(svg.utf8)).parse())
        if let folder = ProcessInfo.processInfo.environment["PLAN_PICTURES"] {
            try svg.write(toFile: folder + "/large.svg", atomically: true, encoding: .utf8)
            let (plan, schema) = try Self.example()
            for format in PlanDrawing.Format.allCases {
                let text = PlanDrawing.draw(plan, schema: schema, rows: Self.rows, as: format)
                try text.write(toFile: folder + "/small.\(format.rawValue)", atomically: true, encoding: .utf8)
            }
        }
    }
}
