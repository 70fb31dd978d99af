// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import Foundation

/// PostgreSQL: the statements that erase the rows of some subjects, and the reading of each subject's number of rows in
/// each place from their answers.
struct CountedDeletes {
    let statements: [SQLStatement]
    private let keys: [SQLValue]
    private let manner: Manner
    private let prepared: PreparedPlan
    /// Counts the rows that the database's keys will update; it runs before everything else.
    private let keyCounting: [SQLStatement]

    /// The source of the numbers.
    private enum Manner {
        /// The server's own counters of deleted rows, read before each subject and after the last.
        case byCounters(RowProgram.RowCounters)
        /// The deletes' own answers, each about one node.
        case told(nodes: [Int])
        /// Counting beforehand.
        case counted(GuardedEffects)
    }

    /// Whether the numbers for this many subjects come from the deletes themselves.
    static func areExact(of people: Int, in prepared: PreparedPlan) -> Bool {
        prepared.program(for: people).countingDeletes != nil || prepared.programForOne.rowCounters != nil
    }

    /// Whether no other transaction of Farewell may delete rows at the same time. Otherwise another transaction could
    /// delete a row that this one has already counted, and the row would be in the receipts of two subjects.
    static func mustBeAlone(of people: Int, in prepared: PreparedPlan) -> Bool {
        prepared.hasSharedRows && !areExact(of: people, in: prepared)
    }

    /// - Parameter values: The subjects; for one subject the server's counters replace the deletes' own reports.
    init(of values: RowValues, in prepared: PreparedPlan) {
        keys = values.subjects
        self.prepared = prepared
        let program = prepared.program(for: keys.count)
        let keyCounting = GuardedEffects.counting(program.joined, values, in: prepared, people: keys.count)
        if program.countingDeletes == nil, let rowCounters = prepared.programForOne.rowCounters {
            let erasing = keys.flatMap { key in
                let one = RowValues(subjects: [key])
                return rowCounters.statements.map { $0.bound(one, dialect: .postgresql) }
            }
            self.keyCounting = keyCounting
            statements =
                keyCounting + erasing + [rowCounters.closing.bound(RowValues(subjects: []), dialect: .postgresql)]
            manner = .byCounters(rowCounters)
        } else if let countingDeletes = program.countingDeletes {
            self.keyCounting = keyCounting
            statements = keyCounting + countingDeletes.map { $0.statement.bound(values, dialect: .postgresql) }
            manner = .told(nodes: countingDeletes.map(\.node))
        } else {
            let watched = GuardedEffects(program.joined, values, in: prepared, people: keys.count)
            self.keyCounting = []
            statements = [program.counts.bound(values, dialect: .postgresql)] + watched.statements
            manner = .counted(watched)
        }
    }

    /// Rows of each erasure by place; `nil` if a subject had too many, or no row of their own.
    ///
    /// - Parameter largeAccount: The number of rows from which an account is a large one.
    func counts(
        of erasures: [OpenedErasure], _ results: some Collection<SQLResult>, largeAccount: Int
    ) -> [UUID: [String: Int]]? {
        guard let counts = counts(results) else { return nil }
        let root = "\(prepared.plan.subject.table)"
        let limit = min(largeAccount, SubjectResolver.bound)
        var found: [UUID: [String: Int]] = [:]
        for erasure in erasures {
            let rows = counts[erasure.subject.key.value] ?? [:]
            guard rows[root] ?? 0 > 0, rows.values.reduce(0, +) < limit else { return nil }
            found[erasure.id] = rows
        }
        return found.isEmpty ? nil : found
    }

    /// Rows of each subject by place; `nil` if the server does not count what it deletes (`track_counts`).
    func counts(_ answers: some Collection<SQLResult>) -> [SQLValue: [String: Int]]? {
        let results = answers.dropFirst(keyCounting.count)
        var counts = Dictionary(keys.map { ($0, [String: Int]()) }) { first, _ in first }
        switch manner {
        case .byCounters(let rowCounters):
            let length = rowCounters.statements.count
            let readings = (0...keys.count).compactMap { counters(results.dropFirst($0 * length).first, rowCounters) }
            guard readings.count == keys.count + 1 else { return nil }
            for (position, key) in keys.enumerated() {
                let (before, after) = (readings[position], readings[position + 1])
                for (place, (old, new)) in zip(rowCounters.places, zip(before, after)) where new > old {
                    counts[key]?[place] = new - old
                }
            }
        case .told(let nodes):
            let known = keysByText
            for (node, result) in zip(nodes, results) {
                let place = prepared.program.graph.nodes[node].place
                for row in result.rows {
                    guard let key = row[0].text.flatMap({ known[ExactText($0)] }), let rows = row[1].integer else {
                        continue
                    }
                    counts[key]?[place, default: 0] += Int(rows)
                }
            }
        case .counted:
            let known = keysByText
            for row in results.first?.rows ?? [] {
                let key = keys.count == 1 ? keys.first : row[1].text.flatMap { known[ExactText($0)] }
                guard let key, let place = row[0].text, let rows = row[2].integer else { continue }
                counts[key]?[place, default: 0] += Int(rows)
            }
        }
        return counts
    }

    /// The known changes.
    func evidence(_ answers: some Collection<SQLResult>) -> ChangeEvidence {
        let effects = prepared.program(for: keys.count).joined
        var evidence = ChangeEvidence(nodes: prepared.nodes(changedBy: effects))
        if let counted = answers.first, !keyCounting.isEmpty {
            evidence.keyUpdates = prepared.keyEffects(for: keys.count).updates(counted, among: evidence.nodes)
        }
        switch manner {
        // The counters themselves report the deleted rows of the plan's tables; in all others there must be none.
        case .byCounters: break
        case .told(let nodes):
            for (node, result) in zip(nodes, answers.dropFirst(keyCounting.count)) {
                evidence.told[node, default: 0] += result.rows.reduce(0) {
                    $0 + Int($1.dropFirst().first?.integer ?? 0)
                }
            }
        case .counted(let watched):
            let found = answers.first.map(RowCounts.byPlace)
            evidence = watched.evidence(in: answers.dropFirst(), found: found)
        }
        return evidence
    }

    private var keysByText: [ExactText: SQLValue] {
        Dictionary(keys.map { (ExactText($0.text ?? ""), $0) }) { first, _ in first }
    }

    /// The counters before the statement that returns them: the rows that it deleted itself are subtracted.
    private func counters(_ result: SQLResult?, _ rowCounters: RowProgram.RowCounters) -> [Int]? {
        guard let row = result?.rows.first, case .array(let numbers) = row.first else { return nil }
        var counters = numbers.map { Int($0.integer ?? 0) }
        guard counters.indices.contains(rowCounters.begunWith) else { return nil }
        counters[rowCounters.begunWith] -= Int(row.dropFirst().first?.integer ?? 0)
        return counters
    }
}
