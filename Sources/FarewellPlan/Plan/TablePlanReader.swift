// SPDX-License-Identifier: Apache-2.0
import Farewell
internal import Yams

/// Reads the entry of one table.
struct TablePlanReader {
    var nodes: PlanNodes
    let table: TableName

    private enum RuleWord: String, CaseIterable {
        case erase, anonymise, retain
        case notPersonal = "not personal"
    }

    private static let retentionKeys = ["reason", "for", "from", "then"]

    mutating func table(_ node: Node) -> TablePlan? {
        let what = Shown.name(table.description)
        let record = nodes.record(
            node, what, required: ["rule", "columns"], optional: ["links"] + Self.retentionKeys)
        guard let record else { return nil }
        let rule = record["rule"].flatMap { readRule($0, record, node) }
        var links: [Link] = []
        if let list = record["links"] {
            for item in nodes.list(list, "`links`") ?? [] {
                if let link = link(item) { links.append(link) }
            }
        }
        let columns = record["columns"].flatMap { readColumns($0) }
        guard let rule, let columns else { return nil }
        return TablePlan(table: table, rule: rule, links: links, columns: columns)
    }

    private mutating func readRule(_ node: Node, _ record: [String: Node], _ entry: Node) -> Rule? {
        guard let word: RuleWord = nodes.word(node, "The rule") else { return nil }
        if word != .retain {
            for key in Self.retentionKeys {
                guard let value = record[key] else { continue }
                nodes.report(value, "`\(key)` belongs to `rule: retain` only.")
            }
        }
        switch word {
        case .erase: return .erase
        case .anonymise: return .anonymise
        case .notPersonal: return .notPersonal
        case .retain: return retention(record, entry).map { .retain($0) }
        }
    }

    private mutating func retention(_ record: [String: Node], _ entry: Node) -> Retention? {
        let needed = "a table that is retained says why (`reason`) and until when (`for: 10 years`)"
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
        return Retention(reason: reason, period: period, start: start, then: ending)
    }

    private mutating func link(_ node: Node) -> Link? {
        let record = nodes.record(
            node, "A link", required: ["from", "to"], optional: ["path", "key", "shared"])
        guard let record, let from = record["from"].flatMap({ nodes.texts($0, "`from`") }),
            let to = record["to"], let targets = targets(to)
        else { return nil }
        guard from.count == targets.count else {
            nodes.report(node, "`from` names \(from.count) columns, `to` names \(targets.count).")
            return nil
        }
        var link = Link(columns: from, target: targets[0].table, targetColumns: targets.map(\.column))
        if let path = record["path"] {
            link.path = nodes.texts(path, "`path`") ?? []
            if from.count > 1 { nodes.report(path, "A path leads into one JSON column; `from` names several.") }
        }
        if let key = record["key"] { link.onDelete = nodes.word(key, "`key`") }
        if let shared = record["shared"] { link.shared = nodes.word(shared, "`shared`") }
        return link
    }

    private mutating func targets(_ node: Node) -> [ColumnName]? {
        guard let texts = nodes.texts(node, "`to`") else { return nil }
        var targets: [ColumnName] = []
        for text in texts {
            guard let target = ColumnName(parsing: text) else {
                nodes.report(
                    node, "\(Shown.name(text)) does not name a table and a column; \(PlanReader.quoting).")
                return nil
            }
            targets.append(target)
        }
        guard Set(targets.map(\.table)).count == 1 else {
            nodes.report(node, "A link leads to columns of one table; `to` names several tables.")
            return nil
        }
        return targets
    }

    private mutating func readColumns(_ node: Node) -> [TablePlan.PlannedColumn]? {
        var columns: [TablePlan.PlannedColumn] = []
        if node.mapping != nil {
            for (name, _, value) in nodes.pairs(node, "`columns`") ?? [] {
                guard let rule = columnRule(value, of: name) else { continue }
                columns.append(TablePlan.PlannedColumn(name, rule))
            }
            return columns
        }
        var seen: Set<[UInt8]> = []
        for item in nodes.list(node, "`columns`") ?? [] {
            guard let column = listedColumn(item) else { continue }
            if !seen.insert(Array(column.name.utf8)).inserted {
                nodes.report(item, "The column \(Shown.name(column.name)) stands here twice.")
            }
            columns.append(column)
        }
        return columns
    }

    /// `email`, or `{created_by: not personal}`.
    private mutating func listedColumn(_ node: Node) -> TablePlan.PlannedColumn? {
        guard node.mapping != nil else {
            return nodes.text(node, "A column's name").map { TablePlan.PlannedColumn($0) }
        }
        guard let pairs = nodes.pairs(node, "A column"), let pair = pairs.first else { return nil }
        guard pairs.count == 1 else {
            nodes.report(node, "An item of `columns` is a name, or one name with its rule.")
            return nil
        }
        return columnRule(pair.value, of: pair.key).map { TablePlan.PlannedColumn(pair.key, $0) }
    }

    private mutating func columnRule(_ node: Node, of column: String) -> ColumnRule? {
        let what = "The rule of the column \(Shown.name(column))"
        if node.mapping != nil { return writtenRule(node, what) }
        guard let word = nodes.text(node, what) else { return nil }
        switch word {
        case "null": return .null
        case "hash": return .keyedHash
        case "retain": return .retain
        case "not personal": return .notPersonal
        default:
            let words = ["null", "hash", "retain", "not personal"]
            nodes.report(
                node,
                "\(what) is \(Shown.name(word)), but must be one of: \(words.joined(separator: ", ")), "
                    + "{constant: text}, {expression: text}\(NearestName.hint(word, in: words)).")
            return nil
        }
    }

    private mutating func writtenRule(_ node: Node, _ what: String) -> ColumnRule? {
        guard let record = nodes.record(node, what, required: [], optional: ["constant", "expression"]) else {
            return nil
        }
        guard record.count == 1 else {
            if !record.isEmpty || node.mapping?.isEmpty == true {
                nodes.report(node, "\(what) needs either `constant` or `expression`.")
            }
            return nil
        }
        if let constant = record["constant"] {
            guard constant.scalar?.style != .plain || constant.scalar?.string != "null" else {
                nodes.report(constant, "Write `null` as the rule itself, or the text \"null\" between quotes.")
                return nil
            }
            return nodes.text(constant, "The constant").map { .constant($0) }
        }
        guard let value = record["expression"], let text = nodes.text(value, "The expression") else { return nil }
        do {
            return .expression(try ColumnExpression(parsing: text))
        } catch {
            let isQuoted = value.scalar?.style != .plain
            let place = value.mark?.column ?? 1
            nodes.problems.append(
                PlanProblem(
                    value.mark?.line ?? 1, place + error.offset + (isQuoted ? 1 : 0),
                    "The expression is not understood: \(error.problem)."))
            return nil
        }
    }
}
