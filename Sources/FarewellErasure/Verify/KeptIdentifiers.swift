// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import Foundation

/// Counts how often a SQLite database's file rightly holds identifiers: in the columns that a retention keeps, once in
/// the row and once in each index over the column. What the file holds beyond that is residue.
struct KeptIdentifiers: Sendable {
    let schema: Schema
    let plan: Plan

    /// Occurrences of the same patterns as ``ResidueScan`` looks for.
    func count(of needles: [String], on connection: any SQLConnection) async throws -> Int {
        let patterns = ResidueScan.patterns(of: needles)
        guard !patterns.isEmpty else { return 0 }
        let list = try String(decoding: JSONEncoder().encode(patterns.sorted().map(\.text)), as: UTF8.self)
        var count = 0
        for table in schema.tables where table.kind != .partition {
            for column in plan[table.name]?.columns ?? [] where column.rule?.isRetained == true {
                let times = try await connection.run(statement(table, column.name, list)).scalar?.integer ?? 0
                count += Int(times) * (1 + copies(of: column.name, in: table))
            }
        }
        return count
    }

    private func copies(of column: String, in table: SchemaTable) -> Int {
        table.indexes.count { !$0.isPartial && $0.columns.contains(column) }
    }

    private func statement(_ table: SchemaTable, _ column: String, _ patterns: String) -> SQLStatement {
        let value = "CAST(t.\(schema.dialect.quoted(column)) AS text)"
        return SQLStatement(
            """
            SELECT coalesce(sum((length(\(value)) - length(replace(\(value), n.value, ''))) / length(n.value)), 0) \
            FROM \(schema.dialect.quoted(table.name.name)) AS t, json_each($1) AS n \
            WHERE instr(\(value), n.value) > 0
            """, [.text(patterns)])
    }
}
