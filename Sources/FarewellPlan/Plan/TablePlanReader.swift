// SPDX-License-Identifier: Apache-2.0
import Farewell
internal import Yams

/// Reads the entry of one table.
struct TablePlanReader {
    var nodes: PlanNodes
    let table: TableName
    /// Whether the links are those of questions, whose answers give their roles.
    var isAnswered = false

    mutating func table(_ node: Node) -> TablePlan? {
        let what = Shown.name(table.description)
        let record = nodes.record(
            node, what, required: ["rule", "columns"],
            optional: ["links", "label"] + TableRules.all.flatMap { $0.keys })
        guard let record else { return nil }
        let rule = record["rule"].flatMap { readRule($0, record, node) }
        var links: [Link] = []
        if let list = record["links"] {
            for item in nodes.list(list, "`links`") ?? [] {
                if let link = link(item) { links.append(link) }
            }
        }
        let columns = record["columns"].flatMap { readColumns($0) }
        let labels = record["label"].map { readLabels($0) } ?? [:]
        guard let rule, let columns else { return nil }
        var plan = TablePlan(table: table, rule: rule, links: links, columns: columns)
        plan.label = labels[""] ?? labels["en"] ?? labels.min { $0.key < $1.key }?.value
        plan.labels = labels.filter { $0.key != "" }
        return plan
    }

    /// `Your notes`, for any language, or `{en: Your notes, de: Deine Notizen}`.
    private mutating func readLabels(_ node: Node) -> [String: String] {
        guard node.mapping != nil else { return nodes.text(node, "`label`").map { ["": $0] } ?? [:] }
        let record = nodes.record(node, "`label`", required: [], optional: Copy.all.map(\.language)) ?? [:]
        if node.mapping?.isEmpty == true { nodes.report(node, "`label` needs a text, or a text for a language.") }
        var labels: [String: String] = [:]
        for (language, text) in record { labels[language] = nodes.text(text, "`label`") }
        return labels
    }

    private mutating func readRule(_ node: Node, _ record: [String: Node], _ entry: Node) -> Rule? {
        guard let word = nodes.word(node, "The rule", of: Rule.words) else { return nil }
        for kind in TableRules.all where kind.word != word {
            for key in kind.keys {
                guard let value = record[key] else { continue }
                nodes.report(value, "`\(key)` belongs to `rule: \(kind.word)` only.")
            }
        }
        return TableRules.all.first { $0.word == word }?.read(record, entry, &nodes)
    }

    /// `{from: target_id, to: users.id, where: {target_type: User}, role: owner}`.
    mutating func link(_ node: Node) -> Link? {
        let record = nodes.record(
            node, "A link", required: ["from", "to"],
            optional: ["path", "key", "shared", "role", "where", "list", "set", "parent", "case"])
        guard let record, let from = record["from"].flatMap({ nodes.names($0, "`from`") }),
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
        if let role = record["role"] { link.role = nodes.word(role, "`role`") }
        if let condition = record["where"] { link.condition = nodes.condition(condition) }
        if let list = record["list"] { link.list = nodes.word(list, "`list`") }
        if let value = record["set"] { link.replacement = nodes.text(value, "`set`") }
        if let parent = record["parent"] { link.isOwnedParent = nodes.word(parent, "`parent`", of: ["owned"]) != nil }
        if let letters = record["case"] { link.ignoresCase = nodes.word(letters, "`case`", of: ["ignored"]) != nil }
        reportOdd(link, record, node)
        return link
    }

