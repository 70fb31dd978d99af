// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// Reads how many rows of each table the current transaction has changed, by whatever means: statements, keys,
/// triggers, `ON CONFLICT REPLACE`.
///
/// The database counts; Farewell reads the counters twice and takes the difference, because they may still hold what
/// earlier transactions of the session did. PostgreSQL: the transaction's own statistics
/// (`pg_stat_get_xact_tuples_*`), which count attempts: rows that a rolled-back savepoint changed stay counted, also
/// those of an `EXCEPTION` block in a trigger. SQLite: the pre-update hook (see `CSQLiteChanges`).
///
/// PostgreSQL counts no row that `TRUNCATE` removes. Of tables that a trigger empties so, the file and its size are
/// read as well: another file, with the lock that `TRUNCATE` takes, means that the rows are gone. The server estimates
/// how many there were, at least 1.
package struct ChangeCounters: Sendable {
    /// Whether the database counts at all. PostgreSQL: not where `track_counts` is off and this role may not switch it
    /// on. SQLite: not where the library has no pre-update hook.
    package let isCounting: Bool
    /// Begins the counting inside a transaction, if that is necessary.
    package let opening: [SQLStatement]
    /// Reads the counters.
    package let reading: SQLStatement
    /// Tables whose rows the database does not count: foreign, virtual and distributed ones, materialised views.
    package let uncounted: Set<TableName>
    private let names: [Int64: TableName]
    private let roots: [TableName: TableName]
    private let known: Set<TableName>

    /// Finds out how the tables of a schema are counted.
    ///
    /// - Parameter truncated: The tables that triggers empty by `TRUNCATE`.
    package static func prepared(
        for schema: Schema, truncated: Set<TableName> = [], on connection: any SQLConnection
    ) async throws -> ChangeCounters {
        switch schema.dialect {
        case .sqlite: try await sqlite(schema, connection)
        case .postgresql: try await postgreSQL(schema, truncated, connection)
        }
    }

    /// The table under which rows of a table are counted: the partitioned table for a partition.
    package func place(of table: TableName) -> TableName { roots[table] ?? table }

    /// The changes between two readings, by table; tables without a change are left out.
    ///
    /// - Throws: `sql.keys-off` where the session disables the database's keys (`session_replication_role`).
    package func changes(from before: SQLResult, to after: SQLResult) throws -> [TableName: RowChanges] {
        let (old, new) = (try counted(before), try counted(after))
        var changes: [TableName: RowChanges] = [:]
        for (table, rows) in new {
            let difference = rows - (old[table] ?? RowChanges())
            if !difference.isNothing { changes[table] = difference }
        }
        let earlier = files(before)
        for (number, file) in files(after) {
            guard let table = names[number], let old = earlier[number], old.rows > 0, file.isLocked,
                file.name != old.name
            else { continue }
            changes[table] = (changes[table] ?? RowChanges()) + RowChanges(deleted: old.rows)
        }
        return changes
    }

    // MARK: SQLite

    private static func sqlite(_ schema: Schema, _ connection: any SQLConnection) async throws -> ChangeCounters {
        let reading = SQLStatement("SELECT farewell_row_changes()")
        let isCounting = try await connection.run(reading).scalar?.isNull == false
        return ChangeCounters(
            isCounting: isCounting, opening: [], reading: reading,
            uncounted: Set(schema.tables.filter { $0.kind == .virtual }.map(\.name)), names: [:], roots: [:],
            known: Set(schema.tables.map(\.name)))
    }

    /// `["posts", 0, 1, 2]`
    private struct Entry: Decodable {
        let table: TableName
        let rows: RowChanges

        init(from decoder: any Decoder) throws {
            var parts = try decoder.unkeyedContainer()
            table = TableName(try parts.name())
            rows = RowChanges(
                inserted: try parts.decode(Int.self), updated: try parts.decode(Int.self),
                deleted: try parts.decode(Int.self))
        }
    }

    // MARK: PostgreSQL

    private static func postgreSQL(
        _ schema: Schema, _ truncated: Set<TableName>, _ connection: any SQLConnection
    ) async throws -> ChangeCounters {
        let answers = try await connection.pipeline([SQLStatement(tables), SQLStatement(settings)])
        guard answers.count == 2, let setting = answers[1].rows.first, setting.count == 2 else {
            throw CatalogRow.unreadable
        }
        var names: [Int64: TableName] = [:]
        var roots: [TableName: TableName] = [:]
        var uncounted: Set<TableName> = []
        for row in answers[0].rows {
            guard row.count == 6, let number = row[0].integer, let name = row[2].text else { continue }
            let table = Self.table(row[1].text, name)
            let root = row[4].text.map { Self.table(row[3].text, $0) } ?? table
            if root != table { roots[table] = root }
            if row[5] == .bool(false) || schema[root]?.citus?.isDistributed == true {
                uncounted.insert(root)
            } else {
                names[number] = root
            }
        }
        let isOn = setting[0] == .bool(true)
        let list = names.keys.sorted().map(String.init).joined(separator: ",")
        let files = files(of: names.filter { truncated.contains($0.value) }.keys.sorted())
        return ChangeCounters(
            isCounting: isOn || setting[1] == .bool(true),
            opening: isOn ? [] : [SQLStatement("SELECT set_config('track_counts', 'on', true)")],
            reading: SQLStatement(
                """
                SELECT r.o, r.i, r.u, r.d FROM (SELECT t.o::bigint AS o, \
                pg_catalog.pg_stat_get_xact_tuples_inserted(t.o) AS i, \
                pg_catalog.pg_stat_get_xact_tuples_updated(t.o) AS u, \
                pg_catalog.pg_stat_get_xact_tuples_deleted(t.o) AS d \
                FROM unnest('{\(list)}'::oid[]) AS t (o) OFFSET 0) AS r WHERE r.i + r.u + r.d > 0 \
                UNION ALL SELECT 0, 0, 0, 0 WHERE current_setting('session_replication_role') = 'replica'\(files)
                """),
            uncounted: uncounted, names: names, roots: roots, known: [])
    }

    /// A row about the file of each of these tables: the table's number below zero, the file's name, how often this
    /// transaction holds the lock of `TRUNCATE`, and the rows; none if the file is empty.
    private static func files(of numbers: [Int64]) -> String {
        guard !numbers.isEmpty else { return "" }
        return """
             UNION ALL SELECT -(f.o::bigint), coalesce(pg_catalog.pg_relation_filenode(f.o)::bigint, 0), \
            coalesce(held.n, 0), CASE WHEN pg_catalog.pg_relation_size(f.o::regclass) > 0 \
            THEN greatest(pg_catalog.pg_stat_get_live_tuples(f.o), 1) ELSE 0 END \
            FROM unnest('{\(numbers.map(String.init).joined(separator: ","))}'::oid[]) AS f (o) \
            LEFT JOIN (SELECT relation, count(*) AS n FROM pg_catalog.pg_locks WHERE locktype = 'relation' \
            AND mode = 'AccessExclusiveLock' AND pid = pg_catalog.pg_backend_pid() GROUP BY relation) AS held \
            ON held.relation = f.o
            """
    }

    private struct File {
        let name: Int64
        let isLocked: Bool
        let rows: Int
    }

    private func files(_ result: SQLResult) -> [Int64: File] {
        var files: [Int64: File] = [:]
        for row in result.rows where row.count == 4 {
            guard let number = row[0].integer, number < 0, let name = row[1].integer else { continue }
            files[-number] = File(name: name, isLocked: row[2].integer ?? 0 > 0, rows: Int(row[3].integer ?? 0))
        }
        return files
    }

    private static func table(_ schema: String?, _ name: String) -> TableName {
        TableName(schema: schema.map(NameSpelling.of), NameSpelling.of(name))
    }

    /// Every table of the database but the system's and the control store's, with the root of its partitions.
    private static let tables = """
        SELECT class.oid::bigint, space.nspname::text, class.relname::text, rootspace.nspname::text, root.relname::text,
               class.relkind = 'r'
        FROM pg_catalog.pg_class AS class
        JOIN pg_catalog.pg_namespace AS space ON space.oid = class.relnamespace
        LEFT JOIN pg_catalog.pg_class AS root
            ON class.relispartition AND root.oid = pg_catalog.pg_partition_root(class.oid)
        LEFT JOIN pg_catalog.pg_namespace AS rootspace ON rootspace.oid = root.relnamespace
        WHERE class.relkind IN ('r', 'f', 'm') AND class.relpersistence <> 't'
          AND space.nspname NOT LIKE 'pg\\_%' AND space.nspname NOT IN ('information_schema', 'farewell')
        """

    private static let settings = """
        SELECT current_setting('track_counts')::boolean,
               coalesce((SELECT role.rolsuper FROM pg_catalog.pg_roles AS role
                         WHERE role.rolname = current_user), false)
        """

    private static let keysAreOff = FarewellError(
        "sql.keys-off", .yoursToFix,
        "session_replication_role is replica for this connection: the database neither checks its foreign keys nor "
            + "cascades by them, and fires no ordinary trigger.",
        remedy: "ALTER ROLE … or ALTER DATABASE … RESET session_replication_role, and connect again.")

    private func counted(_ result: SQLResult) throws -> [TableName: RowChanges] {
        guard known.isEmpty else {
            guard let text = result.scalar?.text else { throw CatalogRow.unreadable }
            // Tables that no schema shows, such as those behind an index for full text, belong to what shows them.
            let entries = try JSONDecoder().decode([Entry].self, from: Data(text.utf8)).filter {
                known.contains($0.table)
            }
            return Dictionary(entries.map { ($0.table, $0.rows) }, uniquingKeysWith: +)
        }
        var changes: [TableName: RowChanges] = [:]
        for row in result.rows {
            guard row.count == 4, let number = row[0].integer else { continue }
            guard number != 0 else { throw Self.keysAreOff }
            guard let table = names[number] else { continue }
            changes[table, default: RowChanges()] =
                changes[table, default: RowChanges()]
                + RowChanges(
                    inserted: Int(row[1].integer ?? 0), updated: Int(row[2].integer ?? 0),
                    deleted: Int(row[3].integer ?? 0))
        }
        return changes
    }
}
