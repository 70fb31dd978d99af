// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Reads every planned place again after an erasure, by the keys and not by the parents that are gone.
package struct ReadBack: Sendable {
    let prepared: PreparedPlan

    package init(prepared: PreparedPlan) { self.prepared = prepared }

    /// How many places are read.
    var places: Int { prepared.program.graph.nodes.count }

    /// Rows left by place; empty when nothing is left.
    func leftovers(of members: [ErasureMember], on connection: any SQLConnection) async throws -> [String: Int] {
        let dialect = prepared.schema.dialect
        // SQLite's statements are about one person each.
        let groups = dialect == .sqlite ? members.map { [$0] } : [members]
        let statements = groups.map { prepared.program.readBack.bound(prepared.values($0), dialect: dialect) }
        return try await connection.pipeline(statements).map(Self.leftovers).reduce(into: [:]) { left, found in
            left.merge(found, uniquingKeysWith: +)
        }
    }

    static func leftovers(_ result: SQLResult) -> [String: Int] {
        var left: [String: Int] = [:]
        for row in result.rows {
            if let place = row[0].text, let rows = row[1].integer, rows > 0 { left[place, default: 0] += Int(rows) }
        }
        return left
    }
}
