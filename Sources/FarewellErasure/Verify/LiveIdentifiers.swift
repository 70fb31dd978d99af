// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// Counts how often a SQLite database's file holds identifiers because rows do: once in the row and once in each index
/// over the column, as a part of other texts too. Further occurrences were left behind by a delete.
struct LiveIdentifiers: Sendable {
    let schema: Schema

    private var dialect: SQLDialect { schema.dialect }

    /// Occurrences of the same patterns as ``ResidueScan`` looks for. An index that may hold a value counts.
    func count(of needles: [String], on connection: any SQLConnection) async throws -> Int {
        let patterns = ResidueScan.patterns(of: needles)
        guard !patterns.isEmpty else { return 0 }
        let list = SQLValue.array(patterns.sorted().map { .text($0.text) })
        var count = 0
        for table in schema.tables where table.isReadable {
            do {
                let result = try await connection.run(SQLStatement(text(table), [list]))
                count += Int(result.scalar?.integer ?? 0)
            } catch let error as FarewellError where error.family != .tryAgain {
                // Unreadable data is not live: its bytes count as residue.
                continue
            }
        }
        return count
    }

    private func text(_ table: SchemaTable) -> String {
        let sums = table.columns.map { column in
            let name = "t.\(dialect.quoted(column.name))"
            // An index over an expression may hold the value as it is, or in lower case.
            let made = table.indexes.count { $0.columns.contains("") }
            let copies = 1 + made + table.indexes.count { $0.columns.contains(column.name) }
            let lowered = made > 0 ? " + \(made) * (\(times("lower(\(name))")))" : ""
            return "CASE WHEN typeof(\(name)) = 'text' THEN \(copies) * (\(times(name)))\(lowered) ELSE 0 END"
        }
        let sum = sums.isEmpty ? "0" : sums.joined(separator: " + ")
        return "SELECT coalesce(sum(\(sum)), 0) FROM \(dialect.quoted(table.name.name)) AS t, json_each($1) AS n"
    }

    private func times(_ value: String) -> String {
        "(length(\(value)) - length(replace(\(value), n.value, ''))) / length(n.value)"
    }
}
