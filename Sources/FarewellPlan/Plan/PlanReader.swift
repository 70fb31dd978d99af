// SPDX-License-Identifier: Apache-2.0
import Farewell
internal import Yams

/// Turns the YAML document of a plan file into a `Plan`, collecting everything that is wrong.
struct PlanReader {
    private var nodes = PlanNodes()

    var problems: [PlanProblem] {
        get { nodes.problems }
        set { nodes.problems = newValue }
    }

    /// The character that stands in for byte order marks in the document (`YAMLMarks`).
    var standIn: Unicode.Scalar? {
        get { nodes.standIn }
        set { nodes.standIn = newValue }
    }

    mutating func plan(_ root: Node) -> Plan? {
        let record = nodes.record(
            root, "The plan", required: ["farewell", "subject", "tables"],
            optional: ["schema", "order", "folders", "systems", "questions", "effects", "vendors"])
        guard let record else { return nil }
        let version = record["farewell"].flatMap { readVersion($0) }
        let subject = record["subject"].flatMap { readSubject($0) }
        let fingerprint = record["schema"].flatMap { nodes.text($0, "`schema`") }
        let order = record["order"].flatMap { readOrder($0) }
        let tables = record["tables"].flatMap { readTables($0) }
        let folders = record["folders"].flatMap { readFolders($0) }
        let systems = record["systems"].flatMap { readSystems($0) }
        let questions = record["questions"].map { readQuestions($0) }
        let effects = record["effects"].flatMap { readEffects($0) }
        let vendors = record["vendors"].map { readVendors($0) }
        guard problems.isEmpty, let version, let subject, let tables else { return nil }
        var plan = Plan(
            version: version, subject: subject, schemaFingerprint: fingerprint, tables: tables,
            folders: folders ?? [], systems: systems ?? [], questions: questions ?? [],
            order: order ?? Plan.defaultOrder)
        plan.effects = effects ?? []
        plan.vendors = vendors ?? []
        return plan.answered()
    }

    private mutating func readVersion(_ node: Node) -> Int? {
        guard let text = nodes.text(node, "`farewell`") else { return nil }
        guard text == "1" else {
            nodes.report(
                node,
                "This is version \(Shown.name(text)) of the plan file; this Farewell reads version 1. "
                    + "Install the Farewell that wrote it.")
            return nil
        }
        return 1
    }

    private mutating func readSubject(_ node: Node) -> SubjectRoot? {
        let record = nodes.record(
            node, "`subject`", required: ["table", "key"], optional: ["identifiers"])
        guard let record, let table = record["table"].flatMap({ tableName($0) }),
            let key = record["key"].flatMap({ nodes.name($0, "The key") })
        else { return nil }
        var identifiers: [ColumnName] = []
        if let list = record["identifiers"] {
            for item in nodes.list(list, "`identifiers`") ?? [] {
                guard let column = columnName(item) else { continue }
                if identifiers.contains(column) { nodes.report(item, "This identifier is named twice.") }
                identifiers.append(column)
            }
        }
        return SubjectRoot(table: table, key: key, identifiers: identifiers)
    }

    private mutating func readOrder(_ node: Node) -> [Plan.Stage]? {
        guard let items = nodes.list(node, "`order`") else { return nil }
        var stages: [Plan.Stage] = []
        for item in items {
            guard let stage: Plan.Stage = nodes.word(item, "A stage") else { return nil }
            stages.append(stage)
        }
        if Set(stages) != Set(Plan.Stage.allCases) || stages.count != Plan.Stage.allCases.count {
            nodes.report(node, "`order` must name each of files, rows, identity once.")
        } else if stages.last != .identity {
            nodes.report(
                node, "identity must come last: until it is erased, a user whose erasure failed can request it again.")
        }
        return stages
    }

