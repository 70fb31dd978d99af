// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// A table in PostgreSQL's catalog, which every role may read. `to_regclass` refuses a role that may not use the
/// table's schema, and `check` reports such a role itself.
enum CatalogTable {
    /// The table's number, or null if there is no such table. `$1` and `$2` are the parameters below.
    static let number = """
        (SELECT relation.oid FROM pg_catalog.pg_class AS relation \
        JOIN pg_catalog.pg_namespace AS space ON space.oid = relation.relnamespace \
        WHERE space.nspname = $1 AND relation.relname = $2)
        """

    static func parameters(_ table: TableName) -> [SQLValue] {
        [table.schema ?? "public", table.name].map { .text(NameSpelling.name($0)) }
    }
}
