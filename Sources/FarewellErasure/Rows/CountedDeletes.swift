// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import Foundation

/// PostgreSQL: the statements that erase the rows of some people, and how to read from their answers how many rows of
/// whom there were in each place.
struct CountedDeletes {
    let statements: [SQLStatement]
    private let keys: [SQLValue]
    private let manner: Manner

    /// Where the numbers come from.
    private enum Manner {
        /// The server's own counters of deleted rows, read before each person and after the last.
        case byCounters(RowProgram.RowCounters)
        /// The deletes' own answers, each about one place.
        case told(places: [String])
        /// Counting beforehand.
        case counted
    }

    /// Whether the numbers of so many people are of what the deletes themselves took.
    static func areExact(of people: Int, in prepared: PreparedPlan) -> Bool {
        prepared.program(for: people).countingDeletes != nil || prepared.programForOne.rowCounters != nil
    }

    /// Whether no other of ours may delete rows at the same time. What is counted beforehand somebody else could delete
    /// before we do: a row of two people who leave at once would be in both receipts.
    static func mustBeAlone(of people: Int, in prepared: PreparedPlan) -> Bool {
        prepared.hasSharedRows && !areExact(of: people, in: prepared)
    }

    /// - Parameter values: Whose rows; one person's are never told by the deletes where the server's counters do.
    init(of values: RowValues, in prepared: PreparedPlan) {
        keys = values.subjects
        let program = prepared.program(for: keys.count)
        if program.countingDeletes == nil, let rowCounters = prepared.programForOne.rowCounters {
            let erasing = keys.flatMap { key in
                let one = RowValues(subjects: [key])
                return rowCounters.statements.map { $0.bound(one, dialect: .postgresql) }
            }
            statements = erasing + [rowCounters.closing.bound(RowValues(subjects: []), dialect: .postgresql)]
            manner = .byCounters(rowCounters)
        } else if let countingDeletes = program.countingDeletes {
            statements = countingDeletes.map { $0.statement.bound(values, dialect: .postgresql) }
            manner = .told(places: countingDeletes.map { program.graph.nodes[$0.node].place })
        } else {
            statements = ([program.counts] + program.everything.flatMap(\.statements))
                .map { $0.bound(values, dialect: .postgresql) }
            manner = .counted
        }
    }

    /// Rows of each erasure by place; `nil` when somebody had too many, or no row of their own.
    func counts(
        of members: [ErasureMember], _ results: some Collection<SQLResult>, _ context: ErasureContext
    ) -> [UUID: [String: Int]]? {
        guard let counts = counts(results) else { return nil }
        let root = "\(context.prepared.plan.subject.table)"
        let limit = min(context.options.largeAccount, SubjectResolver.bound)
        var found: [UUID: [String: Int]] = [:]
        for member in members {
            let rows = counts[member.subject.key.value] ?? [:]
            guard rows[root] ?? 0 > 0, rows.values.reduce(0, +) < limit else { return nil }
            found[member.id] = rows
        }
        return found.isEmpty ? nil : found
    }

    /// Rows of each person by place; `nil` where the server does not count what it deletes (`track_counts`).
    func counts(_ results: some Collection<SQLResult>) -> [SQLValue: [String: Int]]? {
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
        case .told(let places):
            let known = keysByText
            for (place, result) in zip(places, results) {
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

    private var keysByText: [ExactText: SQLValue] {
        Dictionary(keys.map { (ExactText($0.text ?? ""), $0) }) { first, _ in first }
    }

    /// The counters as they were before the statement that answers them took any rows.
    private func counters(_ result: SQLResult?, _ rowCounters: RowProgram.RowCounters) -> [Int]? {
        guard let row = result?.rows.first, case .array(let numbers) = row.first else { return nil }
        var counters = numbers.map { Int($0.integer ?? 0) }
        guard counters.indices.contains(rowCounters.begunWith) else { return nil }
        counters[rowCounters.begunWith] -= Int(row.dropFirst().first?.integer ?? 0)
        return counters
    }
}
