// SPDX-License-Identifier: Apache-2.0

import FarewellPlan

/// The nodes of which rows stay although they were to go: a trigger keeps them, or the subject's own row waits until
/// nothing else is left. A key of the database does nothing because of such a row.
struct UnerasedRows: Sendable, Equatable {
    /// The nodes of which no row was changed.
    private(set) var whole: Set<Int> = []
    /// The nodes of which some rows were deleted and others stay.
    private(set) var partly: Set<Int> = []

    /// - Parameter evidence: With the rows that are left; without them, none counts as kept.
    init(_ evidence: ChangeEvidence, of graph: RowGraph) {
        guard let left = evidence.left else { return }
        for node in graph.nodes where evidence.nodes.contains(node.index) {
            let told = evidence.told[node.index]
            guard node.rule.erasesRows else {
                if told == 0 { whole.insert(node.index) }
                continue
            }
            guard let rest = left[node.place], rest > 0 else { continue }
            // SQLite does not report rows that a cascade deletes.
            let gone = (evidence.found?[node.place] ?? 0) - rest
            if told ?? 0 == 0, gone <= 0 { whole.insert(node.index) } else { partly.insert(node.index) }
        }
    }
}
