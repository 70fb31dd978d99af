// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

extension RandomDatabase {
    /// The party that decides the fate of referring rows.
    package enum Keys {
        /// Every reference is a cascading key: the database is the oracle.
        case allCascade
        /// Each reference is what the random schema says.
        case asDrawn
    }

    package func name(_ table: Int, _ dialect: SQLDialect, _ schema: String) -> TableName {
        TableName(schema: dialect == .postgresql ? schema : nil, tables[table].name)
    }

    func quoted(_ table: Int, _ dialect: SQLDialect, _ schema: String) -> String {
        let name = name(table, dialect, schema)
        return dialect.qualified(name)
    }

    /// The statements that make the tables, fill them, and only then add the keys (SQLite: keys with the tables).
    package func script(_ keys: Keys, _ dialect: SQLDialect, schema: String) -> [String] {
        var statements =
            dialect == .postgresql
            ? ["CREATE SCHEMA \(dialect.quoted(schema))"] : ["BEGIN", "PRAGMA defer_foreign_keys = ON"]
        for index in tables.indices { statements.append(create(index, keys, dialect, schema)) }
        for index in tables.indices { statements += inserts(index, dialect, schema) }
        for index in tables.indices { statements += triggers(index, dialect, schema) }
        if dialect == .sqlite { return statements + ["COMMIT"] }
        for index in tables.indices {
            for reference in tables[index].references {
                guard let action = action(reference, keys) else { continue }
                statements.append(
                    "ALTER TABLE \(quoted(index, dialect, schema)) ADD \(key(reference, action, dialect, schema))")
            }
        }
        return statements + ((seed / 2).isMultiple(of: 2) ? indexes(schema) : [])
    }

    /// An index for each reference: rows are then found by all their links at once.
    private func indexes(_ schema: String) -> [String] {
        tables.indices.flatMap { index in
            tables[index].references.map { reference in
                "CREATE INDEX ON \(quoted(index, .postgresql, schema)) (\(reference.columns.joined(separator: ", ")))"
            }
        }
    }

    private func action(_ reference: Reference, _ keys: Keys) -> DeleteAction? {
        guard keys == .allCascade else { return reference.action }
        return reference.isReference ? nil : .cascade
    }

    private func create(_ index: Int, _ keys: Keys, _ dialect: SQLDialect, _ schema: String) -> String {
        let table = tables[index]
        var parts = table.columns.map { column in
            let isNullable = table.references.first { $0.columns.contains(column) }?.isNullable ?? (column == "note")
            let isType = table.references.contains { $0.condition?.column == column }
            return "\(column) integer\(isNullable || isType ? "" : " NOT NULL")"
        }
        parts += constraints(table, dialect)
        if keys == .allCascade { parts += mirrors(of: table) }
        if !table.key.isEmpty {
            parts.append("\(table.hasPrimaryKey ? "PRIMARY KEY" : "UNIQUE") (\(table.key.joined(separator: ", ")))")
        }
        if dialect == .sqlite {
            parts += table.references.compactMap { reference in
                action(reference, keys).map { key(reference, $0, dialect, schema) }
            }
        }
        return "CREATE TABLE \(quoted(index, dialect, schema)) (\(parts.joined(separator: ", ")))"
    }

    private func key(_ reference: Reference, _ action: DeleteAction, _ dialect: SQLDialect, _ schema: String) -> String {
        "FOREIGN KEY (\(linking(reference).joined(separator: ", "))) REFERENCES \(quoted(reference.target, dialect, schema)) "
            + "(\(tables[reference.target].key.joined(separator: ", "))) ON DELETE \(action.rawValue)"
            + (action == .setNull && dialect == .postgresql ? " (\(reference.columns.joined(separator: ", ")))" : "")
    }

    private func inserts(_ index: Int, _ dialect: SQLDialect, _ schema: String) -> [String] {
        let table = tables[index]
        guard !table.rows.isEmpty else { return [] }
        let rows = table.rows.map { row in
            "("
                + table.columns.map { column in (row[column] ?? nil).map(String.init) ?? "NULL" }.joined(
                    separator: ", ") + ")"
        }
        let columns = table.columns.joined(separator: ", ")
        return ["INSERT INTO \(quoted(index, dialect, schema)) (\(columns)) VALUES \(rows.joined(separator: ", "))"]
    }

    /// Every row of every table as text, in a fixed order.
    package func dump(_ connection: any SQLConnection, schema: String) async throws -> [String] {
        var lines: [String] = []
        for index in tables.indices {
            let generated = tables[index].constraints.contains(.generated) ? ["twice"] : []
            let columns = (tables[index].columns + generated).joined(separator: ", ")
            let result = try await connection.run(
                SQLStatement("SELECT \(columns) FROM \(quoted(index, connection.dialect, schema))"))
            lines += result.rows.map { row in
                "\(tables[index].name): " + row.map { $0.text ?? "-" }.joined(separator: " ")
            }.sorted()
        }
        return lines
    }

    /// The plan that says what the cascading keys would do.
    package func plan(_ dialect: SQLDialect, schema: String) -> Plan {
        let personal = personal
        let entries = tables.indices.map { index -> TablePlan in
            let table = tables[index]
            let links = table.references.filter { personal.contains($0.target) }.map { reference in
                var link = Link(
                    columns: reference.columns, target: name(reference.target, dialect, schema),
                    targetColumns: tables[reference.target].key, onDelete: reference.action,
                    shared: reference.isReference ? nil : .erase, role: reference.isReference ? .reference : nil)
                if let condition = reference.condition {
                    link.condition = LinkCondition([.init(column: condition.column, values: ["\(condition.value)"])])
                }
                return link
            }
            let names = table.columns + (table.constraints.contains(.generated) ? ["twice"] : [])
            let rule: Rule = personal.contains(index) ? .erase : links.isEmpty ? .notPersonal : .anonymise
            return TablePlan(
                table: name(index, dialect, schema), rule: rule, links: links,
                columns: names.map { .init($0, rule == .anonymise ? .notPersonal : nil) })
        }
        return Plan(subject: SubjectRoot(table: name(0, dialect, schema), key: "id"), tables: entries)
    }
}
