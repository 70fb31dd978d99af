// SPDX-License-Identifier: Apache-2.0
import GRDB
import GRDBSQLite

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
            let row = indices.map { index in
                Self.text(stepped, index)
                    ?? SQLiteValue.decode(DatabaseValue(sqliteStatement: stepped, index: index))
            }
            size += row.reduce(0) { $0 + $1.size }
            rows.append(row)
            guard rows.count == FetchSize.most || size >= 1 << 20 else { continue }
            try body(rows)
            (rows, size) = ([], 0)
        }
        if !rows.isEmpty { try body(rows) }
    }

    /// A text with all its bytes, also those behind a zero byte, where C's texts end; `nil` for any other value.
    private static func text(_ statement: SQLiteStatement, _ index: CInt) -> SQLValue? {
        guard sqlite3_column_type(statement, index) == SQLITE_TEXT,
            let start = sqlite3_column_text(statement, index)
        else { return nil }
        let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, index)))
        return .text(String(decoding: bytes, as: UTF8.self))
    }
}
