// SPDX-License-Identifier: Apache-2.0
import Farewell

extension PlanFile {
    /// The plan as `farewell init` writes it: commented, in a stable order, made to be read and edited.
    ///
    /// `read` gives the same plan back when its tables are in name order. Notes become comments beside what
    /// they are about.
    public static func text(for plan: Plan, notes: [PlanNote] = []) -> String {
        PlanWriter(plan: plan, notes: notes).text()
    }

    /// One link in the notation of a plan: `from: user_id, to: users.id, key: cascade`.
    package static func text(of link: Link) -> String { PlanWriter.empty.text(link) }

    /// A column in the list of a table's columns: `email`, `{code_hash: {export: no}}`.
    static func listed(_ column: TablePlan.PlannedColumn) -> String { PlanWriter.empty.listed(column) }

    /// The lines of one table's entry, indented by two.
    static func lines(for table: TablePlan, notes: [PlanNote]) -> [String] {
        var writer = PlanWriter(plan: PlanWriter.empty.plan, notes: notes)
        writer.entry(table)
        return writer.lines
    }

    /// The lines of questions, indented by two.
    static func lines(for questions: [PlanQuestion]) -> [String] {
        var writer = PlanWriter.empty
        for question in questions { writer.question(question) }
        return writer.lines
    }

    /// The lines of systems, indented by two.
    static func lines(for systems: [SystemPlan]) -> [String] {
        var writer = PlanWriter.empty
        for system in systems { writer.entry(system) }
        return writer.lines
    }

    /// The lines above the first system of a plan.
    static let systemsHead = [
        "# Third-party systems. Their secrets are in the environment or in files, never here.", "systems:",
    ]

    /// The comment above the first table without a way to a person. It stays true after answers.
    static let othersHead =
        "  # An erasure keeps all rows below, unless an answer above says otherwise. Check carefully."

    /// The comment above tables that a merge adds at the end.
    static let addedHead = "  # Added later, with or without a way to a person."

    /// The comment above the first question of a plan.
    static let questionsHead =
        [
            "# Questions that the schema does not answer. No erasure starts while one is open.",
            "# Write `answer:` with one of the answers beside each, or run `farewell decide`.",
        ] + PlanQuestion.Answer.legend.map { "#   \($0)" } + ["questions:"]
}

/// Writes one plan file from top to bottom.
private struct PlanWriter {
    let plan: Plan
    private let notes: [TableName?: [PlanNote]]
    fileprivate var lines: [String] = []

    init(plan: Plan, notes: [PlanNote]) {
        self.plan = plan
        self.notes = Dictionary(grouping: notes, by: \.table)
    }

    static let empty = PlanWriter(
        plan: Plan(subject: SubjectRoot(table: TableName(""), key: ""), tables: []), notes: [])

    func text() -> String {
        var writer = self
        writer.head()
        writer.vendors()
        writer.questions()
        writer.tables()
        writer.folders()
        writer.systems()
        writer.effects()
        return writer.lines.joined(separator: "\n") + "\n"
    }

    private mutating func head() {
        lines += [
            "# What an erasure does to each place that contains a user's data.",
            "#",
            "# The plan names every table and every column of the database. Each table has a rule:",
        ]
        for kind in TableRules.all {
            for (place, line) in kind.explanation.enumerated() {
                let word = place == 0 ? kind.word : ""
                lines.append("#   \(word)\(String(repeating: " ", count: 14 - word.count))\(line)")
            }
        }
        lines += [
            "# `links` lead from rows to the subject. If a row belongs to two people, `shared: erase` deletes it",
            "# with either, `shared: unlink` keeps it and sets this link to null.",
            "# Compare it with the database by `farewell check`; draw it with `farewell plan`.",
        ]
        for note in notes[nil] ?? [] { lines.append("# \(comment(note.text))") }
        lines += ["", "farewell: \(plan.version)", "", "subject:"]
        lines.append("  table: \(YAMLScalar.name(plan.subject.table.description))")
        lines.append("  key: \(YAMLScalar.name(plan.subject.key))")
        if !plan.subject.identifiers.isEmpty {
            lines.append("  # Other identifiers of the subject: a deep scan searches for them after an erasure.")
            list("  identifiers: ", plan.subject.identifiers.map { YAMLScalar.name($0.description) })
        }
        lines.append("")
        if let fingerprint = plan.schemaFingerprint {
            lines += ["# The schema that this plan was written for.", "schema: \(YAMLScalar.quoted(fingerprint))", ""]
        }
        if plan.order != Plan.defaultOrder {
            lines += ["order: [\(plan.order.map(\.rawValue).joined(separator: ", "))]", ""]
        }
    }

    private mutating func vendors() {
        guard !plan.vendors.isEmpty else { return }
        lines += [
            "# Tables of vendors and tools. Those without an entry under `tables` have no personal data, or",
            "# the database's own keys delete their rows with the rows that they refer to.",
            "vendors:",
        ]
        for coverage in plan.vendors {
            list("  \(YAMLScalar.name(coverage.vendor)): ", coverage.places.map { YAMLScalar.name($0.description) })
        }
        lines.append("")
    }

