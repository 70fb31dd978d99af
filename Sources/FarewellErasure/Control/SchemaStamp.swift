// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// A cheap check that the schema is still the one for which a program was made.
///
/// SQLite: a hash of all definitions. Its own counter of schema changes is unsuitable: it changes with every `VACUUM`
/// and with the control store's own tables. PostgreSQL: every change of a table, column, key, index, trigger or policy
/// writes a catalog row with a new transaction number (`xmin`); analysing and vacuuming change catalog rows in place
/// and keep it. The rows' hashes together are the stamp. The system's own objects have numbers below 16384; other
/// sessions' temporary tables are left out.
package struct SchemaStamp: Sendable {
    let dialect: SQLDialect

    package init(dialect: SQLDialect) { self.dialect = dialect }

    /// Reads the stamp.
    package var read: SQLStatement { SQLStatement("SELECT (\(expression))") }

    /// Fails unless the stamp is the given one, and so stops a pipeline before its first delete.
    ///
    /// PostgreSQL plans the statement once, including the function that reads the details. It plans it again only when
    /// one of the named tables has changed (the invalidation of its plan cache). So the details are read after a
    /// change, and not for every account.
    ///
    /// - Parameter tables: PostgreSQL: the tables whose details matter, quoted; for none the details are read each
    ///   time.
    package func guardUnchanged(_ stamp: SQLValue, over tables: [String]) -> SQLStatement {
        guard dialect.datesItsCatalog else {
            return SQLStatement(
                "SELECT CASE WHEN (\(definitions)) = $1 THEN 1 ELSE json('schema changed') END", [stamp])
        }
        let named = tables.map { "NOT EXISTS (SELECT FROM \($0) WHERE false)" }
        let condition = named.isEmpty ? "" : " WHERE " + named.joined(separator: " AND ")
        // Kept with a plan that nothing renews, the function's answer would be an old one.
        let details = named.isEmpty ? "(\(Self.details))" : "farewell.schema_details()"
        return SQLStatement(
            "SELECT 1 / (CASE WHEN current_setting('session_replication_role') <> 'replica' "
                + "AND (\(Self.places)) || ' ' || \(details) = $1::text THEN 1 ELSE 0 END)"
                + condition, [stamp])
    }

    private var expression: String {
        dialect.datesItsCatalog ? "(\(Self.places)) || ' ' || (\(Self.details))" : definitions
    }

    private var definitions: String {
        """
        SELECT farewell_keyed_hash(x'00', \
        coalesce(group_concat(d.type || d.name || char(10) || d.sql, char(10)), '')) \
        FROM (SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL \
        AND lower(tbl_name) NOT IN (\(ControlTables.literals(.sqlite))) \
        AND lower(tbl_name) NOT GLOB 'sqlite_*' ORDER BY type, name) AS d
        """
    }

    /// Makes the function that returns the details. It is declared immutable so that PostgreSQL keeps its result with
    /// the plan of the calling statement; nothing else may use it.
    static let makeDetails = """
        CREATE FUNCTION farewell.schema_details() RETURNS text LANGUAGE sql IMMUTABLE AS $details$ \(details) $details$
        """

    /// The tables in the catalog, and what makes the session authority's trigger the known one: its function changes
    /// without a change of a table, and its feed need not be a table of the plan.
    private static let places = """
        SELECT count(*)::text || '/' || coalesce(bit_xor(\(hash("c.xmin", "c.oid::bigint"))), 0) || '/' \
        || (SELECT coalesce(bit_xor(\(hash("f.xmin", "f.oid::bigint"))), 0) FROM pg_catalog.pg_proc f \
        WHERE f.proname = 'publish_deletion' AND f.pronamespace = \
        (SELECT n.oid FROM pg_catalog.pg_namespace n WHERE n.nspname = 'auth')) || '/' \
        || (SELECT count(*)::text || '/' || coalesce(bit_xor(\(hash("x.xmin", "x.oid::bigint"))), 0) \
        FROM pg_catalog.pg_trigger x WHERE x.tgrelid = (SELECT r.oid FROM pg_catalog.pg_class r \
        WHERE r.relname = 'revocations' AND r.relnamespace = \
        (SELECT n.oid FROM pg_catalog.pg_namespace n WHERE n.nspname = 'auth'))) \
        FROM pg_catalog.pg_class c WHERE \(isPlace)
        """

    /// Their parts.
    private static let details: String = {
        let parts = [
            part("pg_attribute", "attrelid", hash("x.xmin", "x.attrelid::bigint * 2048 + x.attnum")),
            part("pg_constraint", "conrelid", hash("x.xmin", "x.oid::bigint")),
            part("pg_index", "indrelid", hash("x.xmin", "x.indexrelid::bigint")),
            part("pg_trigger", "tgrelid", hash("x.xmin", "x.oid::bigint")),
            part("pg_policy", "polrelid", hash("x.xmin", "x.oid::bigint")),
        ]
        return "WITH places AS MATERIALIZED (SELECT c.oid FROM pg_catalog.pg_class c WHERE \(isPlace)) "
            + "SELECT (\(parts.joined(separator: ") || ' ' || (")))"
    }()

    private static let isPlace = """
        c.oid >= 16384 AND c.relkind IN ('r', 'p', 'f', 'm') AND c.relpersistence <> 't' \
        AND c.relnamespace <> ALL (ARRAY(SELECT n.oid FROM pg_catalog.pg_namespace n \
        WHERE n.nspname IN ('farewell', 'information_schema')))
        """

    /// A part of the stamp: the catalog's rows about the places, each found by the catalog's own index.
    private static func part(_ catalog: String, _ place: String, _ hash: String) -> String {
        """
        SELECT count(*)::text || '/' || coalesce(bit_xor(\(hash)), 0) FROM pg_catalog.\(catalog) x \
        WHERE x.\(place) = ANY (ARRAY(SELECT p.oid FROM places p))
        """
    }

    private static func hash(_ transaction: String, _ seed: String) -> String {
        "hashint8extended(\(transaction)::text::bigint, \(seed))"
    }
}
