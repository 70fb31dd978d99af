// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Unique columns of tables with one row for each subject, such as `profiles.public_id`: each value stands for one
/// subject. Other places may hold it without a key.
struct ProfileKeys {
    /// By table, in the table's order.
    let columns: [ColumnName]
    private let keys: [Key]
    private let people: Set<TableName>
    private let map: SchemaMap

    private struct Key {
        let place: ColumnName
        let column: SchemaColumn
        let words: [String]
        /// With the noun of its table before it: `profile public id`.
        let full: [String]
    }

    init(_ map: SchemaMap, subject: SubjectRoot) {
        self.map = map
        people = PersonTables.of(subject, map)
        // OtherKeys has those of the subject's own rows.
        let own = Set(TableDescendants(map.schema).of(subject.table)).union([subject.table])
        keys = people.subtracting(own).sorted().compactMap { map[$0] }.flatMap { table -> [Key] in
            let bound = Set(map.keys(of: table.name).flatMap(\.key.columns))
            let noun = PersonNames.stem(ofTable: table.name.name).split(separator: " ").map(String.init)
            return table.columns.filter { Self.isKey($0, of: table) && !bound.contains($0.name) }.map { column in
                let words = PersonNames.words(column.name)
                return Key(
                    place: ColumnName(table.name, column.name), column: column, words: words, full: noun + words)
            }
        }
        columns = keys.map(\.place)
    }

    private static func isKey(_ column: SchemaColumn, of table: SchemaTable) -> Bool {
        // Names of tables find their primary keys.
        guard table.primaryKey != [column.name], table.isUnique([column.name]), column.labels == nil,
            !column.isIncomparable, !PersonNames.isIdentifier(column)
        else { return false }
        switch column.kind {
        case .uuid: return true
        case .text: return OtherKeys.isWrittenLikeKey(column)
        default: return false
        }
    }

    /// The key that a column repeats: one with the same type, and with the same name or `<table>_<name>`.
    ///
    /// `nil` where a key of the row says already that it is a subject's, and for a name of one word or one that every
    /// table may have for its own rows.
    func named(by column: SchemaColumn, of table: SchemaTable) -> ColumnName? {
        guard !keys.isEmpty, !people.contains(table.name), column.identity != .always, !isOwned(table) else {
            return nil
        }
        let words = PersonNames.words(column.name)
        let isTelling =
            words.count > 1 && !OtherKeys.common.contains(words[0]) && !map.isUnique([column.name], in: table.name)
        return keys.first { key in
            guard KeyFit.of(column, key.column, in: map.schema.dialect) == .same else { return false }
            return isTelling && words == key.words || words.suffix(key.full.count).elementsEqual(key.full)
        }?.place
    }

    private func isOwned(_ table: SchemaTable) -> Bool {
        map.keys(of: table.name).contains { key in
            people.contains(key.key.target) && key.key.isPaired && !PlanReach.empties(key.key)
                && !key.key.columns.contains { table[$0]?.isNullable == true && !table.primaryKey.contains($0) }
        }
    }
}
