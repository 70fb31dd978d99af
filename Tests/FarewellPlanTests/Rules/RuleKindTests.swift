// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing
import Yams

/// Rules that the package does not have, made with nothing but their own types.
struct RuleKindTests {
    /// `shorten`: a column keeps its first character.
    private struct ShortenColumnRule: ColumnRuleKind {
        static let word = "shorten"
        static let meaning = "The column keeps its first character."
        static let isMadeOfOld = true

        func value(
            for column: SchemaColumn, _ assignment: ColumnAssignment, _ build: inout RowStatementBuilder
        ) throws -> String? {
            assignment.dialect.call(.left, ["t." + build.quoted(column.name), "1"])
        }
    }

    /// `archive`: the rows are moved away.
    private struct ArchiveRule: TableRuleKind {
        static let word = "archive"
        static let meaning = "The rows are moved to an archive."
        static let example = ["people:", "  rule: archive"]
        static let explanation = ["the rows are moved to an archive"]
        static let colour = RuleColour.violet
        static let erasesRows = true

        static func read(_ record: [String: Node], _ entry: Node, _ nodes: inout PlanNodes) -> Rule? { .erase }
        func fate(until: CalendarDay?, isOver: Bool) -> String { "archived" }
        func count(rows: Int, links: Int, at place: String) -> PlaceCount? { PlaceCount(place: place, erased: rows) }
        func needs(_ right: String, _ entry: TablePlan) -> Bool { right == "delete" }
    }

    @Test("a new kind of rule for columns needs only its word, its meaning and its written value", arguments: SQLDialect.allCases)
    func column(_ dialect: SQLDialect) throws {
        let column = SchemaColumn(name: "town", type: "text", kind: .text, isNullable: true)
        let table = SchemaTable(name: TableName("people"), columns: [column])
        var build = RowStatementBuilder(dialect: dialect)
        let assignment = ColumnAssignment(dialect: dialect, table: table)
        let rule: any ColumnRuleKind = ShortenColumnRule()
        let expected = dialect == .postgresql ? "left(t.\"town\"::text, 1)" : "substr(t.\"town\", 1, 1)"
        #expect(try rule.value(for: column, assignment, &build) == expected)
        #expect(rule.violation(of: "t.\"town\"", column, assignment, &build) == nil)
        #expect(rule.written == "shorten" && type(of: rule).changesValue && !rule.movesKey("town"))
    }

    @Test("a new kind of rule for tables needs only its way to read, count and name")
    func table() {
        let rule: any TableRuleKind = ArchiveRule()
        #expect(!type(of: rule).rowsStay && type(of: rule).isPersonal && rule.retention == nil && rule.lines == [])
        #expect(rule.count(rows: 3, links: 1, at: "people") == PlaceCount(place: "people", erased: 3))
        #expect(rule.fate(until: nil, isOver: false) == "archived")
    }

    @Test("each case of a rule is an offered kind, and reads back as written")
    func cases() throws {
        let retention = Retention(reason: "Law.", period: Period(1, .year))
        let rules: [Rule] = [.erase, .anonymise, .retain(retention), .notPersonal]
        #expect(rules.map(\.word) == Rule.words)
        for rule in rules {
            let text = (["rule: \(rule.word)", "columns: []"] + rule.kind.lines).joined(separator: "\n")
            var reader = TablePlanReader(nodes: PlanNodes(), table: TableName("people"))
            let node = try #require(try compose(yaml: text))
            #expect(reader.table(node)?.rule == rule)
            #expect(reader.nodes.problems.isEmpty)
        }
        let expression = try ColumnExpression(parsing: "left(town, 2)")
        let columns: [ColumnRule] = [
            .null, .keyedHash, .constant("gone"), .expression(expression), .largeObject, .retain, .notPersonal,
        ]
        #expect(columns.map { type(of: $0.kind).word } == ColumnRules.all.map { $0.word })
        for rule in columns {
            let text = "{rule: anonymise, columns: {town: \(rule.kind.written)}}"
            var reader = TablePlanReader(nodes: PlanNodes(), table: TableName("people"))
            let node = try #require(try compose(yaml: text))
            #expect(reader.table(node)?.columns == [.init("town", rule)])
            #expect(reader.nodes.problems.isEmpty)
        }
    }
}
