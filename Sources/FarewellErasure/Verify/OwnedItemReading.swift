// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

/// Reads, at each call, which items of a system the app's database lists as the subject's.
struct OwnedItemReading: Sendable {
    let database: any SQLDatabase
    let owned: OwnedItems
    /// How many names one statement answers.
    private static let page: Int64 = 5_000

    /// In the order of their names as the database compares them.
    ///
    /// - Parameter key: The subject's key as text; a UUID is found in either letter case.
    func names(of key: String) async throws -> [String] {
        try await database.withConnection { connection in
            var all: [String] = []
            while true {
                let result = try await connection.run(statement(key, after: all.last))
                let page = result.rows.compactMap { $0.first?.text }
                all += page
                guard result.rows.count == Self.page, !page.isEmpty else { return all }
            }
        }
    }

    private func statement(_ key: String, after last: String?) -> SQLStatement {
        let dialect = database.dialect
        var values: [SQLValue] = []
        func parameter(_ value: SQLValue) -> String {
            values.append(value)
            return "$\(values.count)"
        }
        func isAmong(_ column: String, _ texts: [String]) -> String {
            let list = texts.map { parameter(.text($0)) }.joined(separator: ", ")
            return "CAST(\(dialect.quoted(column)) AS text) IN (\(list))"
        }
        let table = dialect.qualified(owned.column.table)
        let name = "CAST(\(dialect.quoted(owned.column.column)) AS text) COLLATE \(dialect.exactCollation)"
        var spellings = [key]
        if let uuid = UUIDSpelling(key) { spellings += [uuid.lower, uuid.upper] }
        let owners = owned.owners.map { isAmong($0, spellings) }.joined(separator: " OR ")
        var conditions = ["(\(owners))", "\(dialect.quoted(owned.column.column)) IS NOT NULL"]
        conditions += owned.condition.parts.map { isAmong($0.column, $0.values) }
        if let last { conditions.append("\(name) > \(parameter(.text(last)))") }
        return SQLStatement(
            "SELECT DISTINCT \(name) AS name FROM \(table) WHERE \(conditions.joined(separator: " AND ")) "
                + "ORDER BY 1 LIMIT \(Self.page)", values)
    }
}

/// The two ways in which a UUID is written in text.
private struct UUIDSpelling {
    let lower: String
    let upper: String

    init?(_ text: String) {
        guard text.utf8.count == 36, text.utf8.allSatisfy({ $0 < 128 }),
            text.split(separator: "-", omittingEmptySubsequences: false).map(\.count) == [8, 4, 4, 4, 12],
            text.allSatisfy({ $0 == "-" || $0.isHexDigit })
        else { return nil }
        lower = text.lowercased()
        upper = text.uppercased()
    }
}
