// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

/// The tables of a large account whose rows the database's cascade deletes with rows of another table
/// (`RowProgram.cascades`). The subject has few of these rows for each row of the other table.
struct CascadedTables {
    /// Their places, in order; `nil` if there are none.
    let places: [String]?

    /// How many rows of a table go with a row of the other one, on average.
    private static let mostOfEach = 4

    init(_ part: RowErasure.Part, of erasure: OpenedErasure, in prepared: PreparedPlan) {
        let program = prepared.programForOne
        let counts = erasure.subject.directCounts ?? (erasure.subject.directRows == nil ? erasure.subject.counts : [:])
        guard prepared.isWatching, part.scope != .leftovers, !counts.isEmpty else {
            places = nil
            return
        }
        func rows(_ node: Int) -> Int { counts[program.graph.nodes[node].place] ?? 0 }
        let cascades = program.cascades(in: program.pieces(of: part.scope)) { node, parent in
            rows(node) <= Self.mostOfEach * rows(parent)
        }
        places = cascades.isEmpty ? nil : Self.places(cascades, program)
    }

    private static func places(_ cascades: [Int: Set<Int>], _ program: RowProgram) -> [String] {
        cascades.keys.map { program.graph.nodes[$0].place }.sorted()
    }

    /// The effects in the order with which a step began. If that order is no longer possible, the step begins again and
    /// erases each table separately: all of these effects delete, and find no row twice.
    static func effects(
        _ part: RowErasure.Part, _ progress: inout StepProgress, in prepared: PreparedPlan
    ) -> [RowProgram.Effect] {
        let program = prepared.programForOne
        let effects = program.pieces(of: part.scope)
        guard let begun = progress.cascaded else { return effects }
        let cascades = program.cascades(in: effects) { node, _ in begun.contains(program.graph.nodes[node].place) }
        guard prepared.isWatching, places(cascades, program) == begun else {
            beginAgain(&progress)
            return effects
        }
        return program.leaving(cascades, in: effects)
    }

    /// From here on, each table is erased separately.
    static func beginAgain(_ progress: inout StepProgress) {
        progress.cascaded = nil
        progress.effect = 0
        progress.cursor = nil
    }

    /// Whether a chunk took too long with the rows that the database deletes with it, and was rolled back.
    static func areTooMany(_ error: FarewellError, _ progress: StepProgress) -> Bool {
        progress.cascaded != nil && error.code == "sql.57014" && !Task.isCancelled
    }
}
