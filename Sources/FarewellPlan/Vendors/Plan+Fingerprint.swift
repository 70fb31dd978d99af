// SPDX-License-Identifier: Apache-2.0
import Farewell
package import FarewellSQL

extension Plan {
    /// The fingerprint of everything in a schema that concerns this plan, as its file says it.
    ///
    /// A vendor changes its own tables at any time. Tables that the plan leaves to a vendor do not count. Of a vendor's
    /// table with an entry, only the columns that the entry names and the foreign keys count. Without vendors it is the
    /// schema's own fingerprint.
    package func fingerprint(of schema: Schema) -> String {
        guard !vendors.isEmpty else { return schema.fingerprint }
        var counted = schema
        let entries = Dictionary(tables.map { ($0.table, $0) }) { first, _ in first }
        counted.tables = schema.tables.compactMap { table in
            guard vendor(of: table, schema.role) != nil else { return table }
            guard let entry = entries[table.name] else { return nil }
            guard entry.rule.isTolerant else { return table }
            var table = table
            let named = Set(entry.columns.map(\.name) + entry.links.flatMap(\.columns))
            table.columns = table.columns.filter { named.contains($0.name) }
            (table.indexes, table.uniqueKeys) = ([], [])
            return table
        }
        return counted.fingerprint
    }
}
