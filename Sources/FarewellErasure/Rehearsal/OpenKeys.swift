// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// SQLite: which foreign keys a commit would refuse. SQLite checks them when the transaction ends and then says only
/// that there is one; so the broken keys of now are compared with those from before the changes.
struct OpenKeys: Sendable {
    /// Begins at the present state.
    static func mark(on connection: any SQLConnection) async throws -> OpenKeys {
        try await connection.run("SAVEPOINT farewell_beginning")
        return OpenKeys()
    }

    /// The keys that are broken now and were not at the beginning. Takes all changes back.
    func broken(since schema: Schema, on connection: any SQLConnection) async throws -> [RehearsalRefusal] {
        guard try await connection.run("SELECT farewell_open_keys()").scalar?.integer == 1 else { return [] }
        let now = try await keys(schema, connection)
        try await connection.run("ROLLBACK TO SAVEPOINT farewell_beginning")
        let before = try await keys(schema, connection)
        return now.filter { $0.value > before[$0.key] ?? 0 }.sorted { $0.key.table < $1.key.table }.map { key, rows in
            let new = rows - (before[key] ?? 0)
            let error = FarewellError(
                "sql.23503", .yoursToFix,
                "A foreign key would be broken: \(new) row\(new == 1 ? "" : "s") of "
                    + "\(Shown.line("\(key.table)", limit: 160)) would refer to rows of "
                    + "\(Shown.line("\(key.target)", limit: 160)) that no longer exist.")
            return RehearsalRefusal(error, changing: key.table, triggers: [], schema)
        }
    }

    private struct Key: Hashable {
        let table: TableName
        let target: TableName
        let number: Int64
    }

    /// How many rows break each key.
    private func keys(_ schema: Schema, _ connection: any SQLConnection) async throws -> [Key: Int] {
        var keys: [Key: Int] = [:]
        for table in schema.tables where !table.foreignKeys.isEmpty {
            let name = connection.dialect.quoted(table.name.name)
            let found = try await connection.run(SQLStatement("PRAGMA foreign_key_check(\(name))"))
            for row in found.rows where row.count == 4 {
                let key = Key(table: table.name, target: TableName(row[2].text ?? ""), number: row[3].integer ?? 0)
                keys[key, default: 0] += 1
            }
        }
        return keys
    }
}
