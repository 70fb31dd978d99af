// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Erases what is still there of one person, and tells how many rows went.
///
/// Something may have kept these rows before, and may do so again; so what was found is not what went.
struct SweptRows {
    let statements: [SQLStatement]
    private let program: RowProgram

    init(of member: ErasureMember, in prepared: PreparedPlan) {
        program = prepared.programForOne
        let values = prepared.values([member])
        statements = ([program.counts] + program.effects(of: .leftovers).flatMap(\.statements) + [program.counts])
            .map { $0.bound(values, dialect: prepared.schema.dialect) }
    }

    /// Rows by place, from the statements' answers: what the deletes took; of tables that are changed together, whose
    /// statement does not tell, what is there no longer.
    func taken(_ results: [SQLResult]) -> [String: Int] {
        let found = results.first.map(RowErasure.byPlace) ?? [:]
        let left = results.last.map(RowErasure.byPlace) ?? [:]
        var taken: [String: Int] = [:]
        var rest = results.dropFirst()
        for effect in program.effects(of: .leftovers) {
            let affected = rest.prefix(effect.statements.count).reduce(0) { $0 + $1.affected }
            rest = rest.dropFirst(effect.statements.count)
            for place in effect.nodes.map({ program.graph.nodes[$0].place }) {
                let rows = effect.nodes.count == 1 ? affected : (found[place] ?? 0) - (left[place] ?? 0)
                if rows > 0 { taken[place, default: 0] += rows }
            }
        }
        return taken
    }
}
