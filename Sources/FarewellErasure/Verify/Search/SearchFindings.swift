// SPDX-License-Identifier: Apache-2.0

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
    private let subjects: [(names: [Int], limit: String?)]
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
            return (list, subject.limit)
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

    /// Of each subject, in their order.
    var outcomes: [SearchOutcome] {
        subjects.map { subject in
            var outcome = shared
            for (place, count) in values {
                let verdict = subject.names.compactMap { place.verdicts[$0] }.max()
                if let verdict { outcome.add(verdict, count, in: place.column) }
            }
            outcome.notSearched["identifiers"] = subject.limit
            return outcome
        }
    }
}
