// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
internal import Yams

/// `retain`: the rows stay for a stated reason until a stated date.
struct RetainRule: TableRuleKind {
    static let word = "retain"
    static let meaning = "The subject's rows stay for a reason until a date. Then they are erased or anonymised."
    static let example = [
        "public.invoices:",
        "  rule: retain",
        "  reason: \"Invoices are kept for ten years by tax law.\"",
        "  for: 10 years",
        "  from: invoice_date",
        "  then: erase",
        "  links:",
        "    - {from: user_id, to: public.users.id, key: no action}",
        "  columns: {id: retain, user_id: null, invoice_date: retain, total: retain}",
    ]
    static let explanation = ["the rows stay for a `reason`, `for` a time (\"10 years\"), `then` erase or anonymise"]
    static let keys = ["reason", "for", "from", "then"]
    static let colour = RuleColour.violet

    let stated: Retention

    static func read(_ record: [String: Node], _ entry: Node, _ nodes: inout PlanNodes) -> Rule? {
        let needed = "a retained table needs a `reason` and a period (`for: 10 years`)"
        for key in ["reason", "for"] where record[key] == nil {
            nodes.report(entry, "`\(key)` is missing: \(needed).")
        }
        let reason = record["reason"].flatMap { nodes.text($0, "The reason") }
        let start = record["from"].flatMap { nodes.text($0, "`from`") }
        let ending: Retention.Ending? =
            if let node = record["then"] { nodes.word(node, "`then`") } else { .erase }
        guard let node = record["for"], let text = nodes.text(node, "`for`") else { return nil }
        guard let period = Period(parsing: text) else {
            nodes.report(node, "\(Shown.name(text)) is not a period such as `30 days`, `18 months` or `10 years`.")
            return nil
        }
        guard let reason, let ending else { return nil }
        return .retain(Retention(reason: reason, period: period, start: start, then: ending))
    }

    var lines: [String] {
        let start = stated.start.map { ["from: \(YAMLScalar.name($0))"] } ?? []
        return ["reason: \(YAMLScalar.quoted(stated.reason))", "for: \(stated.period)"] + start
            + ["then: \(stated.then.rawValue)"]
    }

    var retention: Retention? { stated }

    var note: String? { "\(stated.period), then \(stated.then.rawValue): \(stated.reason)" }

    func fate(until: CalendarDay?, isOver: Bool) -> String {
        (isOver ? "retention ended" : "kept") + (until.map { (isOver ? " on " : " until ") + "\($0)" } ?? "")
            + (isOver ? ", due next: " : ": ") + stated.reason
    }

    func count(rows: Int, links: Int, at place: String) -> PlaceCount? {
        PlaceCount(place: place, anonymised: links, retained: rows)
    }

    func needs(_ right: String, _ entry: TablePlan) -> Bool {
        let isChanged =
            stated.then == .anonymise || entry.columns.contains { $0.rule?.changesValue == true }
            || entry.links.contains(where: \.isReference)
        return right == "delete" && stated.then == .erase || right == "update" && isChanged
    }

    /// A reason, a period and an end that the columns can take.
    func findings(_ entry: TablePlan, _ table: SchemaTable, _ context: CheckContext) -> [Finding] {
        var findings: [Finding] = []
        if stated.reason.allSatisfy(\.isWhitespace) {
            findings.append(
                Finding(
                    "retain.no-reason", .error, table: entry.table, "Rows are retained without a reason.",
                    remedy: "Write the reason in `reason`, in words for the user."))
        }
        if stated.period.count <= 0 {
            findings.append(
                Finding(
                    "retain.no-period", .error, table: entry.table, "The retention period is zero.",
                    remedy: "Write the period under `for`, e.g. `10 years`, or use the rule erase."))
        }
        if stated.then == .anonymise { findings += cannotBeEmptied(entry, table) }
        guard let start = stated.start else { return findings }
        guard let column = table[start] else {
            findings.append(
                Finding(
                    "retain.unknown-start", .error, table: entry.table, column: start,
                    "The period starts from a column that this table does not have"
                        + "\(context.hints.hint(start, in: table.columns.map(\.name))).",
                    remedy: "Correct `from`, or remove it: the period then starts on the day of erasure."))
            return findings
        }
        if !context.map.schema.dialect.kindsOfDates.contains(column.kind) {
            findings.append(
                Finding(
                    "retain.start-type", .error, table: entry.table, column: start,
                    "The period starts from a column without dates (\(Shown.line(column.type, limit: 60))).",
                    remedy: "Name a date column under `from`, or remove it."))
        }
        return findings
    }

    /// At the end the retained columns are emptied; keys lead to no subject without the rest.
    private func cannotBeEmptied(_ entry: TablePlan, _ table: SchemaTable) -> [Finding] {
        let keys = Set(table.primaryKey + table.foreignKeys.flatMap(\.columns))
        return entry.columns.filter { $0.rule?.isRetained == true && !keys.contains($0.name) }.compactMap { planned in
            guard table[planned.name]?.isNullable == false else { return nil }
            return Finding(
                "retain.cannot-be-emptied", .error, table: entry.table, column: planned.name,
                "The end of the retention sets the column to null, but it may not be null.",
                remedy: "Write `then: erase`, or make the column nullable.")
        }
    }
}
