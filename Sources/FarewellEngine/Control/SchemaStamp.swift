// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// A cheap sign that the schema is still the one a program was made for.
///
/// SQLite: a hash of all definitions. Its own counter of schema changes will not do: it moves with every
/// `VACUUM` and with the control store's own tables. PostgreSQL: every change of a table, column, key, index,
/// trigger or policy writes a catalog row, whose transaction number (`xmin`) is then another one; analysing
/// and vacuuming change catalog rows in place and keep it. The sum over the rows is the stamp.
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
        return """
            SELECT count(*)::text || '/' || \
            coalesce(sum(hashint8extended(x.v::text::bigint, x.o::bigint)::numeric), 0)::text \
            FROM (WITH places AS (SELECT c.oid, c.xmin FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n \
            ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'f', 'm') AND n.nspname <> 'farewell' \
            AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%') \
            SELECT p.xmin AS v, p.oid AS o FROM places p \
            UNION ALL SELECT a.xmin, a.attrelid FROM pg_catalog.pg_attribute a JOIN places p ON p.oid = a.attrelid \
            UNION ALL SELECT k.xmin, k.oid FROM pg_catalog.pg_constraint k JOIN places p ON p.oid = k.conrelid \
            UNION ALL SELECT i.xmin, i.indexrelid FROM pg_catalog.pg_index i JOIN places p ON p.oid = i.indrelid \
            UNION ALL SELECT t.xmin, t.oid FROM pg_catalog.pg_trigger t JOIN places p ON p.oid = t.tgrelid \
            UNION ALL SELECT y.xmin, y.oid FROM pg_catalog.pg_policy y JOIN places p ON p.oid = y.polrelid) AS x
            """
    }
}
