// SPDX-License-Identifier: Apache-2.0
import GRDB

extension SQLiteConnection {
    /// The rows of a query in pieces, while SQLite steps through them.
    func read(_ query: SQLStatement, _ db: Database, _ body: ([[SQLValue]]) throws -> Void) throws {
        let prepared = try db.makeStatement(sql: NumberedParameters.sqlite(query.text))
        let arguments: [(any DatabaseValueConvertible)?] = try query.parameters.map(SQLiteValue.encode)
        let cursor = try DatabaseValue.fetchCursor(prepared, arguments: StatementArguments(arguments))
        let indices = 0..<CInt(prepared.columnNames.count)
        var (rows, size): ([[SQLValue]], Int) = ([], 0)
        while try cursor.next() != nil {
            let stepped = prepared.sqliteStatement
            let row = indices.map { SQLiteValue.decode(DatabaseValue(sqliteStatement: stepped, index: $0)) }
            size += row.reduce(0) { $0 + $1.size }
            rows.append(row)
            guard rows.count == SQLPiece.most || size >= 1 << 20 else { continue }
            try body(rows)
            (rows, size) = ([], 0)
        }
        if !rows.isEmpty { try body(rows) }
    }
}
