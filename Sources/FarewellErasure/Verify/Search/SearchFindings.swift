// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// The findings of a search so far, by column and by name.
struct SearchFindings: Sendable {
    /// Values of one column that hold the same names.
    struct Place: Sendable, Hashable {
        let column: String
        /// By the name's place in the list of all names.
        let verdicts: [Int: NameMatch.Verdict]
    }

    /// All subjects' names, each once.
    let names: [SearchedName]
    private let subjects: [(names: [Int], key: ExactText?, limit: String?)]
    /// The keys of subjects in whose own rows a name is as well, by the name's place in the list.
    private var owners: [Int: Set<ExactText>] = [:]
    private var shared = SearchOutcome()
    private var values: [Place: Int] = [:]

    init(of subjects: [SearchedSubject]) {
        var places: [SearchedName: Int] = [:]
        var names: [SearchedName] = []
        self.subjects = subjects.map { subject in
            let list = subject.names.map { name in
                if let place = places[name] { return place }
                places[name] = names.count
                names.append(name)
                return names.count - 1
            }
            return (list, subject.key.map { ExactText($0.lowercased()) }, subject.limit)
        }
        self.names = names
    }

    /// Notes what is known beforehand not to be searched.
    mutating func limit(_ limits: [String: String]) {
        shared.notSearched.merge(limits) { first, _ in first }
    }

    /// Notes that a table was not searched.
    mutating func refuse(_ table: SchemaTable, _ reason: String) {
        shared.notSearched["\(table.name)"] = reason
        shared.isComplete = false
    }

    /// Adds what the search of one table found.
    mutating func add(_ table: TableSearch.Found) {
        shared.columns += table.columns
        shared.rows += table.rows
        shared.isComplete = shared.isComplete && table.isComplete
        shared.notSearched.merge(table.notSearched) { _, later in later }
        values.merge(table.values, uniquingKeysWith: +)
    }

    /// The places in the list of the names that are left anywhere.
    var namesLeft: Set<Int> {
        Set(values.keys.flatMap { place in place.verdicts.filter { $0.value == .left }.keys })
    }

    /// Notes in whose own rows names are: if another subject's, a value elsewhere may mean that subject.
    mutating func share(_ owners: [Int: Set<ExactText>]) { self.owners = owners }

    /// The outcome of each subject, in their order.
    var outcomes: [SearchOutcome] {
        let erased = Set(subjects.compactMap(\.key))
        return subjects.map { subject in
            var outcome = shared
            let others = Set(subject.names.filter { !(owners[$0] ?? []).isSubset(of: erased) })
            for (place, count) in values {
                let verdict = subject.names.compactMap { name in
                    place.verdicts[name].map { others.contains(name) ? .similar : $0 }
                }.max()
                if let verdict { outcome.add(verdict, count, in: place.column) }
            }
            outcome.notSearched["identifiers"] = subject.limit
            return outcome
        }
    }
}
