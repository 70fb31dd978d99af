// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Whether rows that get the same constant, or null, then collide in a unique key.
struct ConstantCollision {
    let entry: TablePlan
    let table: SchemaTable

    private struct Key {
        let columns: [String]
        /// Whether it covers only some rows.
        var isPartial = false
        /// Whether nulls count as equal in it.
        var areNullsEqual = false
    }

    /// The finding about the constant of a column, or its null; for a key with several it is reported at the first.
    func finding(at column: String) -> Finding? {
        let found = keys.compactMap { finding(at: column, in: $0) }
        return Finding.ordered(found).first
    }

    private var keys: [Key] {
        let whole = [table.primaryKey].filter { $0.count == 1 } + table.uniqueKeys
        // Whether expressions over a constant collide, the database itself decides.
        let indexes = table.indexes.filter {
            $0.isUnique && $0.columns != table.primaryKey && !$0.columns.contains("")
        }
        return whole.map { Key(columns: $0) }
            + indexes.map { Key(columns: $0.columns, isPartial: $0.isPartial, areNullsEqual: $0.areNullsEqual) }
    }

    private func finding(at column: String, in key: Key) -> Finding? {
        let rules = key.columns.map { name in entry.columns.first { $0.name == name }?.rule }
        let fixed = zip(key.columns, rules)
            .filter { $0.1?.constantText != nil || key.areNullsEqual && $0.1?.givesNull == true }.map(\.0)
        // Nulls never collide unless the key says so.
        let mayCollide = key.areNullsEqual || !rules.contains { $0?.givesNull == true }
        guard fixed.first == column, mayCollide else { return nil }
        let isNull = entry.columns.first { $0.name == column }?.rule?.givesNull == true
        let value = isNull ? "null" : "the constant"
        let others = key.columns.filter { !fixed.contains($0) }
        let remedy = key.areNullsEqual ? "Use hash" : "Use null or hash"
        func found(_ severity: Finding.Severity, _ message: String, _ remedy: String) -> Finding {
            Finding(
                isNull ? "column.null-not-unique" : "column.constant-not-unique", severity, table: table.name,
                column: column, message, remedy: remedy)
        }
        guard others.isEmpty else {
            // If the other columns are unique on their own, no two rows are equal in all.
            guard !table.isUnique(others) else { return nil }
            return found(
                .note,
                "The column is unique together with \(Self.list(others)): if two rows are equal there, the database "
                    + "would refuse \(value) in the second.",
                "\(remedy), unless no two remaining rows are equal there.")
        }
        let which = key.columns.count == 1 ? "The column is unique" : "\(Self.list(key.columns)) are unique together"
        let nulls = key.areNullsEqual ? ", including nulls" : ""
        guard !key.isPartial else {
            return found(
                .warning, "\(which) in some rows\(nulls): the second of them to get \(value) would be refused.",
                "\(remedy).")
        }
        let same = isNull ? "null again" : "the same constant"
        return found(.error, "\(which)\(nulls): the second erased subject would get \(same).", "\(remedy).")
    }

    private static func list(_ columns: [String]) -> String {
        Shown.line(columns.joined(separator: ", "), limit: 200)
    }
}
