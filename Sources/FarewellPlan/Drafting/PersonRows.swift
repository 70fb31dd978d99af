// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Rows that describe a person, of which each user has at most one, and which the database keeps without the user:
/// `patients.account_id`, unique, `ON DELETE SET NULL`. Such a row may well be the user's own.
struct PersonRows {
    private let map: SchemaMap
    private let people: Set<TableName>

    init(_ map: SchemaMap, of root: SubjectRoot) {
        self.map = map
        people = PersonTables.of(root, map).union(TableDescendants(map.schema).of(root.table))
    }

    /// Whether a key gives each user at most one row, which describes a person.
    func areNamed(by key: ForeignKey, in table: SchemaTable) -> Bool {
        guard key.onDelete == .setNull, key.isPaired, people.contains(key.target), !people.contains(table.name),
            table.kind == .table || table.kind == .partitioned, !GroupTables.isGroup(table.name),
            map.isUnique(key.columns, in: table.name), let name = key.columns.last
        else { return false }
        let role = PersonNames.role(name)
        return role != .handler && role != .maker && StayingColumns.describePersons(table)
    }

    /// Why whose row it is is a question.
    static let reason =
        "each user has at most one such row, and it describes a person; but the database keeps the row without the user"
}
