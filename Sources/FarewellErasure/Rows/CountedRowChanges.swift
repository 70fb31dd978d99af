// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

/// Changes the rows of one subject, and reports their number.
///
/// A trigger or a rule of the database may keep rows, so the found rows may differ from the deleted ones.
struct CountedRowChanges {
    /// Counts the present rows: before the changes and after them.
    let counting: SQLStatement
    /// Where a trigger may keep rows: counts after the changes those that are still there, also by the keys of parents
    /// that are gone.
    let readingBack: [SQLStatement]
    private let watched: GuardedEffects
    private let graph: RowGraph

    /// - Parameter standIns: The statements that replace the database's keys, if the subject's own row does not
    ///   exist and would be changed by the effects.
    init(
        of erasure: OpenedErasure, in prepared: PreparedPlan, by effects: [RowProgram.Effect],
        standIns: [RowProgram.Effect]? = nil
    ) {
        let values = prepared.values([erasure])
        let dialect = prepared.schema.dialect
        counting = prepared.programForOne.counts.bound(values, dialect: dialect)
        readingBack =
            prepared.programForOne.mayBeResisted ? ReadBack(prepared: prepared).statements(about: [erasure]) : []
        watched = GuardedEffects(effects, values, in: prepared, standIns: standIns)
        graph = prepared.programForOne.graph
    }

    private var effects: [RowProgram.Effect] { watched.effects }

    /// The changes, with the counts that belong to them.
    var changes: [SQLStatement] { watched.statements }

    /// The known effects of these changes.
    ///
    /// - Parameters:
    ///   - results: The answers of the changes.
    ///   - found: The counts from before them.
    ///   - left: The counts from after them, and the answers of `readingBack`.
    func evidence(
        _ results: some Collection<SQLResult>, found: [String: Int], left: [String: Int],
        readBack: some Collection<SQLResult>
    ) -> ChangeEvidence {
        let places = Set(effects.flatMap { $0.nodes + [$0.unlinked].compactMap(\.self) }).map { graph.nodes[$0] }
            .flatMap { [$0.place, $0.linkPlace] }
        var evidence = watched.evidence(
            in: results, found: found.filter { places.contains($0.key) },
            left: left.merging(ReadBack.leftovers(readBack), uniquingKeysWith: max))
        evidence.mayBeResisted = true
        return evidence
    }

    /// Rows by place, as the statements report them. SQLite does not report rows deleted by a cascade: there the
    /// difference of the counts is used, if it is larger.
    ///
    /// - Parameters:
    ///   - results: The answers of the changes.
    ///   - found: The counts from before them.
    ///   - left: The counts from after them.
    func counts(_ results: some Collection<SQLResult>, found: [String: Int], left: [String: Int]) -> [String: Int] {
        var counts: [String: Int] = [:]
        func gone(_ place: String) -> Int { max((found[place] ?? 0) - (left[place] ?? 0), 0) }
        var rest = watched.answers(in: results)[...]
        for effect in effects {
            let numbers = effect.told(by: Array(rest.prefix(effect.statements.count)))
            rest = rest.dropFirst(effect.statements.count)
            for (node, number) in zip(effect.nodes.map({ graph.nodes[$0] }), numbers) {
                if !effect.isAgain { counts[node.place, default: 0] += number }
                if effect.isAgain, number > 0 { counts[node.againPlace, default: 0] += number }
            }
        }
        for node in Set(effects.flatMap(\.nodes)).map({ graph.nodes[$0] }) where node.rule.erasesRows {
            let told = counts[node.place] ?? 0
            let rows = graph.dialect.countsCascades ? told : max(told, gone(node.place))
            counts[node.place] = rows > 0 ? rows : nil
        }
        for place in graph.nodes.filter(\.losesLinks).map(\.linkPlace) where gone(place) > 0 {
            counts[place] = gone(place)
        }
        return counts
    }
}

extension RowProgram.Effect {
    /// How many rows of each node were changed.
    func told(by results: [SQLResult]) -> [Int] {
        switch numbers {
        case .changed: return [results.reduce(0) { $0 + $1.affected }]
        case .row: return results.first?.rows.first?.map { Int($0.integer ?? 0) } ?? []
        case .lists: return results.dropFirst(nodes.count).prefix(nodes.count).map(\.affected)
        }
    }
}
