// SPDX-License-Identifier: Apache-2.0
import Farewell
package import FarewellSQL

/// The tables that belong to extensions of PostgreSQL: a plan leaves them to the extension, as not personal, without
/// naming them, and an extension's changes in them concern no erasure.
///
/// Facts of 2026-11-26, from the extensions' own scripts. An extension that is not known here may keep rows of the app
/// where it says that a dump saves them; such a table is planned like the app's own.
enum ExtensionTables {
    /// Extensions whose tables hold only their own settings, catalogues and reference data, although a dump
    /// saves some of it.
    private static let own: Set<String> = [
        "address_standardizer_data_us", "age", "citus", "citus_columnar", "pg_cron", "pg_partman", "pg_repack",
        "pgagent", "pglogical", "pgrouting", "postgis", "postgis_raster", "postgis_sfcgal",
        "postgis_tiger_geocoder", "postgis_topology", "timescaledb",
    ]

    /// Extensions that put rows of the app into tables of their own: queues of messages and of requests.
    private static let carriers: Set<String> = ["pg_net", "pgmq"]

    /// Whether a plan leaves a table to its extension.
    static func isLeft(_ table: SchemaTable) -> Bool {
        guard let member = table.ofExtension, !carriers.contains(member.name) else { return false }
        return own.contains(member.name) || !member.savesRows
    }

    /// The tables of a schema that are left to extensions, by extension, in name order.
    static func left(in map: SchemaMap, besides named: Set<TableName>) -> [(name: String, tables: [TableName])] {
        let left = map.listed.filter { isLeft($0) && !named.contains($0.name) }
        let groups = Dictionary(grouping: left) { $0.ofExtension?.name ?? "" }
        return groups.map { (name: $0.key, tables: $0.value.map(\.name).sorted()) }.sorted { $0.name < $1.name }
    }

    /// `public.spatial_ref_sys belongs to the extension postgis …`.
    static func sentence(_ name: String, _ tables: [TableName]) -> String {
        let shown = tables.prefix(5).map { Shown.line($0.description, limit: 160) }.joined(separator: ", ")
        let more = tables.count > 5 ? " and \(tables.count - 5) more" : ""
        let verb = tables.count == 1 ? "belongs" : "belong"
        return "\(shown)\(more) \(verb) to the extension \(Shown.name(name)): not personal, and not changed."
    }
}

extension Schema {
    /// Whether an extension owns one of the tables.
    package var hasExtensionTables: Bool { tables.contains { $0.ofExtension != nil } }
}
