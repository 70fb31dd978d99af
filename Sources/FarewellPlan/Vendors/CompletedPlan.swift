// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// A plan together with what follows from the profiles of the vendors that it names, from the extensions that own
/// tables, and from what is known of Farewell's own session authority.
struct CompletedPlan {
    let plan: Plan
    /// The plan of the file.
    let original: Plan
    /// The tables whose entry follows from a profile.
    let implied: Set<TableName>
    /// The added tables that the profile's facts do not know.
    let unknown: Set<TableName>
    /// The unknown tables in which rows of the subject may stay, in name order.
    let unsearched: [UnsearchedTable]
    /// Columns that a vendor or an extension added to tables which the plan names.
    let added: [ColumnName]
    /// The tables and columns of the plan that the vendors have removed.
    let removed: RemovedByVendor
    /// The tables that are left to extensions.
    let ofExtensions: [(name: String, tables: [TableName])]
    /// The session authority's tables that are in the schema.
    let own: OwnTables?
    /// The authority's tables that the plan lacks, in name order.
    let ownTables: [TableName]
    /// The authority's own columns that the plan lacks in its other tables.
    let ownColumns: [ColumnName]

    init(_ plan: Plan, _ map: SchemaMap) {
        original = plan
        let own = OwnTables(map.schema)
        self.own = own
        let removed = RemovedByVendor(plan, map)
        self.removed = removed
        guard !plan.vendors.isEmpty || map.schema.hasExtensionTables || own != nil else {
            (self.plan, implied, unknown, unsearched, added, ofExtensions) = (plan, [], [], [], [], [])
            (ownTables, ownColumns) = ([], [])
            return
        }
        var plan = removed.plan
        let covered = map.listed.compactMap { table in plan.vendor(of: table, map.schema.role).map { (table, $0) } }
        let named = Set(plan.tables.map(\.table))
        let vendors = Set(covered.map(\.0.name))
        // An entry of the plan has precedence.
        let ours = map.listed.filter { table in
            own?.mayMake(table) == true && !named.contains(table.name) && !vendors.contains(table.name)
        }
        ofExtensions = ExtensionTables.left(in: map, besides: named.union(vendors))
        var entries: [TableName: TablePlan] = [:]
        var gone = Set(plan.tables.filter(\.rule.erasesRows).map(\.table))
        var isGrowing = true
        while isGrowing {
            isGrowing = false
            for (table, profile) in covered + ours.map({ ($0, VendorProfile.farewell) })
            where !named.contains(table.name) && entries[table.name] == nil {
                let links = Self.links(of: table, profile, gone, map)
                guard !links.isEmpty else { continue }
                entries[table.name] = TablePlan(
                    table: table.name, rule: .erase, links: links, columns: Self.columns(of: table))
                gone.insert(table.name)
                isGrowing = true
            }
        }
        for (table, _) in covered where !named.contains(table.name) && entries[table.name] == nil {
            entries[table.name] = TablePlan(table: table.name, rule: .notPersonal, columns: Self.columns(of: table))
        }
        for table in ours where own?.isAboutService(table.name) == true {
            entries[table.name] = TablePlan(table: table.name, rule: .notPersonal, columns: Self.columns(of: table))
        }
        if let feed = RevocationFeedPlan(map), ours.contains(where: { $0.name == feed.name }) {
            entries[feed.name] = feed.entry(erased: gone)
        }
        for name in ofExtensions.flatMap(\.tables) {
            guard let table = map[name] else { continue }
            entries[name] = TablePlan(table: name, rule: .notPersonal, columns: Self.columns(of: table))
        }
        let strange = covered.filter { entries[$0.0.name] != nil && !$0.1.knows($0.0) }
        unknown = Set(strange.map(\.0.name))
        unsearched = strange.compactMap { table, profile in
            UnsearchedTable(table, profile, links: entries[table.name]?.links ?? [], erased: gone, map)
        }.sorted { $0.table < $1.table }
        ownTables = ours.map(\.name).filter { entries[$0] != nil }.sorted()
        implied = Set(entries.keys).subtracting(ownTables)
        var added: [ColumnName] = []
        for table in map.listed where vendors.contains(table.name) || table.ofExtension != nil {
            guard let place = plan.tables.firstIndex(where: { $0.table == table.name }),
                plan.isTolerant(plan.tables[place])
            else { continue }
            let planned = Set(plan.tables[place].columns.map(\.name))
            let more = table.columns.filter { !planned.contains($0.name) }
            let rule: ColumnRule? = plan.tables[place].rule.rowsStay ? .notPersonal : nil
            plan.tables[place].columns += more.map { TablePlan.PlannedColumn($0.name, rule) }
            added += more.map { ColumnName(table.name, $0.name) }
        }
        var ownColumns: [ColumnName] = []
        for place in plan.tables.indices {
            let entry = plan.tables[place]
            guard let own, own.isTolerant(entry), !vendors.contains(entry.table), let table = map[entry.table] else {
                continue
            }
            let planned = Set(entry.columns.map(\.name))
            let more = table.columns.map(\.name).filter { !planned.contains($0) && own.makes($0, in: table.name) }
            plan.tables[place].columns += more.map { TablePlan.PlannedColumn($0) }
            ownColumns += more.map { ColumnName(table.name, $0) }
        }
        self.ownColumns = ownColumns
        plan.tables = (plan.tables + entries.values).sorted { $0.table < $1.table }
        self.plan = plan
        self.added = added
    }

    /// The database's own keys by which rows of a vendor's table are deleted with other rows. For an unknown table only
    /// those count by which the database deletes them itself.
    private static func links(
        of table: SchemaTable, _ profile: VendorProfile, _ gone: Set<TableName>, _ map: SchemaMap
    ) -> [Link] {
        // Where the role may not delete, the database does it without us, and the guard sees it if there is anything.
        guard !table.missingRights.contains("delete"), table.isReadable else { return [] }
        let keys = map.keys(of: table.name).map(\.key).filter { key in
            key.isPaired && gone.contains(key.target) && key.target != table.name
                && (key.onDelete == .cascade
                    || profile.knows(table) && (key.emptiedColumns.isEmpty || profile.emptied.contains(table.name)))
        }
        return keys.map { key in
            var link = key.link
            if keys.count > 1 { (link.role, link.shared) = (.owner, .erase) }
            return link
        }
    }

    private static func columns(of table: SchemaTable) -> [TablePlan.PlannedColumn] {
        table.columns.map { TablePlan.PlannedColumn($0.name) }
    }
}
