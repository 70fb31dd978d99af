// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The values to which the type of a column, or a check, restricts it.
struct ClosedValues {
    /// `nil` where nothing restricts them.
    let values: [String]?
    /// Whether a value has room for one sign only.
    let areSigns: Bool

    init(_ column: SchemaColumn, in table: SchemaTable) {
        areSigns = column.kind == .text && column.labels == nil && column.maximumLength == 1
        values =
            column.labels
            ?? table.checks.lazy.filter { $0.columns == [column.name] }.compactMap { Self.listed($0.condition) }.first
    }

    /// Whether no value can be the name of a table's rows.
    func areOthers(_ map: SchemaMap) -> Bool {
        if areSigns { return true }
        guard let values, !values.isEmpty else { return false }
        return !map.listed.contains { table in
            values.contains { PolymorphicPair.isName($0, of: table.name) }
        }
    }

    /// The texts of a condition that lists them: `kind IN ('a', 'b')`, and as PostgreSQL writes it, `kind = ANY
    /// (ARRAY['a'::text, 'b'::text])`. `nil` for every other condition.
    private static func listed(_ condition: String) -> [String]? {
        let words = condition.lowercased()
        guard words.firstRange(of: #/\b(in|any)\s*\(/#) != nil,
            !words.contains(#/<>|!=|~|\bnot\b|\blike\b|\blength\b/#)
        else { return nil }
        let texts = condition.matches(of: #/'((?:[^']|'')*)'/#).map { String($0.1).replacing("''", with: "'") }
        return texts.isEmpty ? nil : texts
    }
}
