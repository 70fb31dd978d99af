// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing
import Yams

/// Rules that the package does not have, made with nothing but their own types. `AddedKindTests` adds the same types to
/// the sources.
struct RuleKindTests {
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
        #expect(rule.isWritten("B", in: column) && !rule.isWritten("Berlin", in: column))
    }

    @Test("a new kind of rule for tables needs only its way to read, check, count and name")
    func table() throws {
        let rule: any TableRuleKind = ArchiveRule()
        #expect(!type(of: rule).rowsStay && type(of: rule).isPersonal && rule.retention == nil && rule.lines == [])
        #expect(rule.count(rows: 3, links: 1, at: "people") == PlaceCount(place: "people", erased: 3))
        #expect(rule.fate(until: nil, isOver: false) == "archived")

        var nodes = PlanNodes()
        let node = try #require(try compose(yaml: "{rule: archive, to: old_people, columns: []}"))
        let record = nodes.record(node, "people", required: ["rule", "columns"], optional: ArchiveRule.keys)
        let rules = (ArchiveRule.read(record ?? [:], node, &nodes), ArchiveRule.read([:], node, &nodes))
        #expect(rules.0 != nil && rules.1 == nil && nodes.problems.count == 1)

        let people = TableName("people")
        let table = SchemaTable(name: people, columns: [])
        let entry = TablePlan(table: people, rule: .erase)
        let plan = Plan(subject: SubjectRoot(table: people, key: "id"), tables: [entry])
        let context = CheckContext(plan, Schema(dialect: .sqlite, tables: [table]))
        #expect(rule.findings(entry, table, context).map(\.code) == ["archive.no-key"])
        #expect(rule.needs("delete", entry) && !rule.needs("update", entry))
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
