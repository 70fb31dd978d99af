// SPDX-License-Identifier: Apache-2.0

/// A table in Markdown.
struct MarkdownTable {
    let headings: [String]
    let rows: [[String]]

    init(_ headings: [String], rows: [[String]]) {
        self.headings = headings
        self.rows = rows
    }

    /// The lines of the table; none without rows.
    var lines: [String] {
        guard !rows.isEmpty else { return [] }
        return [line(headings), "|" + headings.map { _ in "---|" }.joined()] + rows.map(line)
    }

    private func line(_ cells: [String]) -> String {
        "| " + cells.map { $0.replacing("|", with: "\\|").replacing("\n", with: " ") }.joined(separator: " | ") + " |"
    }
}

extension String {
    /// The text as code in Markdown; an empty one stays empty.
    var asCode: String { isEmpty ? "" : "`\(self)`" }
}
