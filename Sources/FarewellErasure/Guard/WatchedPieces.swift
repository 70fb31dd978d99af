// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

/// An effect that is performed piece by piece, each in a transaction of its own that is compared with the prediction.
struct WatchedPieces {
    let watch: ChangeGuard
    private let effect: RowProgram.Effect
    private let prepared: PreparedPlan
    /// The nodes in which the database's cascade also deletes rows that other programs wrote after their own chunks.
    private let late: Set<Int>
    /// How many rows the database's keys may still update, by table.
    private var keyUpdates: [TableName: Int] = [:]

    init(of effect: RowProgram.Effect, in prepared: PreparedPlan) {
        self.effect = effect
        self.prepared = prepared
        watch = ChangeGuard(prepared)
        late = prepared.program.graph.erasedWith(effect.nodes)
    }

    /// Counts once for all pieces that are left how many rows the keys will update.
    mutating func begin(about member: ErasureMember, on connection: any SQLConnection) async throws {
        let counting = WatchedEffects.counting([effect], prepared.values([member]), in: prepared, people: 1)
        guard !counting.isEmpty, let counted = try await connection.pipeline(counting).first else { return }
        keyUpdates = prepared.keyEffects(for: 1).updates(counted, among: prepared.nodes(changedBy: [effect]))
            .mapValues(\.upperBound)
    }

    /// - Parameter changed: How many rows the piece's statement says it changed.
    /// - Throws: `run.unpredicted`.
    mutating func require(changed: Int, from before: SQLResult?, to after: SQLResult?) throws {
        var evidence = ChangeEvidence(nodes: late.union(effect.nodes))
        for node in effect.nodes { evidence.told[node] = changed }
        if let node = effect.unlinked { evidence.unlinked[node] = changed }
        evidence.keyUpdates = keyUpdates.mapValues { 0...max($0, 0) }
        let actual = try watch.require(evidence, from: before, to: after)
        for table in keyUpdates.keys { keyUpdates[table, default: 0] -= actual[table]?.updated ?? 0 }
    }
}