    /// The contradictions within a link.
    private mutating func reportOdd(_ link: Link, _ record: [String: Node], _ node: Node) {
        if link.role == .reference, link.shared != nil {
            nodes.report(record["shared"] ?? node, "`shared` needs `role: owner`; a reference deletes no row.")
        }
        if link.replacement != nil, !link.isReference, !(isAnswered && link.role == nil) {
            nodes.report(record["set"] ?? node, "`set` needs `role: reference`.")
        }
        if link.list != nil, link.columns.count > 1 {
            nodes.report(record["list"] ?? node, "A list is one column; `from` names several.")
        }
        if link.list != nil, link.replacement != nil {
            nodes.report(record["set"] ?? node, "A list loses its value, so `set` cannot replace it.")
        }
        if link.isOwnedParent, link.isReference || link.list != nil {
            nodes.report(record["parent"] ?? node, "`parent: owned` needs a deleting link, no reference or list.")
        }
        let isPlain = link.columns.count == 1 && link.path.isEmpty && link.list == nil && link.onDelete == nil
        if link.ignoresCase, !isPlain || link.isOwnedParent {
            nodes.report(
                record["case"] ?? node,
                "`case: ignored` compares one text column with another, without `key`, `path`, `list` or `parent`.")
        }
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
                guard let column = plannedColumn(value, of: NameSpelling.typed(name)) else { continue }
                columns.append(column)
            }
            return columns
        }
        var seen: Set<[UInt8]> = []
        for item in nodes.list(node, "`columns`") ?? [] {
            guard let column = listedColumn(item) else { continue }
            if !seen.insert(Array(column.name.utf8)).inserted {
                nodes.report(item, "The column \(Shown.name(column.name)) appears twice.")
            }
            columns.append(column)
        }
        return columns
    }

    /// `email`, or `{created_by: not personal}`.
    private mutating func listedColumn(_ node: Node) -> TablePlan.PlannedColumn? {
        guard node.mapping != nil else {
            return nodes.name(node, "A column's name").map { TablePlan.PlannedColumn($0) }
        }
        guard let pairs = nodes.pairs(node, "A column"), let pair = pairs.first else { return nil }
        guard pairs.count == 1 else {
            nodes.report(node, "An item of `columns` is a name, or one name with its rule.")
            return nil
        }
        return plannedColumn(pair.value, of: NameSpelling.typed(pair.key))
    }

    /// `null`, `{constant: gone}`, `{export: no}` or `{rule: null, export: no, label: Peer}`.
    private mutating func plannedColumn(_ node: Node, of column: String) -> TablePlan.PlannedColumn? {
        let settings = ["rule", "export", "label"]
        guard let mapping = node.mapping, mapping.keys.contains(where: { settings.contains($0.scalar?.string ?? "") })
        else { return columnRule(node, of: column).map { TablePlan.PlannedColumn(column, $0) } }
        let what = "The entry of the column \(Shown.name(column))"
        let words = ColumnRules.written.map { $0.word }
        guard let record = nodes.record(node, what, required: [], optional: settings + words) else { return nil }
        var planned = TablePlan.PlannedColumn(column)
        let kinds = ColumnRules.written.filter { record[$0.word] != nil }
        if kinds.count + (record["rule"] == nil ? 0 : 1) > 1 { nodes.report(node, "\(what) has more than one rule.") }
        if let rule = record["rule"] { planned.rule = columnRule(rule, of: column) }
        if let kind = kinds.first, let value = record[kind.word] { planned.rule = kind.read(value, &nodes) }
        if let export = record["export"] {
            planned.export = nodes.word(export, "`export`", of: ["yes", "no"]).map { $0 == "yes" }
        }
        if let label = record["label"] { planned.label = nodes.text(label, "`label`") }
        return planned
    }

    private mutating func columnRule(_ node: Node, of column: String) -> ColumnRule? {
        let what = "The rule of the column \(Shown.name(column))"
        if node.mapping != nil { return writtenRule(node, what) }
        guard let word = nodes.text(node, what) else { return nil }
        if let rule = ColumnRules.all.first(where: { $0.word == word })?.plain { return rule }
        let words = ColumnRules.plain.map { $0.word }
        let all = words + ColumnRules.written.map { "{\($0.word): text}" }
        nodes.report(
            node,
            "\(what) is \(Shown.name(word)), but must be one of: \(all.joined(separator: ", "))"
                + "\(nodes.hints.hint(word, in: words)).")
        return nil
    }

    private mutating func writtenRule(_ node: Node, _ what: String) -> ColumnRule? {
        let words = ColumnRules.written.map { $0.word }
        guard let record = nodes.record(node, what, required: [], optional: words) else { return nil }
        guard record.count == 1, let kind = ColumnRules.written.first(where: { record[$0.word] != nil }),
            let value = record[kind.word]
        else {
            if !record.isEmpty || node.mapping?.isEmpty == true {
                nodes.report(node, "\(what) needs either \(words.map { "`\($0)`" }.joined(separator: " or ")).")
            }
            return nil
        }
        return kind.read(value, &nodes)
    }
}
