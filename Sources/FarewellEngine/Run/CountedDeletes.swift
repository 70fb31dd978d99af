// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// PostgreSQL: the statements that erase the rows of some people, and how to read from their answers how many rows of
/// whom there were in each place.
struct CountedDeletes {
    let statements: [SQLStatement]
    private let manner: Manner
    private let members: [ErasureMember]

    /// Where the numbers come from.
    private enum Manner {
        /// The server's own counters of deleted rows, read before the first person and after each.
        case tallied(places: [String], perPerson: Int)
        /// The deletes' own answers, each about one place.
        case told(places: [String])
        /// Counting beforehand.
        case counted
    }

    init(of members: [ErasureMember], in prepared: PreparedPlan) {
        self.members = members
        if members.count == 1 || prepared.program.tellings == nil, let tally = prepared.programForOne.tally {
            let effects = prepared.programForOne.everything.flatMap(\.statements) + [tally.statement]
            let reading = tally.statement.bound(RowValues(subjects: []), dialect: .postgresql)
            statements =
                [reading]
                + members.flatMap { member in
                    let values = prepared.values([member])
                    return effects.map { $0.bound(values, dialect: .postgresql) }
                }
            manner = .tallied(places: tally.places, perPerson: effects.count)
            return
        }
        let values = prepared.values(members)
        if let tellings = prepared.program.tellings {
            statements = tellings.map { $0.statement.bound(values, dialect: .postgresql) }
            manner = .told(places: tellings.map { "\(prepared.program.graph.nodes[$0.node].table.name)" })
            return
        }
        let program = prepared.program(for: members.count)
        statements = ([program.counts] + program.everything.flatMap(\.statements))
            .map { $0.bound(values, dialect: .postgresql) }
        manner = .counted
    }

    /// Rows of each member by place.
    func counts(_ results: some Collection<SQLResult>) -> [UUID: [String: Int]] {
        var counts = Dictionary(members.map { ($0.id, [String: Int]()) }) { first, _ in first }
        switch manner {
        case .tallied(let places, let perPerson):
            var before = numbers(results.first)
            for (position, member) in members.enumerated() {
                let after = numbers(results.dropFirst((position + 1) * perPerson).first)
                for (place, (new, old)) in zip(places, zip(after, before)) where new > old {
                    counts[member.id]?[place] = new - old
                }
                before = after
            }
        case .told(let places):
            let ids = idsByKey
            for (place, result) in zip(places, results) {
                for row in result.rows {
                    guard let id = row[0].text.flatMap({ ids[$0] }), let rows = row[1].integer else { continue }
                    counts[id]?[place, default: 0] += Int(rows)
                }
            }
        case .counted:
            let ids = idsByKey
            for row in results.first?.rows ?? [] {
                let id = members.count == 1 ? members.first?.id : row[1].text.flatMap { ids[$0] }
                guard let id, let place = row[0].text, let rows = row[2].integer else { continue }
                counts[id]?[place, default: 0] += Int(rows)
            }
        }
        return counts
    }

    private var idsByKey: [String: UUID] {
        Dictionary(members.map { ($0.subject.key.text, $0.id) }) { first, _ in first }
    }

    private func numbers(_ result: SQLResult?) -> [Int] {
        guard case .array(let numbers) = result?.scalar else { return [] }
        return numbers.map { Int($0.integer ?? 0) }
    }
}
