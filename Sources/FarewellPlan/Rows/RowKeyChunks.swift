// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Changes a large number of rows in the order of their primary key, in chunks.
///
/// Its progress is the last key of a chunk, stored in the transaction that changes it. So each row is changed once,
/// despite interruptions; only a parked erasure that is released under another plan starts again.
package struct RowKeyChunks: Sendable {
    let dialect: SQLDialect
    /// The key's columns in the key's order.
    let key: [String]
    let types: [String]
    /// The keys of all rows, as `k0`, `k1`, …
    let rows: RowStatement
    let change: RowStatement

    /// Asks for the last key of the next piece, of at most `size` rows behind `last`; no row if none is left.
    package func end(of size: Int, after last: [SQLValue]?, _ values: RowValues) -> SQLStatement {
        var statement = rows.bound(values, dialect: dialect)
        if let last { limit(&statement, to: ">", last) }
        let names = key.indices.map { dialect.cast("k.k\($0)", as: "text") }
        let backwards = key.indices.map { "k.k\($0) DESC" }.joined(separator: ", ")
        statement.text =
            "SELECT \(names.joined(separator: ", ")) FROM (\(statement.text) "
            + "ORDER BY \(key.joined(separator: ", ")) LIMIT \(size)) AS k ORDER BY \(backwards) LIMIT 1"
        return statement
    }

    /// Changes the rows behind `last`, up to and with `end`.
    package func piece(after last: [SQLValue]?, upTo end: [SQLValue], _ values: RowValues) -> SQLStatement {
        var statement = change.bound(values, dialect: dialect)
        if let last { limit(&statement, to: ">", last) }
        limit(&statement, to: "<=", end)
        return statement
    }

    private func limit(_ statement: inout SQLStatement, to comparison: String, _ values: [SQLValue]) {
        let first = statement.parameters.count + 1
        let bounds = types.enumerated().map { position, type in
            dialect.castText("$\(first + position)", as: type)
        }
        statement.text += " AND \(tuple(key)) \(comparison) \(tuple(bounds))"
        statement.parameters += values
    }

    private func tuple(_ parts: [String]) -> String {
        parts.count == 1 ? parts[0] : "(\(parts.joined(separator: ", ")))"
    }
}