    private mutating func questions() {
        guard !plan.questions.isEmpty else { return }
        lines += PlanFile.questionsHead
        for question in plan.questions { self.question(question) }
        lines.append("")
    }

    fileprivate mutating func question(_ question: PlanQuestion) {
        lines.append("  - table: \(YAMLScalar.name(question.table.description))")
        lines.append("    column: \(oneOrMany(question.columns))")
        lines.append("    reason: \(YAMLScalar.quoted(question.reason))")
        if question.others.isEmpty {
            if let link = question.link { lines.append("    link: {\(text(link))}") }
        } else {
            lines += ["    links:"] + question.links.map { "      - {\(text($0))}" }
        }
        if let through = question.through { lines.append("    through: {\(text(through))}") }
        if let value = question.replacement { lines.append("    set: \(YAMLScalar.quoted(value))") }
        lines.append("    answers: [\(question.answers.map(\.rawValue).joined(separator: ", "))]")
        if let answer = question.answer {
            lines.append("    \(question.isImplied ? "implied" : "answer"): \(answer.rawValue)")
        }
    }

    private mutating func tables() {
        guard !plan.tables.isEmpty else {
            lines.append("tables: {}")
            return
        }
        lines.append("tables:")
        for table in plan.tables where table.rule.isPersonal { entry(table) }
        let others = plan.tables.filter { !$0.rule.isPersonal }
        guard !others.isEmpty else { return }
        if others.count < plan.tables.count {
            lines += ["", PlanFile.othersHead, ""]
        }
        for table in others { entry(table) }
    }

    fileprivate mutating func entry(_ table: TablePlan) {
        let about = notes[table.table] ?? []
        let isMapping = isMapping(table)
        key(YAMLScalar.name(table.table.description), indentation: 2)
        for note in about {
            guard let column = note.column else {
                lines.append("    # \(comment(note.text))")
                continue
            }
            if !isMapping { lines.append("    # \(comment(column)): \(comment(note.text))") }
        }
        if !table.labels.isEmpty {
            let labels = table.labels.sorted { $0.key < $1.key }.map { "\($0.key): \(YAMLScalar.quoted($0.value))" }
            lines.append("    label: {\(labels.joined(separator: ", "))}")
        } else if let label = table.label {
            lines.append("    label: \(YAMLScalar.quoted(label))")
        }
        rule(table.rule)
        if !table.links.isEmpty { lines.append("    links:") }
        for link in table.links { lines.append("      - {\(text(link))}") }
        if isMapping {
            lines.append("    columns:")
            for column in table.columns { mapped(column, notes: about.filter { $0.column == column.name }) }
        } else {
            list("    columns: ", table.columns.map(listed))
        }
    }

    private func isMapping(_ table: TablePlan) -> Bool {
        !table.columns.isEmpty && table.rule.rowsStay && table.columns.allSatisfy { $0.rule != nil }
    }

    private mutating func rule(_ rule: Rule) {
        lines.append("    rule: \(rule.word)")
        lines += rule.kind.lines.map { "    \($0)" }
    }

    fileprivate func text(_ link: Link) -> String {
        let targets = link.targetColumns.map { ColumnName(link.target, $0).description }
        var parts = ["from: \(oneOrMany(link.columns))"]
        if !link.path.isEmpty { parts.append("path: [\(link.path.map(YAMLScalar.name).joined(separator: ", "))]") }
        parts.append("to: \(oneOrMany(targets))")
        if let action = link.onDelete { parts.append("key: \(action.rawValue)") }
        if let shared = link.shared { parts.append("shared: \(shared.rawValue)") }
        if let role = link.role { parts.append("role: \(role.rawValue)") }
        if !link.condition.isEmpty { parts.append(text(link.condition)) }
        if let list = link.list { parts.append("list: \(list.rawValue)") }
        if let value = link.replacement { parts.append("set: \(YAMLScalar.quoted(value))") }
        if link.isOwnedParent { parts.append("parent: owned") }
        if link.ignoresCase { parts.append("case: ignored") }
        return parts.joined(separator: ", ")
    }

    private func text(_ owned: OwnedItems) -> String {
        let parts = ["column: \(YAMLScalar.name(owned.column.description))", "by: \(oneOrMany(owned.owners))"]
        return (parts + (owned.condition.isEmpty ? [] : [text(owned.condition)])).joined(separator: ", ")
    }

    private func text(_ condition: LinkCondition) -> String {
        "where: {\(condition.parts.map(text).joined(separator: ", "))}"
    }

    private func text(_ part: LinkCondition.Part) -> String {
        "\(YAMLScalar.name(part.column)): \(part.isNull ? "null" : oneOrMany(part.values))"
    }

    private func oneOrMany(_ names: [String]) -> String {
        let written = names.map(YAMLScalar.name)
        return written.count == 1 ? written[0] : "[\(written.joined(separator: ", "))]"
    }

    private mutating func mapped(_ column: TablePlan.PlannedColumn, notes: [PlanNote]) {
        guard let entry = written(column) else { return }
        for note in notes { lines.append("      # \(comment(note.text))") }
        key(YAMLScalar.name(column.name), indentation: 6, value: entry)
    }

