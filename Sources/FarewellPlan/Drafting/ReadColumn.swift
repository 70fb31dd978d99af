// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// A column that no key binds, as its name reads in its table.
struct ReadColumn {
    let column: SchemaColumn
    let table: SchemaTable
    let name: KeyName
    /// The one other table whose single key has this very name.
    let keyed: TableName?
    /// How the column lists several values; `nil` if it holds one.
    var list: Link.ListForm?
    /// The sibling column that tells to which table the value leads.
    let typeColumn: SchemaColumn?

    init(
        _ column: SchemaColumn, in table: SchemaTable, _ map: SchemaMap, _ names: TableNames,
        list: (KeyName) -> Link.ListForm?
    ) {
        let keyed = names.keyed(column.name, near: table.name).flatMap { $0 == table.name ? nil : $0 }
        let name = KeyName(column.name, isTable: { keyed != nil || names.isTable($0) })
        (self.column, self.table, self.name, self.keyed) = (column, table, name, keyed)
        self.list = list(name)
        typeColumn = PolymorphicPair.typeColumn(of: column, name, in: table, map)
    }

    /// Whether the column is all of its table's primary key.
    var isWholeKey: Bool { table.primaryKey == [column.name] }

    /// `posts_by_user` counts.
    var isCount: Bool { name.act.map { EnglishNoun.singular($0) != $0 } ?? false }
}
