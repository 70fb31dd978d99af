// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Writes what ends a retention: each row by its marks, in the tables as they are today.
package struct RetentionEnding {
    let plan: Plan
    let schema: Schema
    let handle: RetainedHandle

    package init(plan: Plan, schema: Schema, handle: RetainedHandle) {
        self.plan = plan
        self.schema = schema
        self.handle = handle
    }

    private var dialect: SQLDialect { schema.dialect }

    /// The changes, row by row.
    ///
    /// - Throws: `retention.unknown-place` where table or columns are no longer there.
    package func changes() throws -> [SQLStatement] {
        let table = try table()
        let name = RowStatementBuilder(dialect: dialect).rows(of: table)
        let condition = condition(table)
        guard handle.then == Retention.Ending.anonymise.rawValue else {
            return handle.rows.map { SQLStatement("DELETE FROM \(name) AS t WHERE \(condition)", values($0)) }
        }
        let set = emptied(in: table).map { "\(dialect.quoted($0)) = NULL" }.joined(separator: ", ")
        guard !set.isEmpty else { return [] }
        return handle.rows.map { SQLStatement("UPDATE \(name) AS t SET \(set) WHERE \(condition)", values($0)) }
    }

    /// Reading back: `(1)` for each row that should not be there any longer.
    package func leftovers() throws -> [SQLStatement] {
        let table = try table()
        let name = RowStatementBuilder(dialect: dialect).rows(of: table)
        var condition = condition(table)
        if handle.then == Retention.Ending.anonymise.rawValue {
            let full = emptied(in: table).map { "t.\(dialect.quoted($0)) IS NOT NULL" }
            guard !full.isEmpty else { return [] }
            condition += " AND (\(full.joined(separator: " OR ")))"
        }
        return handle.rows.map { SQLStatement("SELECT 1 FROM \(name) AS t WHERE \(condition)", values($0)) }
    }

    private func table() throws -> SchemaTable {
        guard let table = schema.tables.first(where: { $0.name == handle.name }),
            handle.marks.allSatisfy({ table[$0.column] != nil }),
            handle.emptied?.allSatisfy({ table[$0] != nil }) ?? true
        else {
            throw FarewellError(
                "retention.unknown-place", .yoursToFix,
                "Rows kept in \(handle.name) cannot be found: the table or its columns no longer exist.",
                remedy: "Delete these rows yourself if they still exist.")
        }
        return table
    }

    private func condition(_ table: SchemaTable) -> String {
        let marked = handle.marks.enumerated().map { place, mark in
            let column = "t.\(dialect.quoted(mark.column))"
            let key = table.primaryKey.contains(mark.column) ? table[mark.column] : nil
            let value: String
            switch (dialect.hasColumnTypes, key) {
            case (false, _): value = "\(column) \(key == nil ? "IS" : "=") $\(place + 1)"
            case (true, let key?):
                value = "\(key.compared(column)) = CAST($\(place + 1)::text AS \(key.comparedType))"
            case (true, nil): value = "CAST(\(column) AS text) IS NOT DISTINCT FROM $\(place + 1)::text"
            }
            return mark.kind == .same ? value : "(\(column) IS NULL OR \(value))"
        }
        let emptied = (handle.emptied ?? []).map { "t.\(dialect.quoted($0)) IS NULL" }
        return (marked + emptied).joined(separator: " AND ")
    }

    private func values(_ row: [StoredValue?]) -> [SQLValue] { row.map { $0?.value ?? .null } }

    /// The retained columns, which are emptied at the end. Keys stay: without the rest they lead to no subject.
    private func emptied(in table: SchemaTable) -> [String] {
        let kept = plan[table.name]?.columns.filter { $0.rule?.isRetained == true }.map(\.name) ?? []
        return kept.filter { table[$0]?.isNullable == true && !table.primaryKey.contains($0) }
    }
}
