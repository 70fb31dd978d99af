// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

/// The search of one table: the database counts the values that may hold a name, and those are read and compared.
struct TableSearch: Sendable {
    let table: SchemaTable
    let columns: [SearchedColumn]
    let match: NameMatch
    let statements: SearchStatements

    /// The findings.
    struct Found: Sendable {
        var columns = 0
        var rows = 0
        var values: [SearchFindings.Place: Int] = [:]
        /// Why, by column.
        var notSearched: [String: String] = [:]
        var isComplete = true

        mutating func add(_ verdicts: [Int: NameMatch.Verdict], _ count: Int, _ column: SearchedColumn) {
            guard !verdicts.isEmpty else { return }
            values[SearchFindings.Place(column: column.place, verdicts: verdicts), default: 0] += count
        }

        mutating func limit(_ column: SearchedColumn, _ reason: String) {
            notSearched[column.place] = reason
            isComplete = false
        }
    }

    func run(on connection: any SQLConnection) async throws -> Found {
        let searched = columns.map { ($0, statements.ways(of: $0)) }.filter { !$0.1.isEmpty }
        let ways = searched.flatMap { column, ways in ways.map { (column: column, way: $0) } }
        var found = Found()
        guard !ways.isEmpty else { return found }
        let counts = try await connection.run(statements.counting(ways)).rows.first ?? []
        found.columns = searched.count
        found.rows = Int(counts.first?.integer ?? 0)
        if case .bounded(let bound) = statements.extent, found.rows >= bound { found.isComplete = false }
        for ((column, way), count) in zip(ways, counts.dropFirst()) {
            guard let count = count.integer, count > 0 else { continue }
            switch way {
            case .text: try await compare(column, Int(count), &found, on: connection)
            case .number, .bytes:
                for row in try await connection.run(statements.grouping(column, way)).rows {
                    add(row, column, way, &found)
                }
            }
        }
        return found
    }

    private func compare(
        _ column: SearchedColumn, _ count: Int, _ found: inout Found, on connection: any SQLConnection
    ) async throws {
        let rows = try await connection.run(try statements.reading(column)).rows
        let names = statements.names(in: column)
        var bytes = 0
        var long = 0
        for row in rows {
            guard let value = row[0].text else {
                long += 1
                continue
            }
            bytes += value.utf8.count
            guard !isWritten(value, row[1], column) else { continue }
            let text = SearchedText(value)
            let verdicts = names.compactMap { place, name in
                match.verdict(on: name, in: text, of: column).map { (place, $0) }
            }
            found.add(Dictionary(verdicts) { first, _ in first }, 1, column)
        }
        let isCut =
            rows.count >= SearchStatements.mostValues
            || bytes > SearchStatements.mostBytes - SearchStatements.longestValue
        if rows.count < count, isCut {
            found.limit(column, "more values may hold an identifier than are compared: \(count)")
        } else if long > 0 {
            found.limit(column, "values that may hold an identifier are too long to compare: \(long)")
        }
    }

    /// Whether a value was written by the plan: it is the rule's own, or what the rule's expression makes of its row.
    private func isWritten(_ value: String, _ made: SQLValue, _ column: SearchedColumn) -> Bool {
        guard let written = column.written else { return false }
        return written.isWritten(value) || made.text.map { ExactText($0) == ExactText(value) } == true
    }

    /// Adds a value that is a name as a whole, and how often it is there.
    private func add(_ row: [SQLValue], _ column: SearchedColumn, _ way: SearchedColumn.Way, _ found: inout Found) {
        guard let value = row[0].text, let count = row[1].integer, column.written?.isWritten(value) != true else {
            return
        }
        let number = Self.whole(value)
        let verdicts = statements.names(in: column).compactMap { place, name -> (Int, NameMatch.Verdict)? in
            switch way {
            case .bytes: name.bytes.contains(value) ? (place, name.verdict(in: column)) : nil
            default: name.number == number ? (place, column.namesSubject && name.isKey ? .left : .similar) : nil
            }
        }
        found.add(Dictionary(verdicts) { first, _ in first }, Int(count), column)
    }

    /// `42.00` as `42`.
    private static func whole(_ number: String) -> String {
        guard let point = number.utf8.firstIndex(of: UInt8(ascii: ".")) else { return number }
        let rest = number.utf8[number.utf8.index(after: point)...]
        return rest.allSatisfy { $0 == UInt8(ascii: "0") } ? String(number[..<point]) : number
    }
}
