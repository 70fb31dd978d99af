// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation

/// Keeps, sealed, which rows were retained, so that they can be found when their time ends.
struct RetentionKeeping: Sendable {
    let context: ErasureContext

    /// Rows of one piece: each piece is ended in one transaction.
    static let piece = 500

    func statements(_ endings: [ErasureCompletion.Ending]) throws -> [SQLStatement] {
        let retained = context.prepared.program.retained
        guard !retained.isEmpty else { return [] }
        let kept = try endings.flatMap { ending in
            var pieces: [SealedRetention] = []
            for rows in retained { pieces += try self.pieces(of: rows, ending, after: pieces.count) }
            return pieces
        }
        return context.control.retentions.keep(kept)
    }

    private func pieces(
        of retained: RetainedRows, _ ending: ErasureCompletion.Ending, after count: Int
    ) throws -> [SealedRetention] {
        let node = context.prepared.program.graph.nodes[retained.node]
        let name = node.place
        guard let retention = node.rule.retention, let rows = ending.erasure.subject.retained?[name],
            let until = ending.receipt.retained.first(where: { $0.place == name })?.until
        else { return [] }
        // Rows that were read under an earlier plan, or by an earlier version, may lack the date among their marks.
        let groups = Dictionary(grouping: rows, by: \.count).sorted { $0.key > $1.key }
        let pieces = groups.flatMap { width, rows in
            rows.chunks(ofCount: Self.piece).map { (retained.marks(for: width), Array($0)) }
        }
        return try pieces.enumerated().map { number, piece in
            let (marks, some) = piece
            let handle = RetainedHandle(
                schema: node.table.name.schema, table: node.table.name.name, then: retention.then.rawValue,
                marks: marks, emptied: retained.emptied, rows: some)
            let seal = context.keys.newSeal(run: ending.erasure.id)
            return SealedRetention(
                erasure: ending.erasure.id, piece: count + number, place: name, count: some.count, until: until,
                wrappedKey: Array(try seal.wrappedKey()), sealed: Array(try seal.seal(try JSONEncoder().encode(handle)))
            )
        }
    }
}
