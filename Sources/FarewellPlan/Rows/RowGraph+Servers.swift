// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// The abilities of one statement if rows are on several servers (Citus) and if not.
extension RowGraph {
    /// Whether a query can change rows of several tables at once. Citus refuses that across servers.
    var changesInQueries: Bool { dialect.changesInQueries && !isDistributed }

    /// Whether rows can be identified by their physical place. On several servers rows of one table have equal places.
    var hasRowPlaces: Bool { dialect.hasRowPlaces && !isDistributed }

    /// Whether rows cannot be identified for chunks: neither by a key nor by their physical place.
    func isUndivided(_ node: Int) -> Bool { isDistributed && nodes[node].table.primaryKey.isEmpty }

    /// Whether a row can be looked up for each row of another selection (`LATERAL`). Citus joins what it has gathered.
    var looksUpRowByRow: Bool { dialect.hasArrays && !isDistributed }

    /// With what the selections of these groups begin. Citus takes every `RECURSIVE` for a recursion, which it refuses
    /// across servers.
    func withKeyword(for groups: [[Int]]) -> String {
        isDistributed && !groups.contains(where: recurses) ? "WITH" : "WITH RECURSIVE"
    }

    /// The word that a named query of so many branches needs before its text. Citus loses the names of the columns if
    /// it writes several branches into the place where the query is used.
    func keptApart(_ branches: Int) -> String { isDistributed && branches > 1 ? "MATERIALIZED " : "" }

    /// The word that each of very many selections needs before its text. PostgreSQL writes a selection that is named
    /// once into that place, and reads the whole statement for each of them: with a thousand of them, planning would
    /// take seconds.
    func keptWhole(_ selections: Int) -> String {
        dialect.changesInQueries && !isDistributed && selections > 100 ? "MATERIALIZED " : ""
    }

    /// Whether the rows of a group of nodes lead to rows of the same group.
    package func recurses(_ group: [Int]) -> Bool {
        group.count > 1 || group.contains { node in nodes[node].links.contains { !$0.isDirect && $0.parent == node } }
    }
}
