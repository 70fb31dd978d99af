// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

/// Citus: rows of other servers, which the coordinator does not count. There the statements themselves report the
/// number of changed rows, which is compared with the number counted before. The comparison shows a key of the database
/// that deleted further rows, a writer in between, and rows that were kept.
extension ChangeGuard {
    private func elsewhere() -> [RowGraph.Node] {
        prepared.program.graph.nodes.filter { $0.table.citus?.isDistributed == true }
    }

    /// Where the statements changed other numbers of rows than were counted.
    func elsewhere(_ evidence: ChangeEvidence) -> [ChangeDifference] {
        guard evidence.isOfAll, let found = evidence.found else { return [] }
        return elsewhere().compactMap { node in
            guard let told = evidence.told[node.index] else { return nil }
            let counted = found[node.place] ?? 0
            guard told != counted else { return nil }
            return ChangeDifference(
                table: node.table.name, kind: node.rule.erasesRows ? .deleted : .updated, rows: told,
                predicted: ExpectedNumber(counted).words, excess: max(told - counted, 0))
        }
    }

    /// The changes there as the statements report them, by table.
    func changesElsewhere(_ evidence: ChangeEvidence) -> [TableName: RowChanges] {
        elsewhere().reduce(into: [:]) { changes, node in
            let told = evidence.told[node.index] ?? 0
            let unlinked = evidence.unlinked[node.index] ?? 0
            let rows =
                node.rule.erasesRows
                ? RowChanges(updated: unlinked, deleted: told) : RowChanges(updated: told + unlinked)
            if !rows.isNothing { changes[node.table.name] = rows }
        }
    }
}
