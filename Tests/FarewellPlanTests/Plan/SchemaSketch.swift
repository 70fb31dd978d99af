// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Schemas for tests in few words: `"user_id uuid -> auth.users.id cascade"`.
enum SchemaSketch {
    static func schema(_ dialect: SQLDialect = .postgresql, _ tables: SchemaTable...) -> Schema {
        Schema(dialect: dialect, tables: tables)
    }

    /// Columns in words: name, type, then any of `pk`, `unique`, `not-null`, `generated`, `-> table.column action`.
    /// Every key and unique column has its index, and so have referencing columns unless `unindexed` is said.
    static func table(_ name: String, kind: SchemaTable.Kind = .table, _ columns: String...) -> SchemaTable {
        table(name, kind: kind, columns)
    }

    static func table(_ name: String, kind: SchemaTable.Kind = .table, _ columns: [String]) -> SchemaTable {
        var table = SchemaTable(name: TableName(parsing: name) ?? TableName(name), kind: kind, columns: [])
        for words in columns.map({ $0.split(separator: " ").map(String.init) }) {
            let name = words[0]
            var column = SchemaColumn(name: name, type: words[1], kind: kinds(words[1]))
            column.isNullable = !words.contains("not-null") && !words.contains("pk")
            column.isGenerated = words.contains("generated")
            table.columns.append(column)
            if words.contains("pk") { table.primaryKey.append(name) }
            if words.contains("unique") { table.uniqueKeys.append([name]) }
            if let arrow = words.firstIndex(of: "->"), let target = ColumnName(parsing: words[arrow + 1]) {
                let action = DeleteAction(
                    rawValue: words[(arrow + 2)...].filter { $0 != "unindexed" }
                        .joined(separator: " "))
                table.foreignKeys.append(
                    ForeignKey(
                        name: "\(name)_key", columns: [name], target: target.table,
                        targetColumns: [target.column], onDelete: action ?? .noAction))
                if !words.contains("unindexed") {
                    table.indexes.append(SchemaIndex(name: "\(name)_index", columns: [name]))
                }
            }
        }
        if !table.primaryKey.isEmpty {
            table.indexes.append(SchemaIndex(name: "primary", columns: table.primaryKey, isUnique: true))
        }
        return table
    }

    private static func kinds(_ type: String) -> SchemaColumn.Kind {
        switch type {
        case "uuid": .uuid
        case "text": .text
        case "int": .integer
        case "numeric": .number
        case "bool": .boolean
        case "timestamptz", "date": .timestamp
        case "jsonb": .json
        case "bytea": .bytes
        case "uuid[]": .array
        default: .other
        }
    }

    /// The `coachme` profile: everything cascades from `auth.users`.
    static let coachme = schema(
        .postgresql,
        table("auth.users", "id uuid pk", "email text unique", "phone text", "created_at timestamptz"),
        table("public.users", "id uuid pk -> auth.users.id cascade", "display_name text", "avatar_path text"),
        table("public.conversations", "id uuid pk", "user_id uuid not-null -> public.users.id cascade", "title text"),
        table(
            "public.messages", "id uuid pk", "conversation_id uuid not-null -> public.conversations.id cascade",
            "body text"),
        table("public.usage_logs", "id uuid pk", "user_id uuid -> public.users.id cascade", "tokens int"),
        table("public.models", "id uuid pk", "label text"))
}
