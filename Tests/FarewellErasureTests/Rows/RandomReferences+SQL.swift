// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import TestFixtures

extension RandomReferences {
    func name(_ table: Int, _ dialect: SQLDialect, _ schema: String) -> TableName {
        TableName(schema: dialect == .postgresql ? schema : nil, tables[table].name)
    }

    private func quoted(_ table: Int, _ dialect: SQLDialect, _ schema: String) -> String {
        let name = name(table, dialect, schema)
        return dialect.qualified(name)
    }

    private func form(_ column: Column, _ dialect: SQLDialect) -> Link.ListForm? {
        column.list == .array && dialect == .sqlite ? .json : column.list
    }

    /// The statements that make the tables, fill them, and only then add the keys (SQLite: keys with the tables).
    func script(_ dialect: SQLDialect, schema: String) -> [String] {
        var statements =
            dialect == .postgresql
            ? ["CREATE SCHEMA \(dialect.quoted(schema))"] : ["BEGIN", "PRAGMA defer_foreign_keys = ON"]
        for index in tables.indices {
            let keys = dialect == .sqlite ? keys(of: index, dialect, schema) : []
            let parts = definitions(of: index, dialect) + keys
            statements.append("CREATE TABLE \(quoted(index, dialect, schema)) (\(parts.joined(separator: ", ")))")
        }
        for (index, table) in tables.enumerated() where !table.rows.isEmpty {
            let rows = table.rows.map { "(\(cells($0, of: table, dialect).map(written).joined(separator: ", ")))" }
            statements.append("INSERT INTO \(quoted(index, dialect, schema)) VALUES \(rows.joined(separator: ", "))")
        }
        guard dialect == .postgresql else { return statements + ["COMMIT"] }
        for index in tables.indices {
            statements += keys(of: index, dialect, schema).map {
                "ALTER TABLE \(quoted(index, dialect, schema)) ADD \($0)"
            }
            guard (seed / 2).isMultiple(of: 2) else { continue }
            statements += tables[index].columns.filter { $0.list == nil }.map {
                "CREATE INDEX ON \(quoted(index, dialect, schema)) (\($0.name))"
            }
        }
        return statements
    }

    private func definitions(of index: Int, _ dialect: SQLDialect) -> [String] {
        let table = tables[index]
        let columns = table.columns.map { column in
            let type =
                switch form(column, dialect) {
                case nil: "integer"
                case .array: "integer[]"
                case .json: dialect == .postgresql ? "jsonb" : "json"
                case .comma, .uuids: "text"
                }
            return "\(column.name) \(type)\(column.isNullable ? "" : " NOT NULL")"
        }
        return ["id integer PRIMARY KEY", "kind text", "note integer"] + (table.names == nil ? [] : ["parent integer"]) + columns
    }

    private func keys(of index: Int, _ dialect: SQLDialect, _ schema: String) -> [String] {
        let table = tables[index]
        var keys = table.columns.compactMap { column in
            column.action.map { key(column.name, column.target, $0, dialect, schema) }
        }
        if let names = table.names, let action = names.action { keys.append(key("parent", names.table, action, dialect, schema)) }
        return keys
    }

    private func key(_ column: String, _ target: Int, _ action: DeleteAction, _ dialect: SQLDialect, _ schema: String) -> String {
        "FOREIGN KEY (\(column)) REFERENCES \(quoted(target, dialect, schema)) (id) ON DELETE \(action.rawValue)"
    }

    private func written(_ cell: String?) -> String { cell.map { "'" + $0.replacing("'", with: "''") + "'" } ?? "NULL" }

    private func cells(_ row: Row, of table: Table, _ dialect: SQLDialect) -> [String?] {
        let values = zip(table.columns, row.values).map { column, values -> String? in
            guard let values else { return nil }
            let text = values.map(String.init).joined(separator: ",")
            return switch form(column, dialect) {
            case nil: text
            case .array: "{\(text)}"
            case .json: "[\(text)]"
            case .comma, .uuids: text
            }
        }
        let parent = table.names == nil ? [] : [row.parent.map(String.init)]
        return ["\(row.id)", row.kind, row.note.map(String.init)] + parent + values
    }

    func line(_ row: Row, of table: Table, _ dialect: SQLDialect) -> String {
        "\(table.name): " + cells(row, of: table, dialect).map { ($0 ?? "-").replacing(" ", with: "") }.joined(separator: " ")
    }

    /// Every row of every table as text, in a fixed order.
    func dump(_ connection: any SQLConnection, schema: String) async throws -> [String] {
        var lines: [String] = []
        for index in tables.indices {
            let result = try await connection.run(
                SQLStatement("SELECT * FROM \(quoted(index, connection.dialect, schema))"))
            lines += result.rows.map { row in
                "\(tables[index].name): " + row.map { cell in cell.isNull ? "-" : shown(cell) }.joined(separator: " ")
            }.sorted()
        }
        return lines
    }

    private func shown(_ cell: SQLValue) -> String {
        if case .array(let members) = cell { return "{\(members.map { $0.text ?? "NULL" }.joined(separator: ","))}" }
        return (cell.text ?? "\(cell)").replacing(" ", with: "")
    }

    func plan(_ dialect: SQLDialect, schema: String) -> Plan {
        let entries = tables.indices.map { index -> TablePlan in
            let table = tables[index]
            var links = table.columns.map { column in
                Link(
                    columns: [column.name], target: name(column.target, dialect, schema), targetColumns: ["id"],
                    onDelete: column.action, role: column.isOwner ? .owner : .reference,
                    condition: LinkCondition(
                        column.kinds.isEmpty ? [] : [.init(column: "kind", values: column.kinds)]),
                    list: form(column, dialect), replacement: column.replacement.map(String.init))
            }
            if let owner = table.ownedBy {
                links.append(
                    Link(
                        columns: ["id"], target: name(owner, dialect, schema), targetColumns: ["parent"],
                        isOwnedParent: true))
            }
            let rule: Rule = table.isKeeper ? .notPersonal : table.isAnonymised ? .anonymise : .erase
            let owning = Set(table.columns.filter(\.isOwner).map(\.name))
            let names = ["id", "kind", "note"] + (table.names == nil ? [] : ["parent"]) + table.columns.map(\.name)
            let columns = names.map { name -> TablePlan.PlannedColumn in
                guard table.isAnonymised else { return .init(name) }
                guard !owning.isEmpty else { return .init(name, .notPersonal) }
                return .init(name, owning.contains(name) ? .null : name == "note" ? .constant("7") : .notPersonal)
            }
            return TablePlan(table: name(index, dialect, schema), rule: rule, links: links, columns: columns)
        }
        return Plan(subject: SubjectRoot(table: name(0, dialect, schema), key: "id"), tables: entries)
    }
}
