// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The columns of a row that together repeat another table's key of several columns: `tenant_id` and `project_id` that
/// of `projects (tenant_id, id)`.
struct RepeatedKey {
    private let column: SchemaColumn
    private let table: SchemaTable
    private let parent: SchemaTable
    private let dialect: SQLDialect
    /// The part of the key that the column names.
    let own: String

    /// - Parameter column: A column of the table whose name speaks of the other table. `nil` if it names no part of the
    ///   other table's key, or if that key is one column.
    init?(named column: SchemaColumn, in table: SchemaTable, of parent: SchemaTable, _ dialect: SQLDialect) {
        guard parent.primaryKey.count > 1, parent.name != table.name,
            let own = Self.part(named: column.name, of: parent), let key = parent[own],
            KeyFit.of(column, key, in: dialect) == .same
        else { return nil }
        (self.column, self.table, self.parent, self.dialect, self.own) = (column, table, parent, dialect, own)
    }

    /// The parts of the key: last the one that says which row is meant, for a row that stays loses the last column.
    var parts: [String] { parent.primaryKey.filter { $0 != own } + [own] }

    /// One column for each part; `nil` if a part has none, or if fewer parts identify a row.
    var columns: [String]? {
        let key = parts
        let isShorter = key.contains { part in parent.isUnique(key.filter { $0 != part }) }
        let found = key.compactMap { $0 == own ? column.name : sibling(of: $0) }
        guard !isShorter, found.count == key.count, Set(found).count == key.count else { return nil }
        return found
    }

    /// Names of parts that every table may have for its own rows.
    private static let general: Set<String> = [
        "id", "uuid", "guid", "ulid", "key", "pk", "no", "nr", "num", "number", "seq", "code", "version",
    ]

    /// The part with the column's very name, or the one with which its name ends: `id` of `project_id`.
    private static func part(named column: String, of parent: SchemaTable) -> String? {
        let (key, name) = (parent.primaryKey, joined(column))
        if let same = key.first(where: { joined($0) == name }) { return general.contains(name) ? nil : same }
        let endings = key.filter { !joined($0).isEmpty && name.hasSuffix(joined($0)) }
        return endings.max { joined($0).count < joined($1).count }
    }

    /// The column of the row for another part: under the same noun as the first (`project_tenant_id`), or under the
    /// part's own name, if that is one of a key (`tenant_id`). A row's own number, or its time, is no part of another
    /// row's key.
    private func sibling(of part: String) -> String? {
        guard let key = parent[part] else { return nil }
        func fits(_ other: SchemaColumn) -> Bool {
            other.name != column.name && !other.isComputed && !other.isIncomparable && !key.isIncomparable
                && KeyFit.of(other, key, in: dialect) == .same
        }
        let noun = String(Self.joined(column.name).dropLast(Self.joined(own).count))
        let name = noun + Self.joined(part)
        if !noun.isEmpty, let found = table.columns.first(where: { Self.joined($0.name) == name && fits($0) }) {
            return found.name
        }
        let isKey = KeyName(part).isKey || parent.foreignKeys.contains { $0.columns.contains(part) }
        guard isKey, !Self.general.contains(Self.joined(part)) else { return nil }
        return table.columns.first { Self.joined($0.name) == Self.joined(part) && fits($0) }?.name
    }

    private static func joined(_ name: String) -> String { PersonNames.words(name).joined() }
}
