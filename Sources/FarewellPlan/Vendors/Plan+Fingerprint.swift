// SPDX-License-Identifier: Apache-2.0
import Farewell
package import FarewellSQL

extension Plan {
    /// The fingerprint of everything in a schema that concerns this plan, as its file says it.
    ///
    /// A vendor changes its own tables at any time, and so does an extension. Tables that the plan leaves to one do not
    /// count. Of such a table with an entry, only the columns that the entry names and the foreign keys count. Without
    /// vendors and extensions it is the schema's own fingerprint.
    package func fingerprint(of schema: Schema) -> String {
        guard schema.hasExtensionTables else { return fingerprint(of: schema, leaving: .vendors) }
        // A plan of an earlier release recorded the tables of extensions as well.
        let earlier = fingerprint(of: schema, leaving: .vendors)
        return schemaFingerprint == earlier ? earlier : fingerprint(of: schema, leaving: .vendorsAndExtensions)
    }

    /// The owners whose tables do not count.
    private enum Left { case vendors, vendorsAndExtensions }

    private func fingerprint(of schema: Schema, leaving left: Left) -> String {
        guard !vendors.isEmpty || left == .vendorsAndExtensions else { return schema.fingerprint }
        var counted = schema
        let entries = Dictionary(tables.map { ($0.table, $0) }) { first, _ in first }
        counted.tables = schema.tables.compactMap { table in
            let isOfVendor = vendor(of: table, schema.role) != nil
            guard isOfVendor || left == .vendorsAndExtensions && table.ofExtension != nil else { return table }
            guard let entry = entries[table.name] else {
                return isOfVendor || ExtensionTables.isLeft(table) ? nil : table
            }
            guard entry.isTolerant else { return table }
            var table = table
            let named = Set(entry.columns.map(\.name) + entry.links.flatMap(\.columns))
            table.columns = table.columns.filter { named.contains($0.name) }
            (table.indexes, table.uniqueKeys) = ([], [])
            return table
        }
        return counted.fingerprint
    }
}
