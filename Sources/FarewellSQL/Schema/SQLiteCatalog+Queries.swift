// SPDX-License-Identifier: Apache-2.0

/// The queries over SQLite's schema table and its pragmas as table-valued functions.
extension SQLiteCatalog {
    /// One row for each table but SQLite's own and the control store's, its columns, foreign keys and indexes as lists.
    static let tables = listing("tables.name")

    /// The same; the tables in the list `$1`, which cannot be read, have no columns.
    static let tablesBesides = listing(
        "CASE WHEN tables.name IN (SELECT value FROM json_each($1)) THEN '' ELSE tables.name END")

    private static func listing(_ name: String) -> String {
        """
        SELECT tables.name, tables.type, tables.wr, (SELECT foreign_keys FROM pragma_foreign_keys),
               (SELECT json_group_array(json_array(name, type, "notnull", dflt_value, pk, hidden))
                FROM pragma_table_xinfo(\(name), 'main')),
               (SELECT json_group_array(json_array(id, "table", "from", "to", on_delete, on_update))
                FROM (SELECT * FROM pragma_foreign_key_list(\(name), 'main') ORDER BY id, seq)),
               (SELECT json_group_array(json_array(name, "unique", origin, partial, cid, part, coll))
                FROM (SELECT list.name, list."unique", list.origin, list.partial, parts.cid, parts.name AS part,
                             parts.coll
                      FROM pragma_index_list(\(name), 'main') AS list,
                           pragma_index_xinfo(list.name, 'main') AS parts
                      WHERE parts.key = 1 ORDER BY list.name, parts.seqno))
        FROM pragma_table_list AS tables
        WHERE tables.schema = 'main' AND tables.type IN ('table', 'virtual')
          AND lower(tables.name) NOT GLOB 'sqlite_*'
          AND lower(tables.name) NOT IN (\(ControlTables.literals(.sqlite)))
        """
    }

    /// The texts of triggers, indexes and of tables with parts that no pragma reports, and whether there are row
    /// estimates.
    static let texts = """
        SELECT type, name, tbl_name, sql FROM main.sqlite_schema
        WHERE type IN ('index', 'trigger') AND sql IS NOT NULL OR name = 'sqlite_stat1'
           OR type = 'table' AND (sql LIKE '%collate%' OR sql LIKE '%check%' OR sql LIKE '%conflict%'
               OR sql LIKE '%as%(%' OR sql LIKE 'create virtual%')
        """

    static let rowEstimates = "SELECT tbl, stat FROM main.sqlite_stat1"

    static let virtualTables = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'virtual'"

    /// Fails if the columns of the table `$1` cannot be found out.
    static let columns = "SELECT count(*) FROM pragma_table_xinfo($1, 'main')"
}
