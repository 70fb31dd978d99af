// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

/// Reads every planned place again after an erasure, by the keys and not by the parents that are gone.
package struct ReadBack: Sendable {
    let prepared: PreparedPlan

    package init(prepared: PreparedPlan) { self.prepared = prepared }

    /// How many places are read.
    var places: Int { prepared.program.readBackPlaces }

    /// Rows left by place; empty when nothing is left.
    func leftovers(of erasures: [OpenedErasure], on connection: any SQLConnection) async throws -> [String: Int] {
        Self.leftovers(try await connection.pipeline(statements(about: erasures)))
    }

    /// The questions; SQLite's are about one subject each.
    func statements(about erasures: [OpenedErasure]) -> [SQLStatement] {
        let dialect = prepared.schema.dialect
        return (dialect.hasArrays ? [erasures] : erasures.map { [$0] }).map { group in
            let program = prepared.program(for: group.count)
            let hasKeys = group.contains { !$0.subject.captured.isEmpty || $0.subject.capturedKeys?.isEmpty == false }
            let statement = hasKeys ? program.readBackByKeys : program.readBack
            return statement.bound(prepared.values(group), dialect: dialect)
        }
    }

    static func leftovers(_ results: some Sequence<SQLResult>) -> [String: Int] {
        results.map(leftovers).reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
    }

    static func leftovers(_ result: SQLResult) -> [String: Int] {
        var left: [String: Int] = [:]
        for row in result.rows {
            if let place = row[0].text, let rows = row[1].integer, rows > 0 { left[place, default: 0] += Int(rows) }
        }
        return left
    }
}
