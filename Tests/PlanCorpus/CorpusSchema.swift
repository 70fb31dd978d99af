// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// A schema with the character of a real one, and its author's knowledge: the owner of each row, the subject of each cell.
package struct CorpusSchema: Sendable, CustomStringConvertible {
    package let name: String
    /// The table and column where a person begins.
    package let subject: (table: String, column: String)
    package let dialects: [SQLDialect]
    /// Whether keys are large and far apart, as UUIDs are; else every table counts from one.
    package let isSparse: Bool
    package let tables: [CorpusTable]
    private let text: String

    package var description: String { name }

    /// Whether the database knows the keys between tables.
    package enum Keys: Sendable { case declared, dropped }

    package init(name: String, text: String) {
        let reader = CorpusReader(text)
        self.name = name
        self.text = text
        subject = reader.subject
        dialects = reader.dialects
        isSparse = reader.isSparse
        tables = reader.tables
    }

    /// Every schema written by hand, in name order.
    package static let written: [CorpusSchema] = {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Schemas")
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        return files.filter { $0.pathExtension == "sql" }.compactMap { file in
            (try? String(contentsOf: file, encoding: .utf8)).map {
                CorpusSchema(name: file.deletingPathExtension().lastPathComponent, text: $0)
            }
        }.sorted { $0.name < $1.name }
    }()

    package subscript(table: String) -> CorpusTable? { tables.first { $0.name == table } }

    /// The table as a live schema names it.
    package func tableName(_ table: String, _ dialect: SQLDialect) -> TableName {
        let parts = table.split(separator: ".").map(String.init)
        if dialect == .sqlite { return TableName(parts[parts.count - 1]) }
        return TableName(schema: parts.count > 1 ? parts[0] : "public", parts[parts.count - 1])
    }

    package func subjectColumn(_ dialect: SQLDialect) -> ColumnName {
        ColumnName(tableName(subject.table, dialect), subject.column)
    }

    /// The table in a statement.
    package func quoted(_ table: String) -> String {
        table.split(separator: ".").map { SQLDialect.sqlite.quoted(String($0)) }.joined(separator: ".")
    }

    /// Whether a column's value is the subject's key: the key itself, or that of a table with one row for each person.
    package func isSubjectKey(_ table: String, _ columns: [String]) -> Bool {
        if table == subject.table { return columns == [subject.column] }
        guard let entry = self[table], columns.count == 1, entry.isUnique(columns) else { return false }
        return entry.leads.contains {
            $0.kind == .owner && $0.columns == columns && $0.condition == nil && $0.form == .value
                && $0.target == subject.table && $0.targetColumns == [subject.column]
        }
    }

    // MARK: The script

    /// The statements that make the tables.
    package func script(_ dialect: SQLDialect, keys: Keys = .declared) -> [String] {
        var lines: [Substring] = []
        var isMeant = true
        for line in text.split(separator: "\n") {
            if line.hasPrefix("--- ") {
                isMeant = line == "--- \(dialect)"
            } else if isMeant, let code = Self.code(line, keys) {
                lines.append(code)
            }
        }
        var statements: [String] = []
        var statement = ""
        for line in lines {
            statement += statement.isEmpty ? String(line) : "\n\(line)"
            guard line.hasSuffix(";") else { continue }
            statements.append(dialect == .sqlite ? Self.onSQLite(statement) : statement)
            statement = ""
        }
        return statements
    }

    /// A line without its comment; without its key where keys are dropped; `nil` where nothing is left.
    private static func code(_ line: Substring, _ keys: Keys) -> Substring? {
        var code = line.prefix(upTo: line.firstRange(of: "--")?.lowerBound ?? line.endIndex)
        while code.last == " " { code.removeLast() }
        guard keys == .dropped, !code.hasPrefix("CREATE"), let key = code.firstRange(of: " REFERENCES ") else {
            return code.isEmpty ? nil : code
        }
        if code.drop(while: { $0 == " " }).hasPrefix("FOREIGN KEY") { return nil }
        let ending: Substring = code.hasSuffix(",") ? "," : ""
        return code[..<key.lowerBound] + ending
    }

    private static func onSQLite(_ statement: String) -> String {
        guard statement.hasPrefix("CREATE TABLE") else { return statement }
        return [("bigint[]", "json"), ("text[]", "json"), ("jsonb", "json"), (" uuid", " text"), (" inet", " text")]
            .reduce(statement) { $0.replacing($1.0, with: $1.1) }
    }
}
