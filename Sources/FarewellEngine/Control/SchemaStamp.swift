// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// A cheap sign that the schema is still the one a program was made for.
///
/// SQLite: a hash of all definitions. Its own counter of schema changes will not do: it moves with every
/// `VACUUM` and with the control store's own tables. PostgreSQL: every change of a table, column, key, index,
/// trigger or policy writes a catalog row, whose transaction number (`xmin`) is then another one; analysing
/// and vacuuming change catalog rows in place and keep it. The rows' hashes together are the stamp. Objects of the
/// system's own have numbers below 16384; other sessions' temporary tables are nobody's business.
package struct SchemaStamp: Sendable {
    let dialect: SQLDialect

    package init(dialect: SQLDialect) { self.dialect = dialect }

    /// Reads the stamp.
    package var read: SQLStatement { SQLStatement("SELECT (\(expression))") }

    /// Fails, and so stops a pipeline before its first delete, unless the stamp is the given one.
    package func guardUnchanged(_ stamp: SQLValue) -> SQLStatement {
        let text =
            dialect == .postgresql
            ? "SELECT CASE WHEN s = $1::text THEN 1 ELSE 1 / (length(s) - length(s)) END "
                + "FROM (SELECT (\(expression)) AS s) AS x"
            : "SELECT CASE WHEN (\(expression)) = $1 THEN 1 ELSE json('schema changed') END"
        return SQLStatement(text, [stamp])
    }

    private var expression: String {
        guard dialect == .postgresql else {
            return """
                SELECT farewell_keyed_hash(x'00', \
                coalesce(group_concat(d.type || d.name || char(10) || d.sql, char(10)), '')) \
                FROM (SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL \
                AND lower(tbl_name) NOT GLOB 'farewell_*' \
                AND lower(tbl_name) NOT GLOB 'sqlite_*' ORDER BY type, name) AS d
                """
        }
        let parts = [
            "SELECT count(*)::text || '/' || coalesce(bit_xor(\(Self.hash("p.xmin", "p.oid::bigint"))), 0) "
                + "FROM places p",
            part("pg_attribute", "attrelid", Self.hash("x.xmin", "x.attrelid::bigint * 2048 + x.attnum")),
            part("pg_constraint", "conrelid", Self.hash("x.xmin", "x.oid::bigint")),
            part("pg_index", "indrelid", Self.hash("x.xmin", "x.indexrelid::bigint")),
            part("pg_trigger", "tgrelid", Self.hash("x.xmin", "x.oid::bigint")),
            part("pg_policy", "polrelid", Self.hash("x.xmin", "x.oid::bigint")),
        ]
        return """
            WITH places AS MATERIALIZED (SELECT c.oid, c.xmin FROM pg_catalog.pg_class c WHERE c.oid >= 16384 \
            AND c.relkind IN ('r', 'p', 'f', 'm') AND c.relpersistence <> 't' \
            AND c.relnamespace <> ALL (ARRAY(SELECT n.oid FROM pg_catalog.pg_namespace n \
            WHERE n.nspname IN ('farewell', 'information_schema')))) SELECT (\(parts.joined(separator: ") || ' ' || ("))
            """ + ")"
    }

    /// A part of the stamp: the catalog's rows about the places, each found by the catalog's own index.
    private func part(_ catalog: String, _ place: String, _ hash: String) -> String {
        """
        SELECT count(*)::text || '/' || coalesce(bit_xor(\(hash)), 0) FROM pg_catalog.\(catalog) x \
        WHERE x.\(place) = ANY (ARRAY(SELECT p.oid FROM places p))
        """
    }

    private static func hash(_ transaction: String, _ seed: String) -> String {
        "hashint8extended(\(transaction)::text::bigint, \(seed))"
    }
}