    private mutating func readTables(_ node: Node) -> [TablePlan]? {
        guard let pairs = nodes.pairs(node, "`tables`") else { return nil }
        var tables: [TablePlan] = []
        var seen: Set<[UInt8]> = []
        for (_, keyNode, value) in pairs {
            guard let name = tableName(keyNode) else { continue }
            guard seen.insert(Array(name.description.utf8)).inserted else {
                nodes.report(keyNode, "The table \(Shown.name(name.description)) appears twice.")
                continue
            }
            var reader = TablePlanReader(nodes: nodes, table: name)
            let table = reader.table(value)
            nodes = reader.nodes
            if let table { tables.append(table) }
        }
        return tables.sorted { $0.table < $1.table }
    }

    private mutating func readFolders(_ node: Node) -> [FolderPlan] {
        guard let pairs = nodes.pairs(node, "`folders`") else { return [] }
        var folders: [FolderPlan] = []
        for (name, keyNode, value) in pairs {
            let what = "The folder \(Shown.name(name))"
            let record = nodes.record(value, what, required: ["root"], optional: ["folder", "column", "empty"])
            guard let record, let root = record["root"].flatMap({ nodes.text($0, "The root") }) else { continue }
            let template = record["folder"].flatMap { nodes.text($0, "`folder`") }
            let column = record["column"].flatMap { columnName($0) }
            guard (record["folder"] == nil) != (record["column"] == nil) else {
                nodes.report(keyNode, "\(what) needs either `folder` or `column`.")
                continue
            }
            let empty = record["empty"].flatMap { nodes.text($0, "`empty`") }
            guard empty == nil || empty == "allowed" || empty == "refused" else {
                nodes.report(keyNode, "\(what) has an `empty` that is neither `allowed` nor `refused`.")
                continue
            }
            let location = template.map { FolderPlan.Location.folder(template: $0) } ?? column.map { .column($0) }
            guard let location else { continue }
            folders.append(FolderPlan(name: name, root: root, location: location, mayBeEmpty: empty == "allowed"))
        }
        return folders
    }

    private mutating func readQuestions(_ node: Node) -> [PlanQuestion] {
        var reader = QuestionReader(nodes: nodes)
        let questions = reader.questions(node)
        nodes = reader.nodes
        return questions
    }

    private mutating func readSystems(_ node: Node) -> [SystemPlan] {
        var reader = SystemPlanReader(nodes: nodes)
        let systems = reader.systems(node)
        nodes = reader.nodes
        return systems
    }

    /// `supabase: [auth.*, storage.*]`, `rails: [public.schema_migrations]`.
    private mutating func readVendors(_ node: Node) -> [VendorCoverage] {
        (nodes.pairs(node, "`vendors`") ?? []).map { name, _, value in
            let places = (nodes.list(value, "The list of \(Shown.name(name)) in `vendors`") ?? []).compactMap {
                item -> VendorCoverage.Place? in
                guard let text = nodes.text(item, "An item of `vendors`") else { return nil }
                if let place = VendorCoverage.Place(parsing: text) { return place }
                nodes.report(item, "\(Shown.name(text)) is neither a schema (`auth.*`) nor a table; \(Self.quoting).")
                return nil
            }
            return VendorCoverage(vendor: name, places: places)
        }
    }

    private mutating func readEffects(_ node: Node) -> [TriggerEffect] {
        var reader = TriggerEffectReader(nodes: nodes)
        let effects = reader.effects(node)
        nodes = reader.nodes
        return effects
    }

    private mutating func tableName(_ node: Node) -> TableName? {
        guard let text = nodes.text(node, "A table's name") else { return nil }
        if let name = TableName(parsing: text) { return name }
        nodes.report(node, "\(Shown.name(text)) is not a table's name; \(Self.quoting).")
        return nil
    }

    private mutating func columnName(_ node: Node) -> ColumnName? {
        guard let text = nodes.text(node, "A column's name") else { return nil }
        if let name = ColumnName(parsing: text) { return name }
        nodes.report(node, "\(Shown.name(text)) does not name a table and a column; \(Self.quoting).")
        return nil
    }

    static let quoting = "a part with dots, spaces or quotes is written as '\"odd name\"', its quotes doubled"
}
