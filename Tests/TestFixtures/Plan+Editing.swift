// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellSQL

/// A test says in one line what its plan says otherwise than the derived one. Tables by their bare name.
extension Plan {
    package mutating func at(_ table: String, _ change: (inout TablePlan) -> Void) {
        for place in tables.indices where tables[place].table.name == table { change(&tables[place]) }
    }

    /// Gives a table a rule and its columns theirs; columns not named are not personal where the row stays. The rows are
    /// then the subject's: links that only refer, in a table without an owner, own them.
    package mutating func set(_ table: String, _ rule: Rule, _ columns: [String: ColumnRule] = [:]) {
        at(table) { entry in
            entry.rule = rule
            let stays = rule != .erase && rule != .notPersonal
            if rule == .erase || stays && !columns.isEmpty, entry.links.allSatisfy(\.isReference) {
                for place in entry.links.indices where entry.links[place].list == nil { entry.links[place].role = nil }
            }
            for place in entry.columns.indices {
                entry.columns[place].rule = columns[entry.columns[place].name] ?? (stays ? .notPersonal : nil)
            }
        }
    }

    /// Gives a table these links and no others.
    package mutating func link(_ table: String, _ links: Link...) {
        at(table) { $0.links = links }
    }

    package func name(_ table: String) -> TableName {
        tables.first { $0.table.name == table }?.table ?? TableName(table)
    }

    package mutating func share(_ table: String, _ column: String, _ shared: Link.Shared) {
        at(table) { entry in
            for place in entry.links.indices where entry.links[place].columns == [column] {
                entry.links[place].shared = shared
            }
        }
    }
}

extension ErasureOutcome {
    package var receipt: Receipt? { if case .done(let receipt, _) = self { receipt } else { nil } }

    package var cause: String? { if case .parked(_, let cause) = self { cause } else { nil } }

    package var error: FarewellError? { if case .unfinished(_, _, let error) = self { error } else { nil } }

    /// The outcome in one word.
    package var word: String {
        switch self {
        case .done: "done"
        case .parked: "parked"
        case .unfinished: "unfinished"
        case .interrupted: "interrupted"
        case .running: "running"
        case .unknown: "unknown"
        }
    }
}

extension Receipt {
    /// Erased rows by the table's bare name.
    package var erased: [String: Int] { counts(\.erased) }
    package var anonymised: [String: Int] { counts(\.anonymised) }

    private func counts(_ fate: (PlaceCount) -> Int) -> [String: Int] {
        steps.flatMap(\.places).reduce(into: [:]) { counts, place in
            guard fate(place) > 0 else { return }
            counts[TableName(parsing: place.place)?.name ?? place.place, default: 0] += fate(place)
        }
    }
}
