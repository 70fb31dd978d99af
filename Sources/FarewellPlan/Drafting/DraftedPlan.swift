// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Writes down what `PlanReach` found: one entry for each table, and notes for its author.
struct DraftedPlan {
    private let reach: PlanReach
    private let map: SchemaMap
    private var tables: [TableName: TablePlan] = [:]
    private var notes: [PlanNote] = []
    private let accounts: AccountTables?

    init(reach: PlanReach, map: SchemaMap, evidence: String) {
        self.reach = reach
        self.map = map
        accounts = AccountTables(map)
        notes.append(PlanNote(table: reach.root.table, "The subject's table: \(evidence)."))
    }

    mutating func finish(fingerprint: String?) -> PlanDraft {
        let asking = DraftedQuestions(reach: reach, map: map)
        var questions: [PlanQuestion] = []
        for table in map.listed {
            let open = asking.questions(table)
            tables[table.name] = entry(table, areAsked: !open.isEmpty)
            // Everything is known about Farewell's own feed.
            if table.name != RevocationFeedPlan(map)?.name { questions += open }
        }
        let paths = SubjectPaths(subject: reach.root, tables: tables, map: map)
        let subject = SubjectRoot(
            table: reach.root.table, key: reach.root.key, identifiers: identifiers(paths))
        var plan = Plan(
            subject: subject, schemaFingerprint: fingerprint, tables: tables.values.sorted { $0.table < $1.table },
            questions: questions)
        let settled = OfferedTargets(map).settled(plan)
        plan.questions = settled.questions
        plan.questions = LikelyAnswers.ordered(plan, map)
        return PlanDraft(plan: plan, notes: notes, withheld: settled.withheld, added: settled.added)
    }

    private mutating func entry(_ table: SchemaTable, areAsked: Bool) -> TablePlan {
        if let feed = RevocationFeedPlan(map), table.name == feed.name, let entry = feed.entry(erased: reach.erased) {
            notes.append(
                PlanNote(
                    table: table.name,
                    "Farewell's own table: erasures add rows, which Farewell deletes 25 hours later."))
            return entry
        }
        if reach.erased.contains(table.name) { return erased(table, areAsked: areAsked) }
        let references = references(table)
        return references.isEmpty ? notPersonal(table, areAsked: areAsked) : kept(table, references, areAsked: areAsked)
    }

    private mutating func erased(_ table: SchemaTable, areAsked: Bool) -> TablePlan {
        var links = decided(table).compactMap { key, ownership -> Link? in
            guard case .owner = ownership else { return nil }
            return key.link
        }
        // The database itself empties a set-null key when the row that it names is deleted; it is no link of this row.
        let references = references(table).filter { $0.onDelete != .setNull && $0.onDelete != .setDefault }
        if areAsked || links.count + references.count > 1 {
            links = links.map { link in
                var link = link
                link.role = .owner
                return link
            }
        }
        noteUnpaired(table)
        for link in reach.declared[table.name] ?? [] {
            notes.append(
                PlanNote(table: table.name, column: link.columns[0], "The link follows from the tables' structure."))
        }
        return TablePlan(
            table: table.name, rule: .erase, links: links + references + (reach.declared[table.name] ?? []),
            columns: table.columns.map { TablePlan.PlannedColumn($0.name) })
    }

    /// A table whose rows stay and lose nothing but the values that name the subject.
    private mutating func kept(_ table: SchemaTable, _ references: [Link], areAsked: Bool) -> TablePlan {
        noteUnpaired(table)
        let kept = areAsked ? "Unless an answer deletes them, the rows are kept" : "The rows are kept"
        notes.append(PlanNote(table: table.name, "\(kept) without their link. Check each column: is it personal?"))
        let linking = Set(references.flatMap(\.columns))
        for column in table.columns where !linking.contains(column.name) && PersonNames.soundsPersonal(column) {
            notes.append(
                PlanNote(table: table.name, column: column.name, "May be personal, and is not changed in kept rows."))
        }
        return TablePlan(
            table: table.name, rule: .anonymise, links: references,
            columns: table.columns.map { TablePlan.PlannedColumn($0.name, .notPersonal) })
    }

    /// The keys to rows that are deleted, with what they say.
    private func decided(_ table: SchemaTable) -> [(key: ForeignKey, ownership: KeyOwnership)] {
        (reach.keys[table.name] ?? []).filter { reach.erased.contains($0.key.target) }
    }

    private func references(_ table: SchemaTable) -> [Link] {
        decided(table).compactMap { key, ownership in
            guard case .reference = ownership else { return nil }
            var link = key.link
            link.role = .reference
            if key.onDelete == .setDefault, key.columns.count == 1, let column = table[key.columns[0]] {
                link.replacement = LiteralDefault.text(column.defaultExpression)
            }
            return link
        }
    }

    private mutating func notPersonal(_ table: SchemaTable, areAsked: Bool) -> TablePlan {
        switch table.kind {
        case .materializedView:
            notes.append(
                PlanNote(
                    table: table.name, "A copy of other tables: refresh it after erasures, or its rows outlive them."))
        case .virtual:
            let note =
                table.refusal.map { "A virtual table that cannot be read: nothing there is erased or searched. \($0)" }
                ?? "A virtual table: check that it has no copy of personal text."
            notes.append(PlanNote(table: table.name, note))
        default:
            if table.name == accounts?.users {
                notes.append(
                    PlanNote(
                        table: table.name,
                        "Users sign in with this table, and \(areAsked ? "only answers show" : "no link shows") whose "
                            + "accounts these are. "
                            + "The check refuses a plan that keeps them."))
            }
        }
        return TablePlan(
            table: table.name, rule: .notPersonal, columns: table.columns.map { TablePlan.PlannedColumn($0.name) })
    }

    private mutating func noteUnpaired(_ table: SchemaTable) {
        for key in map.keys(of: table.name).map(\.key) where reach.erased.contains(key.target) && !key.isPaired {
            notes.append(
                PlanNote(
                    table: table.name, column: key.columns.first,
                    "The database has a key to \(Shown.name(key.target.description)) here whose target is not a key: "
                        + "it is not used as a link. Correct it."))
        }
    }

    private func identifiers(_ paths: SubjectPaths) -> [ColumnName] {
        let root = reach.root
        let keys = OtherKeys(map, subject: root)
        let natural = NaturalNames(map, subject: root)
        let others = paths.onePerPerson.union(reach.descendants).subtracting([root.table]).sorted()
        return ([root.table] + others).flatMap { name -> [ColumnName] in
            guard let table = map[name] else { return [] }
            return table.columns.filter { column in
                guard !natural.isOfAnother(column, of: table) else { return false }
                let isSubject = name == root.table || reach.descendants.contains(name)
                guard !isSubject || column.name != root.key else { return false }
                return (PersonNames.isIdentifier(column) || isSubject && keys.contains(column.name))
                    && !map.keys(of: name).contains { $0.key.columns.contains(column.name) }
            }.map { ColumnName(name, $0.name) }
        }
    }
}
