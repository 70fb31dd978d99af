// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

/// Effects about some subjects, with the counts that predict the changes by the database's keys.
struct GuardedEffects: Sendable {
    let effects: [RowProgram.Effect]
    let statements: [SQLStatement]
    private let prepared: PreparedPlan
    private let people: Int
    /// The subject's own node if its row does not exist.
    private let absent: Set<Int>
    /// Where among the statements the rows are counted that the keys will update.
    private let counting: Int?

    /// - Parameters:
    ///   - effects: In their order; those that delete no rows of tables (links, large objects) come first.
    ///   - people: How many subjects the effects are about.
    ///   - standIns: The statements that do what the database's keys would do with the one subject's own row, if it
    ///     does not exist and would be changed by the effects (`PreparedPlan.standIns`).
    init(
        _ effects: [RowProgram.Effect], _ values: RowValues, in prepared: PreparedPlan, people: Int = 1,
        standIns: [RowProgram.Effect]? = nil
    ) {
        let dialect = prepared.schema.dialect
        absent = standIns == nil ? [] : [prepared.program.graph.root]
        let standIns = standIns ?? []
        let unlinks = effects.prefix { $0.nodes.isEmpty }.flatMap(\.statements).map {
            $0.bound(values, dialect: dialect)
        }
        let rest = (effects.drop { $0.nodes.isEmpty } + standIns).flatMap(\.statements).map {
            $0.bound(values, dialect: dialect)
        }
        let counts = Self.counting(effects, with: absent, values, in: prepared, people: people)
        self.effects = effects + standIns
        self.prepared = prepared
        self.people = people
        statements = unlinks + counts + rest
        counting = counts.isEmpty ? nil : unlinks.count
    }

    /// Counts the rows that the keys will update; nothing if no key does so or the comparison is off.
    ///
    /// - Parameter late: Nodes whose rows the database's cascade deletes with those of the effects, or whose keys
    ///   statements stand in for.
    static func counting(
        _ effects: [RowProgram.Effect], with late: Set<Int> = [], _ values: RowValues, in prepared: PreparedPlan,
        people: Int
    ) -> [SQLStatement] {
        let keys = prepared.keyEffects(for: people)
        let nodes = prepared.nodes(changedBy: effects).union(late)
        guard prepared.isWatching, let counts = keys.counts, keys.effects.contains(where: { nodes.contains($0.target) })
        else { return [] }
        return [counts.bound(values, dialect: prepared.schema.dialect)]
    }

    /// The answers of the effects' own statements.
    func answers(in results: some Collection<SQLResult>) -> [SQLResult] {
        var answers = Array(results.prefix(statements.count))
        if let counting, answers.indices.contains(counting) { answers.remove(at: counting) }
        return answers
    }

    /// - Parameters:
    ///   - results: The answers of `statements`.
    ///   - found: The earlier counts, in the places that these effects change.
    ///   - left: The later counts, if something may keep rows.
    func evidence(
        in results: some Collection<SQLResult>, found: [String: Int]?, left: [String: Int]? = nil
    ) -> ChangeEvidence {
        var evidence = ChangeEvidence(found: found, left: left, nodes: prepared.nodes(changedBy: effects))
        var rest = answers(in: results)[...]
        for effect in effects {
            let answers = Array(rest.prefix(effect.statements.count))
            rest = rest.dropFirst(effect.statements.count)
            if let node = effect.unlinked {
                evidence.unlinked[node, default: 0] += answers.reduce(0) { $0 + $1.affected }
            }
            for (node, rows) in zip(effect.nodes, effect.told(by: answers)) { evidence.told[node, default: 0] += rows }
        }
        if let counting, let counted = results.dropFirst(counting).first {
            let kept = UnerasedRows(evidence, of: prepared.program.graph)
            evidence.keyUpdates = prepared.keyEffects(for: people).updates(
                counted, among: evidence.nodes.subtracting(kept.whole).union(absent), keeping: kept.partly,
                absent: absent)
        }
        return evidence
    }
}

extension PreparedPlan {
    /// The statements that stand in for the database's keys if a subject's own row is already gone. Only statements
    /// that find rows now are returned.
    func standIns(for erasure: OpenedErasure, on connection: any SQLConnection) async throws -> [RowProgram.Effect] {
        let keys = keyEffects(for: 1)
        guard keys.hasStandIns, let counts = keys.counts else { return [] }
        return keys.standIns(try await connection.run(counts.bound(values([erasure]), dialect: schema.dialect)))
    }

    /// The nodes whose rows some effects change, including those that the database's cascade deletes.
    func nodes(changedBy effects: [RowProgram.Effect]) -> Set<Int> {
        let graph = program.graph
        let nodes = Set(effects.flatMap(\.nodes))
        guard nodes.contains(graph.root) else { return nodes }
        return nodes.union(graph.nodes.map(\.index).filter(graph.isCascaded))
    }
}
