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
        notes.append(PlanNote(table: reach.root.table, "The person begins here: \(evidence)."))
    }

    mutating func finish(fingerprint: String?) -> PlanDraft {
        for table in map.listed { tables[table.name] = entry(table) }
        completeSides()
        let roads = PlanRoads(subject: reach.root, tables: tables, map: map)
        noteUndecided(roads)
        let subject = SubjectRoot(
            table: reach.root.table, key: reach.root.key, identifiers: identifiers(roads))
        let plan = Plan(
            subject: subject, schemaFingerprint: fingerprint, tables: tables.values.sorted { $0.table < $1.table })
        return PlanDraft(plan: plan, notes: notes)
    }

    private mutating func entry(_ table: SchemaTable) -> TablePlan {
        if let feed = RevocationFeedPlan(map), table.name == feed.name, let entry = feed.entry(erased: reach.erased) {
            notes.append(
                PlanNote(
                    table: table.name,
                    "Farewell's own: deleting a person adds to it, and it clears itself 25 hours later."))
            return entry
        }
        if reach.erased.contains(table.name) { return erased(table) }
        if reach.emptied.contains(table.name) { return emptied(table) }
        return notPersonal(table)
    }

    private mutating func erased(_ table: SchemaTable) -> TablePlan {
        // The database itself empties a set-null key when what it names goes; it is no road to this row.
        let links = keyLinks(of: table).filter { $0.onDelete != .setNull && $0.onDelete != .setDefault }
        noteLinks(table)
        return TablePlan(
            table: table.name, rule: .erase, links: links + (reach.declared[table.name] ?? []),
            columns: table.columns.map { TablePlan.PlannedColumn($0.name) })
    }

    private mutating func emptied(_ table: SchemaTable) -> TablePlan {
        let links = keyLinks(of: table) + (reach.declared[table.name] ?? [])
        noteLinks(table)
        notes.append(
            PlanNote(
                table: table.name,
                "Only the link to the person would be emptied; the rows stay. Look at each column: is it personal?"))
        let linking = Set(links.flatMap(\.columns))
        // Of two links, one may name somebody else: emptying both would take a neighbour's. The database's own
        // key empties the one that names the person.
        let emptied = links.filter { $0.onDelete == .setNull || $0.onDelete == .setDefault }
        let left = links.count > 1 ? Set(emptied.flatMap(\.columns)) : []
        for column in left.sorted() {
            notes.append(
                PlanNote(table: table.name, column: column, "Emptied by the database where it names the person."))
        }
        let columns = table.columns.map { column in
            let isLink = linking.contains(column.name)
            let rule = left.contains(column.name) ? .notPersonal : columnRule(column, in: table, isLink: isLink)
            return TablePlan.PlannedColumn(column.name, rule)
        }
        return TablePlan(table: table.name, rule: .anonymise, links: links, columns: columns)
    }

    private mutating func columnRule(_ column: SchemaColumn, in table: SchemaTable, isLink: Bool) -> ColumnRule {
        guard !column.isGenerated, !table.primaryKey.contains(column.name) else { return .notPersonal }
        if isLink {
            if column.isNullable { return .null }
            return LiteralDefault.text(column.defaultExpression).map { .constant($0) } ?? .null
        }
        guard PersonNames.soundsPersonal(column) else { return .notPersonal }
        let canHash = column.kind == .text && HashFit.fits(column)
        guard column.isNullable || canHash else { return .notPersonal }
        notes.append(PlanNote(table: table.name, column: column.name, "Sounds personal."))
        return column.isNullable ? .null : .keyedHash
    }

    private mutating func notPersonal(_ table: SchemaTable) -> TablePlan {
        switch table.kind {
        case .materializedView:
            notes.append(
                PlanNote(
                    table: table.name, "A copy of other tables: refresh it after erasures, or its rows outlive them."))
        case .virtual:
            notes.append(PlanNote(table: table.name, "A virtual table: see that it holds no copy of personal text."))
        default:
            if table.name == accounts?.users {
                notes.append(
                    PlanNote(
                        table: table.name,
                        "Users sign in here, and nothing says whose accounts these are. "
                            + "A plan that keeps them is refused."))
            }
            let suspects = SuspectedLink.all(
                in: table, bound: [], subject: reach.root, reached: [:], map: map)
            for suspect in suspects where !suspect.typeFits {
                notes.append(
                    PlanNote(
                        table: table.name, column: suspect.column.name,
                        "May name people, by its name. If it does not: {\(suspect.column.name): not personal}."))
            }
        }
        return TablePlan(
            table: table.name, rule: .notPersonal, columns: table.columns.map { TablePlan.PlannedColumn($0.name) })
    }

    private func keyLinks(of table: SchemaTable) -> [Link] {
        erasedKeys(of: table).filter(\.isPaired).map { key in
            Link(
                columns: key.columns, target: key.target, targetColumns: key.targetColumns, onDelete: key.onDelete)
        }
    }

    private func erasedKeys(of table: SchemaTable) -> [ForeignKey] {
        map.keys(of: table.name).map(\.key).filter { reach.erased.contains($0.target) }
    }

    private mutating func noteLinks(_ table: SchemaTable) {
        for key in erasedKeys(of: table) where !key.isPaired {
            notes.append(
                PlanNote(
                    table: table.name, column: key.columns.first,
                    "The database has a key to \(Shown.name(key.target.description)) here that names no key there: "
                        + "it is no link. Correct it."))
        }
        for link in reach.declared[table.name] ?? [] {
            notes.append(PlanNote(table: table.name, column: link.columns[0], Self.guessed))
        }
    }

    private static let guessed = "No key says so; its name and type look like a link to the person. Confirm it."

    /// Adds the sides that have no key to tables that keys reached: `receiver_id` beside a keyed `sender_id`.
    private mutating func completeSides() {
        let roads = PlanRoads(subject: reach.root, tables: tables, map: map)
        let stems = reach.stems()
        for table in map.listed where table.name != reach.root.table {
            guard var entry = tables[table.name], entry.rule.erasesRows, reach.declared[table.name] == nil else {
                continue
            }
            let isDirect = entry.links.contains { PlanRoads.erases($0) && roads.isDirect($0) }
            let bound = Set(map.keys(of: table.name).flatMap(\.key.columns))
            let suspects = SuspectedLink.all(
                in: table, bound: bound.union(table.primaryKey.count == 1 ? table.primaryKey : []),
                subject: reach.root, reached: stems, map: map)
            for suspect in suspects where suspect.typeFits {
                guard suspect.role == .otherSide || suspect.role == .owner && !isDirect else { continue }
                entry.links.append(suspect.link)
                notes.append(PlanNote(table: table.name, column: suspect.column.name, Self.guessed))
            }
            tables[table.name] = entry
        }
    }

    private mutating func noteUndecided(_ roads: PlanRoads) {
        for table in tables.values.sorted(by: { $0.table < $1.table }) {
            for link in roads.undecided(table) {
                notes.append(
                    PlanNote(
                        table: table.table, column: link.columns.joined(separator: ", "),
                        "Rows found by this link may be somebody else's. Decide: add `shared: erase` or "
                            + "`shared: unlink` to it."))
            }
        }
    }

    private func identifiers(_ roads: PlanRoads) -> [ColumnName] {
        let root = reach.root
        let names = [root.table] + roads.onePerPerson.subtracting([root.table]).sorted()
        return names.flatMap { name in
            (map[name]?.columns ?? []).filter { column in
                PersonNames.isIdentifier(column) && (name != root.table || column.name != root.key)
                    && !map.keys(of: name).contains { $0.key.columns.contains(column.name) }
            }.map { ColumnName(name, $0.name) }
        }
    }
}

/// The text of a default that is a plain literal: `0`, `'none'::text`.
enum LiteralDefault {
    static func text(_ expression: String?) -> String? {
        guard let expression else { return nil }
        if Int(expression) != nil || Double(expression) != nil { return expression }
        guard expression.hasPrefix("'") else { return nil }
        var text = String.UnicodeScalarView()
        var rest = expression.unicodeScalars.dropFirst()
        while let scalar = rest.popFirst() {
            guard scalar == "'" else {
                text.append(scalar)
                continue
            }
            guard rest.first == "'" else {
                return rest.isEmpty || rest.starts(with: "::".unicodeScalars) ? String(text) : nil
            }
            text.append("'")
            rest.removeFirst()
        }
        return nil
    }
}
