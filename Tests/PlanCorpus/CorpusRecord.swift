// SPDX-License-Identifier: Apache-2.0
import FarewellSQL

/// Every row that was made for a schema, with its owners and the subjects of its cells. Made before any row was written, only from the
/// schema author's statements, so that it can judge the result of an erasure.
package struct CorpusRecord: Sendable {
    /// One row of one table.
    package struct Row: Sendable {
        package var cells: [Cell]
        /// The subjects that own the row, by their number; empty: none.
        package var owners: Set<Int>
    }

    package struct Cell: Sendable {
        /// As the database writes it as text; `nil`: null.
        package var text: String?
        /// The rows that the value names and that the row does not belong to.
        package var names: [Reference] = []
        package var form = CorpusLead.Form.value
        /// Its value when the row that it names is deleted.
        package var otherwise: String?
    }

    package struct Reference: Sendable, Hashable {
        package var table: String
        package var row: Int
        /// The text of the cell.
        package var text: String
    }

    package let schema: CorpusSchema
    package let dialect: SQLDialect
    package var rows: [String: [Row]] = [:]
    /// The tables in the order in which they can be filled.
    package var order: [String] = []

    /// Rows for a schema, by what its author says of each column.
    ///
    /// - Parameter people: How many; three subjects and their neighbours are enough to see what an erasure does, a
    ///   sample wants more.
    package static func record(
        of schema: CorpusSchema, on dialect: SQLDialect, people: Int = 7, seed: UInt64 = 1
    ) -> CorpusRecord {
        CorpusFilling.record(of: schema, on: dialect, people: people, seed: seed)
    }

    /// How many people there are; the first may stand for those who left.
    package var people: Int { rows[schema.subject.table]?.count ?? 0 }

    /// The key of the person with a number.
    package func key(_ person: Int) -> String {
        let place = schema[schema.subject.table]?.place(of: schema.subject.column) ?? 0
        return rows[schema.subject.table]?[person].cells[place].text ?? ""
    }

    /// The word in every text of a row that is this subject's alone.
    package static func mark(_ person: Int) -> String { "own\(person)own" }

    /// The columns of a table that are compared.
    package func compared(_ table: String) -> [CorpusTable.Column] {
        (schema[table]?.columns ?? []).filter { !$0.isTouched }
    }

    /// Every row of every table as it must be once these people are gone, in the form of `rows(of:in:)`.
    package func expected(without gone: Set<Int> = []) -> [String: [String]] {
        var expected: [String: [String]] = [:]
        for (table, rows) in rows {
            let columns = schema[table]?.columns ?? []
            expected[table] = rows.filter { $0.owners.isDisjoint(with: gone) }.map { row in
                zip(columns, row.cells).filter { !$0.0.isTouched }.map { _, cell in
                    Self.written(text(of: cell, without: gone), cell.form)
                }.joined(separator: "\u{1f}")
            }.sorted()
        }
        return expected
    }

    func text(of cell: Cell, without gone: Set<Int>) -> String? {
        let lost = cell.names.filter { name in
            rows[name.table]?[name.row].owners.isDisjoint(with: gone) == false
        }
        guard !lost.isEmpty else { return cell.text }
        guard cell.form == .list else { return cell.otherwise }
        let left = cell.names.filter { !lost.contains($0) }.map(\.text)
        return Self.list(left, like: cell.text ?? "")
    }

    static func list(_ elements: [String], like text: String) -> String {
        let brackets = text.hasPrefix("{") ? ("{", "}") : ("[", "]")
        return brackets.0 + elements.joined(separator: ",") + brackets.1
    }

    static func written(_ text: String?, _ form: CorpusLead.Form) -> String {
        guard let text else { return "-" }
        return form == .list ? text.replacing(" ", with: "") : text
    }

    /// Every row of a table as it is now, in a fixed order.
    package func rows(of table: String, in connection: any SQLConnection) async throws -> [String] {
        let columns = compared(table)
        let lists = Set((schema[table]?.leads ?? []).filter { $0.form == .list }.flatMap(\.columns))
        let list = columns.map { Self.reading($0, connection.dialect) }.joined(separator: ", ")
        let result = try await connection.run(SQLStatement("SELECT \(list) FROM \(quoted(table))"))
        return result.rows.map { row in
            zip(columns, row).map { column, value in
                Self.written(value.text, lists.contains(column.name) ? .list : .value)
            }.joined(separator: "\u{1f}")
        }.sorted()
    }

    /// Every row of every table as it is now.
    package func everything(in connection: any SQLConnection) async throws -> [String: [String]] {
        var found: [String: [String]] = [:]
        for table in schema.tables { found[table.name] = try await rows(of: table.name, in: connection) }
        return found
    }

    private func quoted(_ table: String) -> String { schema.quoted(table) }

    private static func reading(_ column: CorpusTable.Column, _ dialect: SQLDialect) -> String {
        let name = dialect.quoted(column.name)
        guard dialect == .postgresql else { return "CAST(\(name) AS text)" }
        switch column.type {
        case "timestamptz": return "CAST(\(name) AT TIME ZONE 'UTC' AS text)"
        case "inet": return "host(\(name))"
        default: return "CAST(\(name) AS text)"
        }
    }

    // MARK: Writing

    /// The statements that write every row.
    package var inserts: [String] {
        order.flatMap { table -> [String] in
            guard let entry = schema[table], let rows = rows[table], !rows.isEmpty else { return [] }
            let columns = entry.columns.map { dialect.quoted($0.name) }.joined(separator: ", ")
            return stride(from: 0, to: rows.count, by: 500).map { start in
                let values = rows[start..<min(start + 500, rows.count)].map { row in
                    "(" + zip(entry.columns, row.cells).map { literal($1.text, $0) }.joined(separator: ", ") + ")"
                }
                return "INSERT INTO \(quoted(table)) (\(columns)) VALUES \(values.joined(separator: ", "))"
            }
        }
    }

    private func literal(_ text: String?, _ column: CorpusTable.Column) -> String {
        guard let text else { return "NULL" }
        let isBare = ["", "bigint", "integer", "smallint", "numeric", "real", "boolean"].contains(column.type)
        let isNumber = isBare && text.allSatisfy { $0.isNumber || $0 == "." }
        if isNumber || column.type == "boolean" { return text }
        let zone = column.type == "timestamptz" && dialect == .postgresql ? "+00" : ""
        return "'" + text.replacing("'", with: "''") + zone + "'"
    }
}
