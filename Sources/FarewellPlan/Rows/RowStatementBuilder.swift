// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Collects the parameters of one statement while its text is being written.
package struct RowStatementBuilder: Sendable, Hashable {
    let dialect: SQLDialect
    private(set) var slots: [RowStatement.Slot] = []
    /// The place of each slot: a statement about many tables with conditions has hundreds of them.
    private var places: [RowStatement.Slot: Int] = [:]
    private let captures: Captures

    /// The source of the keys that were read before their rows were deleted.
    package enum Captures: Sendable, Hashable {
        /// Handed in with the statement.
        case given
        /// PostgreSQL: kept by the server until the end of the transaction (`RowProgram.SingleTransaction`).
        case kept
    }

    package init(dialect: SQLDialect, captures: Captures = .given) {
        self.dialect = dialect
        self.captures = captures
    }

    /// The list a slot stands for.
    mutating func list(_ slot: RowStatement.Slot) -> String {
        switch (captures, slot) {
        case (.kept, .captured(let node, let column, _)):
            return "current_setting('\(RowStatement.setting(node: node, column: column))')"
        case (.kept, .capturedKeys(let node, let columns)):
            return "current_setting('\(RowStatement.setting(node: node, columns: columns))')"
        default: return parameter(slot)
        }
    }

    /// The `$n` of a slot; the same slot is one parameter, however often it is named.
    mutating func parameter(_ slot: RowStatement.Slot) -> String {
        if let place = places[slot] { return "$\(place + 1)" }
        places[slot] = slots.count
        slots.append(slot)
        return "$\(slots.count)"
    }

    package func quoted(_ name: String) -> String { dialect.quoted(name) }

    package func quoted(_ table: TableName) -> String {
        dialect.qualified(table)
    }

    /// A table's own rows. A table that inherits from it on PostgreSQL is a separate table of the plan: this table's
    /// key does not identify its rows, and this table's rule does not apply to them.
    package func rows(of table: SchemaTable) -> String {
        let isOrdinary = dialect.hasInheritance && table.kind == .table
        return (isOrdinary ? "ONLY " : "") + quoted(table.name)
    }

    /// Queries joined by `UNION ALL`, as a list of lists if one list would be longer than a database accepts.
    func union(_ queries: [String]) -> String {
        let most = dialect.longestUnion
        guard queries.count > most else { return queries.joined(separator: " UNION ALL ") }
        let lists = queries.chunks(ofCount: most).enumerated().map { number, part in
            "SELECT * FROM (\(part.joined(separator: " UNION ALL "))) AS u\(number)"
        }
        return union(lists)
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.dialect == right.dialect && left.captures == right.captures && left.slots == right.slots
    }

    /// The places follow from the slots.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(dialect)
        hasher.combine(captures)
        hasher.combine(slots)
    }

    package func statement(_ text: String) -> RowStatement { RowStatement(text: text, slots: slots) }

    /// - Parameter selections: The beginning, which other statements may share.
    func statement(_ selections: String, _ text: String) -> RowStatement {
        RowStatement(selections, text: text, slots: slots)
    }
}
