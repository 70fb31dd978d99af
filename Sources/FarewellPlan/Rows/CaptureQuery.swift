// SPDX-License-Identifier: Apache-2.0

import FarewellSQL

/// One query for the keys of some nodes' rows.
///
/// Captures with the same selections are one query, because a database makes each selection of a statement once: rows
/// of tables that lead to each other are found once, and not once for each of these tables.
package struct CaptureQuery: Sendable {
    /// SQLite: how many captures one query has at most. Each copies the selections in memory.
    private static let mostCopies = 50

    package let captures: [RowProgram.Capture]
    package let statement: RowStatement
    /// For each capture the places of its values among those of an answer's row; `nil` if there is one capture, whose
    /// answer this is.
    private let places: [[Int]]?

    /// The queries of some captures.
    static func all(_ captures: [RowProgram.Capture], in graph: RowGraph) -> [CaptureQuery] {
        var groups: [[RowProgram.Capture]] = []
        var known: [RowStatement: Int] = [:]
        for capture in captures {
            let statement = capture.statement
            guard !graph.isDistributed, capture.types != nil, !statement.selections.isEmpty else {
                groups.append([capture])
                continue
            }
            let beginning = RowStatement(statement.selections, text: "", slots: statement.slots)
            if let group = known[beginning], !isFull(groups[group], in: graph) {
                groups[group].append(capture)
            } else {
                known[beginning] = groups.count
                groups.append([capture])
            }
        }
        let build = RowStatementBuilder(dialect: graph.dialect)
        return groups.map { CaptureQuery($0, build) }
    }

    private static func isFull(_ captures: [RowProgram.Capture], in graph: RowGraph) -> Bool {
        graph.dialect.copiesSelections && captures.count >= mostCopies
    }

    /// - Parameter captures: At least one; with the same selections and parameters.
    private init(_ captures: [RowProgram.Capture], _ build: RowStatementBuilder) {
        self.captures = captures
        let first = captures[0].statement
        guard captures.count > 1 else {
            statement = first
            places = nil
            return
        }
        var columns: [String] = []
        let taking = captures.map { capture -> [Int] in
            var taken: [Int] = []
            for type in capture.types ?? [] {
                let free = columns.indices.first { columns[$0] == type && !taken.contains($0) }
                if free == nil { columns.append(type) }
                taken.append(free ?? columns.count - 1)
            }
            return taken
        }
        let parts = captures.enumerated().map { number, capture -> String in
            guard build.dialect.hasColumnTypes else {
                // SQLite names no columns behind `AS`; its values stand in the order of the capture's own answer.
                let rest = String(repeating: ", NULL", count: columns.count - taking[number].count)
                return "SELECT \(number), k.*\(rest) FROM (\(capture.statement.rest)) AS k"
            }
            let values = columns.enumerated().map { place, type in
                taking[number].firstIndex(of: place).map { "k.v\($0)" } ?? build.dialect.typed("NULL", type)
            }
            let names = ["subject"] + taking[number].indices.map { "v\($0)" }
            return "SELECT \(number), k.subject, \(values.joined(separator: ", ")) FROM (\(capture.statement.rest)) "
                + "AS k (\(names.joined(separator: ", ")))"
        }
        statement = RowStatement(first.selections, text: build.union(parts), slots: first.slots)
        places = taking
    }

    /// The answers of the captures' own statements, from that of the query.
    package func answers(in result: SQLResult) -> [SQLResult] {
        guard let places else { return [result] }
        var answers = [SQLResult](repeating: SQLResult(), count: captures.count)
        for row in result.rows {
            guard let number = row[0].integer.map({ Int($0) }), answers.indices.contains(number) else { continue }
            answers[number].rows.append([row[1]] + places[number].map { row[$0 + 2] })
        }
        return answers
    }
}
