// SPDX-License-Identifier: Apache-2.0

extension SQLConnection {
    /// By a cursor of the server where there is one; of any other database all rows at once.
    public func read(_ query: SQLStatement, _ body: @escaping @Sendable ([[SQLValue]]) throws -> Void) async throws {
        guard dialect.hasCursors else { return try body(try await run(query).rows) }
        try await run(SQLStatement("DECLARE farewell_rows NO SCROLL CURSOR FOR \(query.text)", query.parameters))
        var fetchSize = FetchSize()
        while true {
            let rows = try await run(SQLStatement("FETCH \(fetchSize.rows) FROM farewell_rows")).rows
            guard !rows.isEmpty else { break }
            try body(rows)
            fetchSize.follow(rows)
        }
        try await run("CLOSE farewell_rows")
    }
}

/// How many rows are fetched at once: about four megabytes, judged by the size of the last rows. Powers of two only,
/// because each number is a statement of its own.
struct FetchSize {
    private(set) var rows = 16
    private static let bytes = 4 << 20
    static let most = 1_024

    mutating func follow(_ read: [[SQLValue]]) {
        follow(read.count, size: read.reduce(0) { $0 + $1.reduce(0) { $0 + $1.size } })
    }

    mutating func follow(_ count: Int, size: Int) {
        let wanted = min(Self.most, max(1, Self.bytes / max(1, size / max(1, count))))
        // A quarter more each time: rows may grow.
        rows = min(rows * 4, 1 << (Int.bitWidth - 1 - wanted.leadingZeroBitCount))
    }
}

extension SQLValue {
    /// About how many bytes it takes.
    var size: Int {
        switch self {
        case .text(let text), .numeric(let text), .json(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        case .array(let values): values.reduce(0) { $0 + $1.size }
        default: 8
        }
    }
}
