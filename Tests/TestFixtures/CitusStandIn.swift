// SPDX-License-Identifier: Apache-2.0

/// The part of Citus's catalog that Farewell reads, made in a plain PostgreSQL: everything that depends on it can then be tested without a
/// cluster. The rows stay where they are; `Scripts/citus journey` tries a real one.
package enum CitusStandIn {
    /// SQL that makes the catalog. `server` is the number of this server's group: 0 is the coordinator.
    ///
    /// - Parameter tables: Name, then method, column, group of tables and model as Citus writes them.
    package static func script(
        server: Int = 0, _ tables: [(name: String, method: String, column: String?, colocation: Int, model: String)] = []
    ) -> String {
        let made = """
            SET allow_system_table_mods = on;
            CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass, partmethod "char", partkey text,
                colocationid int, repmodel "char");
            CREATE TABLE pg_catalog.pg_dist_local_group (groupid int);
            CREATE TABLE pg_catalog.pg_dist_node (groupid int, nodename text, nodeport int, noderole text);
            CREATE FUNCTION pg_catalog.column_to_column_name(regclass, text) RETURNS text LANGUAGE sql AS 'SELECT $2';
            INSERT INTO pg_catalog.pg_dist_local_group VALUES (\(server));
            INSERT INTO pg_catalog.pg_dist_node VALUES (0, 'coordinator.example', 5433, 'primary'),
                (1, 'worker.example', 5434, 'primary');
            RESET allow_system_table_mods;
            """
        return tables.reduce(made) { text, table in
            let column = table.column.map { "'\($0)'" } ?? "NULL"
            return text + """

                INSERT INTO pg_catalog.pg_dist_partition
                    VALUES ('\(table.name)', '\(table.method)', \(column), \(table.colocation), '\(table.model)');
                """
        }
    }

    /// Tables that lie by one column each, all of them together.
    package static func script(hashed: [String: String]) -> String {
        script(hashed.sorted { $0.key < $1.key }.map { ($0.key, "h", $0.value, 1, "s") })
    }
}
