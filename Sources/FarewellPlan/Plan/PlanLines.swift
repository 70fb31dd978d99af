// SPDX-License-Identifier: Apache-2.0
import Farewell
internal import Yams

/// The lines of a plan file at which its tables, columns and questions begin, counted from 1.
package struct PlanLines: Sendable {
    private struct Question: Sendable {
        let table: TableName
        let columns: [String]
        let line: Int
    }

    private var tables: [TableName: Int] = [:]
    private var columns: [TableName: [(name: String, line: Int)]] = [:]
    private var questions: [Question] = []
    private var section = 1
    private var fingerprint = 1

    /// - Parameter text: A plan file that `PlanFile.read` accepts. Of any other text every line is 1.
    package init(_ text: String) {
        guard let root = (try? Yams.compose(yaml: YAMLMarks.divided(text).rest))?.mapping else { return }
        for (key, value) in root {
            switch key.scalar?.string {
            case "schema": fingerprint = Self.line(key)
            case "tables":
                section = Self.line(key)
                for (name, entry) in value.mapping ?? [:] { read(entry, of: name) }
            case "questions":
                for entry in value.sequence ?? [] { read(entry) }
            default: continue
            }
        }
    }

    /// The line at which a finding is corrected: that of its question, column or table, otherwise `tables:`; for a
    /// mismatch of the fingerprint, the line `schema:`.
    package func line(of finding: Finding) -> Int {
        guard let table = finding.table else { return finding.code.rawValue.hasPrefix("schema.") ? fingerprint : 1 }
        if finding.code.rawValue.hasPrefix("question.") {
            let asked = questions.filter { $0.table == table }
            let line = asked.first { question in
                finding.column == question.columns.joined(separator: ", ")
                    || question.columns.contains { $0 == finding.column }
            }
            if let line = (line ?? asked.first)?.line { return line }
        }
        let column = columns[table]?.first { $0.name.utf8.elementsEqual((finding.column ?? "").utf8) }
        return column?.line ?? tables[table] ?? section
    }

    private mutating func read(_ entry: Node, of key: Node) {
        guard let name = key.scalar.flatMap({ TableName(parsing: $0.string) }) else { return }
        tables[name] = Self.line(key)
        for (part, value) in entry.mapping ?? [:] where part.scalar?.string == "columns" {
            let named = value.mapping.map { $0.map(\.key) } ?? value.sequence.map(Array.init) ?? []
            columns[name] = named.compactMap { node in
                let column = node.mapping?.first?.key ?? node
                return column.scalar.map { (name: NameSpelling.typed($0.string), line: Self.line(column)) }
            }
        }
    }

    private mutating func read(_ entry: Node) {
        var table: TableName?
        var names: [String] = []
        for (key, value) in entry.mapping ?? [:] {
            switch key.scalar?.string {
            case "table": table = value.scalar.flatMap { TableName(parsing: $0.string) }
            case "column":
                let texts = value.sequence?.compactMap { $0.scalar?.string } ?? [value.scalar?.string ?? ""]
                names = texts.map(NameSpelling.typed)
            default: continue
            }
        }
        guard let table else { return }
        questions.append(Question(table: table, columns: names, line: Self.line(entry)))
    }

    private static func line(_ node: Node) -> Int { node.mark?.line ?? 1 }
}
