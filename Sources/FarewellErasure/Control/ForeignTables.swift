// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

/// Tables that no plan sees and that are not the control store's own: subjects' rows in them would stay.
///
/// On PostgreSQL these are all other tables in its schema; they appear if the application's role is called `farewell`,
/// because PostgreSQL puts its new tables into the schema of that name. On SQLite it is one of the control store's
/// names, before the control store has made it.
struct ForeignTables {
    let dialect: SQLDialect

    private var migrations: ControlMigrations { ControlMigrations(dialect: dialect) }

    /// The names of the foreign tables. On SQLite a table is foreign only while there is no control store; the control
    /// store's table of versions, which it creates first, is not foreign.
    func found(on connection: any SQLConnection) async throws -> [String] {
        try await names(on: connection).filter { dialect.hasSchemas || $0 != migrations.table("migrations") }
    }

    /// The finding of a plan check or the doctor about them. Makes nothing, and checks whether there is a control
    /// store.
    func finding(on connection: any SQLConnection) async throws -> Finding? {
        // The names come first: a control store made meanwhile is made completely at once.
        let names = try await names(on: connection)
        guard let first = names.first else { return nil }
        let state = try await state(on: connection)
        switch (dialect.hasSchemas, state) {
        // A newer binary has tables of its own that this one does not know; its version reports it.
        case (_, .newer), (false, .made): return nil
        case (false, .begun):
            guard let other = names.first(where: { $0 != migrations.table("migrations") }) else { return nil }
            return finding(of: other)
        default: return finding(of: first)
        }
    }

    func refusal(of table: String) -> FarewellError {
        FarewellError("control.foreign-table", .yoursToFix, message(table), remedy: remedy)
    }

    private func finding(of table: String) -> Finding {
        Finding(
            "control.foreign-table", .error,
            table: TableName(schema: dialect.hasSchemas ? "farewell" : nil, table), message(table),
            remedy: remedy)
    }

    private func message(_ table: String) -> String {
        "The table \(TableName.written(table)) is among the control store's tables, which no plan reads."
    }

    private var remedy: String {
        dialect.hasSchemas
            ? "Move it: ALTER TABLE farewell.… SET SCHEMA public."
            : "Rename it: the control store needs that name for its own table."
    }

    private func names(on connection: any SQLConnection) async throws -> [String] {
        let own = ControlTables.literals(dialect)
        let query =
            dialect.hasSchemas
            ? """
            SELECT c.relname::text FROM pg_catalog.pg_class c \
            WHERE c.relnamespace = pg_catalog.to_regnamespace('farewell') \
            AND c.relkind IN ('r', 'p', 'f', 'm') AND c.relname NOT IN (\(own)) ORDER BY 1
            """
            : "SELECT name FROM sqlite_schema WHERE type = 'table' AND lower(name) IN (\(own)) ORDER BY 1"
        return try await connection.run(SQLStatement(query)).rows.compactMap { $0.first?.text }
    }

    /// How far the control store has been made.
    private enum State { case none, begun, made, newer }

    private func state(on connection: any SQLConnection) async throws -> State {
        let table = migrations.table("migrations")
        let query =
            dialect.hasSchemas
            ? """
            SELECT count(*) FROM pg_catalog.pg_attribute AS a WHERE a.attrelid = (SELECT c.oid \
            FROM pg_catalog.pg_class AS c WHERE c.relname = 'migrations' \
            AND c.relnamespace = pg_catalog.to_regnamespace('farewell')) AND a.attname IN ('version', 'applied_at') \
            AND has_schema_privilege('farewell', 'USAGE') AND has_table_privilege(a.attrelid, 'SELECT')
            """
            : "SELECT count(*) FROM pragma_table_info('\(table)') WHERE name IN ('version', 'applied_at')"
        guard try await connection.run(SQLStatement(query)).scalar?.integer == 2 else { return .none }
        let version = SQLStatement("SELECT coalesce(max(version), 0) FROM \(table)")
        let found = try await connection.run(version).scalar?.integer ?? 0
        if found > Int64(migrations.all.last?.version ?? 0) { return .newer }
        return found > 0 ? .made : .begun
    }
}
