// SPDX-License-Identifier: Apache-2.0
import Farewell
package import FarewellSQL

extension Plan {
    /// The fingerprint of everything in a schema that concerns this plan, as its file says it.
    ///
    /// A vendor changes its own tables at any time, and so does an extension, and a new version of Farewell those of
    /// its session authority. Tables that the plan leaves to one do not count. Of such a table with an entry, only the
    /// columns that the entry names and the foreign keys count, or of rows that the vendor deletes the identifiers; of
    /// the authority's tables, an app's columns count as well. Without all these it is the schema's own fingerprint.
    package func fingerprint(of schema: Schema) -> String { fingerprint(of: schema, recorded: schemaFingerprint) }

    /// The same beside a recorded fingerprint, which may have the form of an earlier release.
    package func fingerprint(of schema: Schema, recorded: String?) -> String {
        let own = OwnTables(schema).map { OwnAdditions(tables: $0, added: addedTables(of: $0, in: schema)) }
        let current = fingerprint(of: schema, .ofApp, own)
        guard let recorded, recorded != current else { return current }
        var earlier: [Form] = own != nil || schema.hasExtensionTables ? [.withAll] : []
        if own != nil, schema.hasExtensionTables { earlier.append(.withOwn) }
        if tables.contains(where: leavesToVendor) { earlier.append(.withUsers) }
        return earlier.contains { fingerprint(of: schema, $0, own) == recorded } ? recorded : current
    }

    /// Whose tables count. Earlier releases recorded those of extensions and of the session authority as well, and all
    /// columns of a table whose rows the vendor deletes.
    private enum Form { case withAll, withOwn, withUsers, ofApp }

    /// The session authority's tables, and those of them that the plan lacks although they fit it.
    private struct OwnAdditions {
        let tables: OwnTables
        let added: Set<TableName>
    }

    /// A table for which no entry follows counts, since the plan does not fit it.
    private func addedTables(of own: OwnTables, in schema: Schema) -> Set<TableName> {
        let named = Set(tables.map(\.table))
        let isWhole = schema.tables.allSatisfy { table in
            !own.contains(table.name) || named.contains(table.name) || vendor(of: table, schema.role) != nil
        }
        return isWhole ? [] : Set(CompletedPlan(self, SchemaMap(schema)).ownTables)
    }

    private func fingerprint(of schema: Schema, _ form: Form, _ own: OwnAdditions?) -> String {
        guard isCompleted(in: schema) else { return schema.fingerprint }
        var counted = schema
        let entries = Dictionary(tables.map { ($0.table, $0) }) { first, _ in first }
        counted.tables = schema.tables.compactMap { table in
            let isOfVendor = vendor(of: table, schema.role) != nil
            if !isOfVendor, let own, own.tables.contains(table.name) {
                // A table that a plan of an earlier release does not name did not exist when the plan was recorded.
                guard let entry = entries[table.name] else { return own.added.contains(table.name) ? nil : table }
                guard own.tables.isTolerant(entry) else { return table }
                return table.named(by: entry, of: own.tables, withConditions: form == .withAll || form == .withOwn)
            }
            guard isOfVendor || form != .withAll && table.ofExtension != nil else { return table }
            guard let entry = entries[table.name] else {
                return isOfVendor || ExtensionTables.isLeft(table) ? nil : table
            }
            guard isTolerant(entry), form == .ofApp || !leavesToVendor(entry) else { return table }
            var table = table
            let named = Set(columns(of: entry) + entry.links.flatMap(\.columns))
            table.columns = table.columns.filter { named.contains($0.name) }
            (table.indexes, table.uniqueKeys) = ([], [])
            return table
        }
        return counted.fingerprint
    }

    /// The columns of an entry that count beside its links. The vendor deletes its users' rows with all columns.
    private func columns(of entry: TablePlan) -> [String] {
        guard leavesToVendor(entry) else { return entry.columns.map(\.name) }
        let named = subject.identifiers.filter { $0.table == entry.table }.map(\.column)
        return entry.table == subject.table ? named + [subject.key] : named
    }
}

extension SchemaTable {
    /// The table without those of the authority's columns that an entry does not name, and without all that is about
    /// these columns, except an app's keys.
    ///
    /// - Parameter withConditions: Whether the conditions that rows must meet count; none of them concerns a deletion.
    fileprivate func named(by entry: TablePlan, of own: OwnTables, withConditions: Bool) -> SchemaTable {
        let names = Set(entry.columns.map(\.name) + entry.links.flatMap(\.columns))
        let left = Set(columns.map(\.name).filter { own.makes($0, in: name) }).subtracting(names)
        var table = self
        table.columns = columns.filter { !left.contains($0.name) }
        table.foreignKeys = foreignKeys.filter { left.isDisjoint(with: $0.columns) || !own.mayMake($0, in: name) }
        table.uniqueKeys = withConditions ? uniqueKeys.filter { left.isDisjoint(with: $0) } : []
        table.indexes = withConditions ? indexes.filter { left.isDisjoint(with: $0.columns) } : []
        table.checks = withConditions ? checks.filter { left.isDisjoint(with: $0.columns) } : []
        return table
    }
}
