// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

/// An effect that is carried out in chunks, each in a transaction of its own that is compared with the prediction.
struct GuardedChunks {
    private let effect: RowProgram.Effect
    private let prepared: PreparedPlan
    /// The nodes in which the database's cascade also deletes rows that other programs wrote after their own chunks.
    private let late: Set<Int>
    /// Whether rows are counted around each chunk: keys delete rows of this node with others, so its statement does not
    /// report their number, and a trigger may keep some.
    let isCounting: Bool
    /// How many rows the database's keys may still update, by table.
    private var keyUpdates: [TableName: Int] = [:]

    init(of effect: RowProgram.Effect, in prepared: PreparedPlan) {
        self.effect = effect
        self.prepared = prepared
        let late = prepared.program.graph.erasedWith(effect.nodes)
        self.late = late
        let changed = late.union(effect.nodes).map { prepared.program.graph.nodes[$0] }.filter(\.rule.erasesRows)
        isCounting = changed.contains { node in
            let isTaken = node.table.foreignKeys.contains { key in
                key.onDelete == .cascade && changed.contains { $0.table.name == key.target }
            }
            return isTaken && node.table.triggers.contains { $0.events.contains("delete") }
        }
    }

    /// Counts the present rows, before a chunk and after it; nothing if its statement tells enough.
    func counting(about erasure: OpenedErasure) -> [SQLStatement] {
        guard isCounting else { return [] }
        return [prepared.programForOne.counts.bound(prepared.values([erasure]), dialect: prepared.schema.dialect)]
    }

    /// Counts once for all pieces that are left how many rows the keys will update.
    mutating func begin(about erasure: OpenedErasure, on connection: any SQLConnection) async throws {
        let counting = GuardedEffects.counting(
            [effect], with: late, prepared.values([erasure]), in: prepared, people: 1)
        guard !counting.isEmpty, let counted = try await connection.pipeline(counting).first else { return }
        let nodes = prepared.nodes(changedBy: [effect]).union(late)
        keyUpdates = prepared.keyEffects(for: 1).updates(counted, among: nodes).mapValues(\.upperBound)
    }

    /// What is known of a piece's changes.
    ///
    /// - Parameters:
    ///   - changed: How many rows the piece's statement says it changed.
    ///   - found: The answer of `counting` from before it.
    ///   - left: The same from after it.
    func evidence(changed: Int, found: SQLResult?, left: SQLResult?) -> ChangeEvidence {
        var evidence = ChangeEvidence(found: found.map(RowCounts.byPlace), nodes: late.union(effect.nodes))
        evidence.left = left.map(RowCounts.byPlace)
        evidence.mayBeResisted = isCounting
        for node in effect.nodes { evidence.told[node] = changed }
        if let node = effect.unlinked { evidence.unlinked[node] = changed }
        evidence.keyUpdates = keyUpdates.mapValues { 0...max($0, 0) }
        return evidence
    }

    /// Notes what a piece changed.
    ///
    /// - Parameter actual: Its changes by table, which are as predicted.
    /// - Returns: How many rows the database's keys deleted with the piece, by node, if nothing else may have.
    mutating func taken(by actual: [TableName: RowChanges]) -> [Int: Int] {
        for table in keyUpdates.keys { keyUpdates[table, default: 0] -= actual[table]?.updated ?? 0 }
        guard prepared.programForOne.rowCounters != nil else { return [:] }
        return late.reduce(into: [:]) { taken, node in
            taken[node] = actual[prepared.program.graph.nodes[node].table.name]?.deleted
        }
    }
}
