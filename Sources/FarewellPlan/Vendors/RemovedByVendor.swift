// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Tables and columns of a vendor that a plan names and that are not there any more: no row is in them.
///
/// A vendor may also have renamed them. So a link counts as removed only if another link of the entry is left, and the
/// fingerprint of a plan changes with each table and column that it names: its author sees the finding before the next
/// erasure.
struct RemovedByVendor {
    /// The plan without them.
    private(set) var plan: Plan
    private(set) var tables: [TableName] = []
    /// The columns of links, of lists of columns and of lists of files.
    private(set) var columns: [ColumnName] = []

    private let map: SchemaMap

    init(_ plan: Plan, _ map: SchemaMap) {
        (self.plan, self.map) = (plan, map)
        // Without a fingerprint the plan was never accepted: a name in it that does not exist is a mistake.
        guard !plan.vendors.isEmpty, plan.schemaFingerprint != nil else { return }
        removeTables()
        for place in self.plan.tables.indices { removeColumns(at: place) }
        for place in self.plan.systems.indices { removeOwners(at: place) }
        columns = Set(columns).sorted()
    }

    /// Entries of tables in the schemas of a vendor that is still here.
    private mutating func removeTables() {
        let here = plan.vendors.compactMap { VendorProfile.named($0.vendor) }.filter { $0.isHere(map) }
        tables = plan.tables.map(\.table).filter { name in
            map[name] == nil && name != plan.subject.table && plan.isOfVendor(name)
                && here.contains { $0.schemas[name.schema ?? ""] != nil }
        }.sorted()
        let gone = Set(tables)
        plan.tables.removeAll { gone.contains($0.table) }
    }

    private mutating func removeColumns(at place: Int) {
        let entry = plan.tables[place]
        guard let table = map[entry.table], plan.vendor(of: table, map.schema.role) != nil else { return }
        // A rule that changes a value is a promise: without its column it stays an error.
        let listed = entry.columns.filter { table[$0.name] == nil && $0.rule?.changesValue != true }.map(\.name)
        plan.tables[place].columns.removeAll { listed.contains($0.name) }
        let left = entry.links.filter { link in
            link.columns.allSatisfy { table[$0] != nil } && !tables.contains(link.target)
        }
        var gone = listed
        if !left.isEmpty {
            plan.tables[place].links = left
            gone += entry.links.flatMap(\.columns).filter { table[$0] == nil }
        }
        columns += gone.map { ColumnName(table.name, $0) }
    }

    /// The owner's older columns, where the newest one is there.
    private mutating func removeOwners(at place: Int) {
        guard let owned = plan.systems[place].owned, let table = map[owned.column.table],
            let files = plan.vendor(of: table, map.schema.role)?.files, files.table == table.name,
            let newest = files.owners.first, table[newest] != nil, owned.owners.contains(newest)
        else { return }
        let gone = owned.owners.filter { table[$0] == nil && files.owners.contains($0) }
        plan.systems[place].owned?.owners.removeAll { gone.contains($0) }
        columns += gone.map { ColumnName(table.name, $0) }
    }
}
