// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Asks the database whether a table has a row with some values. Reads nothing else of any row.
struct RowPresence {
    let dialect: SQLDialect

    enum Answer {
        case found, missing
        /// The role lacks a right.
        case forbidden
    }

    /// - Throws: Errors of the database, except a missing right.
    func answer(
        _ values: [(column: SchemaColumn, text: String)], in table: SchemaTable, on connection: any SQLConnection
    ) async throws -> Answer {
        // A refused statement would end a transaction.
        guard !table.missingRights.contains("usage") else { return .forbidden }
        let conditions = values.enumerated().map { place, value in
            let parameter = dialect.castText("$\(place + 1)", as: value.column.qualifiedType)
            return "\(dialect.quoted(value.column.name)) = \(parameter)"
        }
        let statement = SQLStatement(
            "SELECT count(*) FROM (SELECT 1 FROM \(dialect.qualified(table.name)) "
                + "WHERE \(conditions.joined(separator: " AND ")) LIMIT 1) AS found", values.map { .text($0.text) })
        do {
            return try await connection.run(statement).scalar?.integer == 0 ? .missing : .found
        } catch let error as FarewellError where error.code == "sql.42501" {
            return .forbidden
        }
    }
}
