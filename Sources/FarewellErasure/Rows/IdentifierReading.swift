// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

/// Sorts the values of one row that name its subject: identifiers of the plan, and others.
struct IdentifierReading: Sendable {
    let plan: Plan
    let schema: Schema
    let implied: ImpliedIdentifiers

    /// - Parameter columns: Of the values, in their order.
    func names(in values: [SQLValue], of columns: [ColumnName]) -> (identifiers: [String], others: [String]) {
        var texts: [ColumnName: String] = [:]
        for (column, value) in zip(columns, values) {
            // A text of spaces identifies no user, and other users' rows have it too.
            if let text = value.text, text.contains(where: { !$0.isWhitespace }) { texts[column] = text }
        }
        let identifiers = columns.filter(plan.subject.identifiers.contains).compactMap { texts[$0] }
        let repeated = columns.filter(implied.columns.contains).compactMap { texts[$0] }
        let full = implied.fullNames.filter { $0.table == columns.first?.table }.flatMap { name -> [String] in
            guard let given = part(name.given, of: name.table, texts),
                let family = part(name.family, of: name.table, texts)
            else { return [] }
            return FullName.spellings(given: given, family: family)
        }
        return (identifiers, full + repeated)
    }

    /// A part of a name; `nil` if there is none, or the plan wrote it in an earlier erasure.
    private func part(_ column: String, of table: TableName, _ texts: [ColumnName: String]) -> String? {
        guard let text = texts[ColumnName(table, column)]?.trimmingSpaces, !text.isEmpty else { return nil }
        guard let entry = plan[table], let live = schema[table], let written = WrittenValue(column, in: entry, of: live)
        else { return text }
        return written.isWritten(text) ? nil : text
    }
}

extension String {
    /// Without spaces at both ends, such as those of `character(n)`.
    fileprivate var trimmingSpaces: String {
        let scalars = unicodeScalars.drop { $0 == " " }
        var text = String.UnicodeScalarView(scalars)
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
