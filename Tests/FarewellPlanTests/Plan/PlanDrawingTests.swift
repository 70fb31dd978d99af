// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellPlan
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

    @Test("the tree names every table, its rule, its rows and its path")
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

    /// A rule, a table of the example that it is for, and the colours of its boxes.
    struct Colours: Sendable {
        let rule: String
        let table: String
        let fill: String
        let line: String
    }

    static let colours = [
        Colours(rule: "erase", table: "public.profiles", fill: "#fdebd3", line: "#b35900"),
        Colours(rule: "anonymise", table: "public.posts", fill: "#dcebfa", line: "#1f66ad"),
        Colours(rule: "retain", table: "public.invoices", fill: "#ece3f7", line: "#6b3fa0"),
        Colours(rule: "not personal", table: "public.countries", fill: "#f1f2f4", line: "#8a9099"),
        Colours(rule: "unaccounted", table: "public.fresh", fill: "#ffd9d9", line: "#c00000"),
    ]

    @Test("every format gives the tables of each rule their own colours", arguments: colours, PlanDrawing.Format.allCases)
    func colour(_ colours: Colours, _ format: PlanDrawing.Format) throws {
        #expect(Set(Self.colours.map(\.fill)).count == Self.colours.count)
        #expect(Set(Self.colours.map(\.line)).count == Self.colours.count)
        let (rule, table, fill, line) = (colours.rule, colours.table, colours.fill, colours.line)
        let (plan, schema) = try Self.example()
        let text = PlanDrawing.draw(plan, schema: schema, as: format) { "<\($0)>\($1)</>" }
        let lines = text.split(separator: "\n")
        switch format {
        case .text:
            let drawn = try #require(lines.first { $0.contains(table) })
            #expect(drawn.contains("\(table)  [<\(rule)>\(rule)</>]") || drawn == "  <\(rule)>\(table)</>", "\(drawn)")
        case .dot:
            let drawn = try #require(lines.first { $0.hasPrefix("  \"\(table)\" [label=") })
            #expect(drawn.contains("fillcolor=\"\(fill)\", color=\"\(line)\""), "\(drawn)")
        case .svg:
            let drawn = try #require(lines.first { $0.hasPrefix("<g><title>\(table): \(rule)") })
            #expect(drawn.contains("fill=\"\(fill)\" stroke=\"\(line)\""), "\(drawn)")
        case .mermaid:
            let name = rule.replacing(" ", with: "")
            let drawn = try #require(lines.first { $0.contains("\"\(table)<br/>") })
            #expect(drawn.hasSuffix(":::\(name)"), "\(drawn)")
            #expect(lines.contains("  classDef \(name) fill:\(fill),stroke:\(line),color:#1b1f24"))
        case .json:
            let picture = try JSONDecoder().decode(PlanPicture.self, from: Data(text.utf8))
            #expect(picture.nodes.first { $0.name == table }?.rule == rule, "the reader chooses the colours")
        }
    }

    @Test("the tree colours only rules and unaccounted places, and colouring changes no text")
    func painted() throws {
        let (plan, schema) = try Self.example()
        let plain = PlanDrawing.draw(plan, schema: schema, rows: Self.rows, as: .text)
        let painted = PlanDrawing.draw(plan, schema: schema, rows: Self.rows, as: .text) { "<\($0)>\($1)</>" }
        #expect(painted.contains("public.matches  [<erase>erase</> · 12 rows · <unaccounted>1 column unaccounted</>]  by"))
        #expect(painted.contains("photos  [<erase>files, erase</>]  by {subject}/"))
        #expect(painted.replacing(#/<[a-z \/]+>/#, with: "") == plain)
    }

    @Test("every format names every table", arguments: PlanDrawing.Format.allCases)
    func complete(_ format: PlanDrawing.Format) throws {
        let (plan, schema) = try Self.example()
        let text = PlanDrawing.draw(plan, schema: schema, rows: Self.rows, as: format)
        for table in schema.tables { #expect(text.contains(table.name.description), "\(table.name)") }
        #expect(text.contains("photos") && text.contains("12"))
    }

    @Test("the image is well-formed, titled for screen readers, and marks unaccounted places in red")
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

    @Test("a thousand tables are drawn without delay, and the least important ones are counted")
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
