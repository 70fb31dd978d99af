// SPDX-License-Identifier: Apache-2.0
import Farewell
internal import Yams

/// Reads the part of a plan file that names third-party systems.
struct SystemPlanReader {
    var nodes: PlanNodes

    mutating func systems(_ node: Node) -> [SystemPlan] {
        (nodes.pairs(node, "`systems`") ?? []).compactMap { system(named: $0.key, $0.value) }
    }

    private mutating func system(named name: String, _ node: Node) -> SystemPlan? {
        let what = "The system \(Shown.name(name))"
        let record = nodes.record(
            node, what, required: ["kind"], optional: ["person", "stage", "owned", "export", "settings", "secrets"])
        guard let record, let kind = record["kind"].flatMap({ nodes.text($0, "`kind`") }) else { return nil }
        var system = SystemPlan(name: name, kind: kind)
        if let person = record["person"] {
            guard let column = column(person) else { return nil }
            system.person = .column(column)
        }
        if let owned = record["owned"] { system.owned = self.owned(owned) }
        if let export = record["export"] { system.export = self.export(export) }
        if let stage = record["stage"] { system.stage = nodes.word(stage, "A system's stage") ?? .first }
        for (key, _, value) in record["settings"].flatMap({ nodes.pairs($0, "`settings`") }) ?? [] {
            system.settings[key] = nodes.text(value, "The setting \(Shown.name(key))")
        }
        for (key, _, value) in record["secrets"].flatMap({ nodes.pairs($0, "`secrets`") }) ?? [] {
            system.secrets[key] = secret(key, value)
        }
        return system
    }

    /// `{column: storage.objects.name, by: [owner_id, owner], where: {bucket_id: avatars}}`.
    private mutating func owned(_ node: Node) -> OwnedItems? {
        let record = nodes.record(node, "`owned`", required: ["column", "by"], optional: ["where"])
        guard let record, let column = record["column"].flatMap({ column($0, "`column`") }),
            let owners = record["by"].flatMap({ nodes.names($0, "`by`") })
        else { return nil }
        let condition = record["where"].map { nodes.condition($0) }
        if condition?.parts.contains(where: \.isNull) == true {
            nodes.report(node, "`where` of `owned` must name values, because each row names an item of the system.")
        }
        return OwnedItems(column: column, owners: owners, condition: condition ?? LinkCondition())
    }

    /// `no`, `yes`, or `{omit: [notes], keep: [tokens]}`.
    private mutating func export(_ node: Node) -> SystemExportRule {
        guard node.mapping != nil else {
            let word = nodes.word(node, "`export` of a system", of: ["yes", "no"])
            return SystemExportRule(isIncluded: word != "no")
        }
        let record = nodes.record(node, "`export` of a system", required: [], optional: ["omit", "keep"]) ?? [:]
        if record.isEmpty { nodes.report(node, "`export` of a system needs `omit` or `keep`.") }
        return SystemExportRule(
            omit: record["omit"].flatMap { nodes.texts($0, "`omit`") } ?? [],
            keep: record["keep"].flatMap { nodes.texts($0, "`keep`") } ?? [])
    }

    private mutating func column(_ node: Node, _ what: String = "`person`") -> ColumnName? {
        guard let text = nodes.text(node, what) else { return nil }
        if let name = ColumnName(parsing: text) { return name }
        nodes.report(node, "\(Shown.name(text)) does not name a table and a column; \(PlanReader.quoting).")
        return nil
    }

    /// A malformed value may be the secret itself, so it is not shown.
    private mutating func secret(_ name: String, _ node: Node) -> SecretPlace? {
        guard node.mapping != nil else {
            nodes.report(
                node,
                "The secret \(Shown.name(name)) must not be in a plan: write {environment: NAME} or "
                    + "{file: path}.")
            return nil
        }
        let record = nodes.record(
            node, "The secret \(Shown.name(name))", required: [], optional: ["environment", "file"])
        let variable = record?["environment"].flatMap { nodes.text($0, "A variable's name") }
        let path = record?["file"].flatMap { nodes.text($0, "A file's path") }
        switch (variable, path) {
        case (let variable?, nil): return .environment(variable)
        case (nil, let path?): return .file(path)
        default:
            nodes.report(node, "The secret \(Shown.name(name)) needs either `environment` or `file`.")
            return nil
        }
    }
}