    /// The rule of a column with its other settings; `nil` where there are none.
    private func written(_ column: TablePlan.PlannedColumn) -> String? {
        var settings = column.export.map { ["export: \($0 ? "yes" : "no")"] } ?? []
        if let label = column.label { settings.append("label: \(YAMLScalar.quoted(label))") }
        guard let rule = column.rule?.kind.written else {
            return settings.isEmpty ? nil : "{\(settings.joined(separator: ", "))}"
        }
        guard !settings.isEmpty else { return rule }
        let own = rule.hasPrefix("{") ? String(rule.dropFirst().dropLast()) : "rule: \(rule)"
        return "{\(([own] + settings).joined(separator: ", "))}"
    }

    fileprivate func listed(_ column: TablePlan.PlannedColumn) -> String {
        let name = YAMLScalar.name(column.name)
        guard let entry = written(column) else { return name }
        return isLong(name) ? "{? \(name) : \(entry)}" : "{\(name): \(entry)}"
    }

    private mutating func folders() {
        guard !plan.folders.isEmpty else { return }
        lines += ["", "folders:"]
        for folder in plan.folders {
            let location =
                switch folder.location {
                case .folder(let template): "folder: \(YAMLScalar.quoted(template))"
                case .column(let column): "column: \(YAMLScalar.name(column.description))"
                }
            let empty = folder.mayBeEmpty ? ", empty: allowed" : ""
            key(
                YAMLScalar.name(folder.name), indentation: 2,
                value: "{root: \(YAMLScalar.name(folder.root)), \(location)\(empty)}")
        }
    }

    private mutating func systems() {
        guard !plan.systems.isEmpty else { return }
        lines += [""] + PlanFile.systemsHead
        for system in plan.systems { entry(system) }
    }

    fileprivate mutating func entry(_ system: SystemPlan) {
        key(YAMLScalar.name(system.name), indentation: 2)
        lines.append("    kind: \(YAMLScalar.name(system.kind))")
        if case .column(let column) = system.person {
            lines.append("    person: \(YAMLScalar.name(column.description))")
        }
        if let owned = system.owned { lines.append("    owned: {\(text(owned))}") }
        if let export = text(system.export) { lines.append("    export: \(export)") }
        if system.stage != .first { lines.append("    stage: \(system.stage.rawValue)") }
        mapping("settings", system.settings.mapValues(YAMLScalar.quoted))
        mapping("secrets", system.secrets.mapValues(text))
    }

    private mutating func effects() {
        guard !plan.effects.isEmpty else { return }
        lines += [
            "", "# Further changes by triggers, at most, for each row that the erasure changes.",
        ]
        lines += TriggerEffectText.lines(for: plan.effects)
    }

    private mutating func mapping(_ name: String, _ values: [String: String]) {
        guard !values.isEmpty else { return }
        lines.append("    \(name):")
        // By bytes: names that differ only in how an accent is composed are two names.
        for (name, value) in values.sorted(by: { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) }) {
            key(YAMLScalar.name(name), indentation: 6, value: value)
        }
    }

    private func text(_ export: SystemExportRule) -> String? {
        guard export.isIncluded else { return "no" }
        let lists = [("omit", export.omit), ("keep", export.keep)].filter { !$0.1.isEmpty }.map { name, values in
            "\(name): [\(values.map(YAMLScalar.quoted).joined(separator: ", "))]"
        }
        return lists.isEmpty ? nil : "{\(lists.joined(separator: ", "))}"
    }

    private func text(_ secret: SecretPlace) -> String {
        switch secret {
        case .environment(let name): "{environment: \(YAMLScalar.quoted(name))}"
        case .file(let path): "{file: \(YAMLScalar.quoted(path))}"
        }
    }

    /// A key of a block mapping. YAML reads a long key only behind a question mark.
    private mutating func key(_ key: String, indentation: Int, value: String? = nil) {
        let indent = String(repeating: " ", count: indentation)
        if isLong(key) {
            lines.append("\(indent)? \(key)")
            lines.append(value.map { "\(indent): \($0)" } ?? "\(indent):")
        } else {
            lines.append(value.map { "\(indent)\(key): \($0)" } ?? "\(indent)\(key):")
        }
    }

    private func isLong(_ key: String) -> Bool { key.utf8.count > 500 }

    /// `columns: [a, b, …]`, broken into lines of at most 110 characters.
    private mutating func list(_ head: String, _ items: [String]) {
        let indent = String(repeating: " ", count: head.prefix { $0 == " " }.count + 2)
        var line = head + "["
        for (index, item) in items.enumerated() {
            let piece = item + (index == items.count - 1 ? "]" : ",")
            let gap = index == 0 ? "" : " "
            if index > 0, line.count + gap.count + piece.count > 110 {
                lines.append(line)
                line = indent + piece
            } else {
                line += gap + piece
            }
        }
        lines.append(items.isEmpty ? line + "]" : line)
    }

    private func comment(_ text: String) -> String { Shown.line(text, limit: 300) }
}
