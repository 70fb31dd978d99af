// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Columns whose values admit their holder: password hashes, tokens, secrets, private keys, one-time codes.
///
/// A guess by name and type. In the tables by which users sign in, it is known.
enum SecretColumns {
    /// Whether the name and the type of a column say that it holds a secret.
    static func isOne(_ column: SchemaColumn) -> Bool {
        switch column.kind {
        case .boolean, .timestamp: false
        case .integer, .number: SecretName.isNumber(column.name)
        case .array where isOfNumbers(column.type): SecretName.isNumber(column.name)
        case .text, .uuid, .json, .bytes, .array, .other: SecretName.isOne(column.name)
        }
    }

    /// PostgreSQL writes an array by its elements: `integer[]`, `numeric(6,0)[]`.
    private static func isOfNumbers(_ type: String) -> Bool {
        ["smallint", "integer", "bigint", "numeric", "real", "double precision"].contains { type.hasPrefix($0) }
    }

    /// Whether a column of a table by which users sign in is left out of exports unless the plan says otherwise.
    static func isKept(_ column: SchemaColumn, in table: TableName) -> Bool {
        guard AccountTables.names.contains(table) else { return false }
        let words = NameWords.of(column.name)
        return isOne(column) || words.last == "hash" || words.first == "sealed"
    }
}
