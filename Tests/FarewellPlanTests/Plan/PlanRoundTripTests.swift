// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellPlan
import Testing

struct PlanRoundTripTests {
    private static let hostile = [
        "id", "user_id", "null", "true", "no", "~", "1", "1e3", "0x1F", "<<", "=", "-", "- a", "? b", ": c", "a: b",
        "a #b",
        "#c", "[x]", "{y}", "&a", "*b", "!c", "%d", "@e", "`f", "|", ">", "'", "\"", "'q\"'", "\\", "a\\nb", "a\nb",
        "a\tb",
        "a\rb", " lead", "trail ", "", " ", ".", "a.b", "naïve", "名前", "\u{301}x", "\"\u{301}", "\u{202E}rtl",
        "a\u{FEFF}b", "\u{FEFF}id", "\u{FEFF}", "\u{FEFF}\u{FEFF}x", "\u{E000}\u{FEFF}",
        "\u{85}", "\u{2028}", "\u{7F}", "\u{10FFFF}", "emoji 👩‍👩‍👧", "x\"; DROP TABLE users; --", "not personal", "hash",
        "---",
        "...", "2024-01-01", "12:30:45", "1_000", "Ünïcödé", "a,b", String(repeating: "long name ", count: 200),
    ]

    @Test("a written plan reads back the same, for any names")
    func roundTrip() throws {
        for seed in UInt64(1)...150 {
            var random = PlanSeed(seed: seed)
            let plan = Self.plan(&random)
            let notes = plan.tables.map { PlanNote(table: $0.table, column: Self.hostile.first, "look:\n\t# \"here\"") }
            let text = PlanFile.text(for: plan, notes: notes + [PlanNote("all\u{2028}of it")])
            do {
                let read = try PlanFile.read(Array(text.utf8), path: "p")
                #expect(read.subject == plan.subject && read.folders == plan.folders, "seed \(seed)")
                for (one, other) in zip(read.tables, plan.tables) where one != other {
                    Issue.record("seed \(seed): \(one) is not \(other)")
                }
                #expect(read == plan, "seed \(seed)")
            } catch {
                Issue.record("seed \(seed): \(error)\n\(text)")
            }
        }
    }

    private static func plan(_ random: inout PlanSeed) -> Plan {
        let subject = SubjectRoot(
            table: table(&random), key: random.pick(hostile),
            identifiers: unique((0..<random.below(4)).map { _ in column(&random) }))
        var tables: [TableName: TablePlan] = [:]
        for _ in 0..<random.below(8) {
            let table = tablePlan(&random)
            tables[table.table] = table
        }
        var folders: [FolderPlan] = []
        for name in unique((0..<random.below(3)).map { _ in random.pick(hostile) }) {
            let isColumn = random.below(2) == 0
            folders.append(
                FolderPlan(
                    name: name, root: random.pick(hostile),
                    location: isColumn ? .column(column(&random)) : .folder(template: random.pick(hostile)),
                    mayBeEmpty: random.below(2) == 0))
        }
        return Plan(
            subject: subject, schemaFingerprint: random.below(2) == 0 ? nil : random.pick(hostile),
            tables: tables.values.sorted { $0.table < $1.table }, folders: folders,
            order: random.below(2) == 0 ? Plan.defaultOrder : [.rows, .files, .identity])
    }

    private static func tablePlan(_ random: inout PlanSeed) -> TablePlan {
        let retention = Retention(
            reason: random.pick(hostile), period: Period(random.below(100), random.pick(Period.Unit.allCases)),
            start: random.below(2) == 0 ? nil : random.pick(hostile), then: random.pick([.erase, .anonymise]))
        let rule: Rule = random.pick([.erase, .anonymise, .retain(retention), .notPersonal])
        let columns = unique((0..<random.below(10)).map { _ in random.pick(hostile) }).map { name in
            var column = TablePlan.PlannedColumn(name, columnRule(&random))
            if random.below(3) == 0 { column.export = random.below(2) == 0 }
            if random.below(4) == 0 { column.label = random.pick(hostile) }
            return column
        }
        var plan = TablePlan(
            table: table(&random), rule: rule, links: (0..<random.below(3)).map { _ in link(&random) }, columns: columns)
        if random.below(3) == 0 { plan.label = random.pick(hostile) }
        return plan
    }

    private static func columnRule(_ random: inout PlanSeed) -> ColumnRule? {
        switch random.below(8) {
        case 0: .null
        case 1: .constant(random.pick(hostile))
        case 2: .keyedHash
        case 3: .expression(expression(&random, depth: 3))
        case 4: .retain
        case 5, 6: .notPersonal
        default: nil
        }
    }

    private static func expression(_ random: inout PlanSeed, depth: Int) -> ColumnExpression {
        switch random.below(depth > 0 ? 5 : 3) {
        case 0: return .column(random.pick(hostile))
        case 1: return .text(random.pick(hostile))
        case 2: return .integer(random.below(2_000) - 1_000)
        case 3: return .call(.left, [expression(&random, depth: depth - 1), .integer(2)])
        default:
            let count = 1 + random.below(3)
            return .call(.concat, (0..<count).map { _ in expression(&random, depth: depth - 1) })
        }
    }

    private static func link(_ random: inout PlanSeed) -> Link {
        let count = random.below(3) == 0 ? 2 : 1
        return Link(
            columns: (0..<count).map { _ in random.pick(hostile) },
            path: count == 1 && random.below(3) == 0 ? [random.pick(hostile), random.pick(hostile)] : [],
            target: table(&random), targetColumns: (0..<count).map { _ in random.pick(hostile) },
            onDelete: random.below(2) == 0 ? nil : random.pick(DeleteAction.allCases),
            shared: random.below(2) == 0 ? nil : random.pick(Link.Shared.allCases))
    }

    private static func table(_ random: inout PlanSeed) -> TableName {
        TableName(schema: random.below(2) == 0 ? nil : random.pick(hostile), random.pick(hostile))
    }

    private static func column(_ random: inout PlanSeed) -> ColumnName {
        ColumnName(table(&random), random.pick(hostile))
    }

    private static func unique<Element: Hashable>(_ elements: [Element]) -> [Element] {
        var seen: Set<Element> = []
        return elements.filter { seen.insert($0).inserted }
    }
}
