// SPDX-License-Identifier: Apache-2.0
import CLibPQ

/// Rows of values that the database has written as text, as the bytes that it sent: no value is copied.
package struct TextRows: Sendable {
    package let count: Int
    private let result: ServerResult?

    init(_ result: ServerResult?) {
        self.result = result
        count = result.map { Int(PQntuples($0.pointer)) } ?? 0
    }

    /// About how many bytes they take.
    var size: Int { result.map { Int(PQresultMemorySize($0.pointer)) } ?? 0 }

    /// Hands out the values of all rows, one after the other and row by row; `nil` for null.
    ///
    /// - Parameter body: May not keep the bytes. They are UTF-8 only if the database checks its texts.
    package func forEach(_ body: (_ row: Int, _ column: Int, _ value: UnsafeBufferPointer<UInt8>?) -> Void) {
        guard let result else { return }
        withExtendedLifetime(result) {
            let pointer = result.pointer
            let width = PQnfields(pointer)
            for row in 0..<Int32(count) {
                for column in 0..<width {
                    guard PQgetisnull(pointer, row, column) == 0, let start = PQgetvalue(pointer, row, column) else {
                        body(Int(row), Int(column), nil)
                        continue
                    }
                    let length = Int(PQgetlength(pointer, row, column))
                    start.withMemoryRebound(to: UInt8.self, capacity: length) {
                        body(Int(row), Int(column), UnsafeBufferPointer(start: $0, count: length))
                    }
                }
            }
        }
    }
}

extension TextReading {
    /// Like `read`, of values as the server writes them. The server reads the next piece while `body` works.
    package func readTexts(_ query: SQLStatement, _ body: @Sendable (TextRows) throws -> Void) async throws {
        try await run(SQLStatement("DECLARE farewell_rows NO SCROLL CURSOR FOR \(query.text)", query.parameters))
        var fetchSize = FetchSize()
        var rows = try await texts(fetchSize.fetch) {}
        while rows.count > 0 {
            let read = rows
            fetchSize.follow(read.count, size: read.size)
            rows = try await texts(fetchSize.fetch) { try body(read) }
        }
        try await run("CLOSE farewell_rows")
    }
}

extension FetchSize {
    fileprivate var fetch: SQLStatement { SQLStatement("FETCH \(rows) FROM farewell_rows") }
}
