// SPDX-License-Identifier: Apache-2.0

/// How the databases treat a column of a kind.
extension SQLDialect {
    /// Whether the column holds UUIDs as such. SQLite holds them as text, in any spelling.
    package func holdsUUIDs(_ kind: SchemaColumn.Kind) -> Bool { hasColumnTypes && kind == .uuid }

    /// Whether members of JSON can be read from each value of the column.
    package func readsJSON(of kind: SchemaColumn.Kind) -> Bool {
        kind == .json || kind == .text && !failsOnOtherThanJSON
    }
}
