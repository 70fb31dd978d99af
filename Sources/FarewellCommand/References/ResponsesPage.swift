// SPDX-License-Identifier: Apache-2.0

import FarewellConnectors

/// `docs/systems/responses.md`: what connectors make of responses, from the tables by which they decide.
enum ResponsesPage {
    static var lines: [String] {
        introduction + ResponseTable.all.flatMap { ["", "## \($0.kind)", ""] + table(of: $0).lines }
    }

    private static let introduction = [
        "# How connectors read responses", "",
        "Each connector decides by its table: the first line that fits counts. If no line fits, the table of HTTP at",
        "the end decides. The text of a vendor's error is only searched for known words: it may name a person.",
    ]

    private static func table(of table: ResponseTable) -> MarkdownTable {
        MarkdownTable(
            ["response", "outcome", "source"],
            rows: table.lines.map { [$0.response, $0.outcome.words, "[page](\($0.source))"] })
    }
}
