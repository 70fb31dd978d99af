// SPDX-License-Identifier: Apache-2.0

/// A condition that a table of SQLite holds its rows to (`CHECK`), for which there is no pragma.
package struct SQLiteCheck: Sendable, Hashable {
    /// Its name, where it has one.
    package let name: String?
    /// What stands between its parentheses.
    package let expression: String
    /// Whatever in the expression may be the name of a column, folded.
    private let words: Set<String>

    /// The checks of a table, in their order, as its CREATE statement tells them.
    package static func all(in statement: String) -> [SQLiteCheck] {
        let text = SQLiteText(statement)
        let tokens = text.tokens(atMost: .max)
        var checks: [SQLiteCheck] = []
        var place = 0
        while place + 1 < tokens.count {
            defer { place += 1 }
            guard tokens[place].is("check"), tokens[place + 1].is("("),
                let close = closing(tokens, after: place + 1)
            else { continue }
            let isNamed = place > 1 && tokens[place - 2].is("constraint")
            checks.append(
                SQLiteCheck(
                    name: isNamed ? tokens[place - 1].text : nil,
                    expression: text.text(tokens[place + 1].bytes.upperBound..<tokens[close].bytes.lowerBound),
                    words: Set(tokens[(place + 2)..<close].map { SQLiteCatalog.folded($0.text) })))
            place = close
        }
        return checks
    }

    /// Whether it may be about this column. A text that reads like a column's name counts as one.
    package func mentions(_ column: String) -> Bool { words.contains(SQLiteCatalog.folded(column)) }

    /// The parenthesis that closes the one at `open`.
    private static func closing(_ tokens: [SQLiteText.Token], after open: Int) -> Int? {
        var depth = 0
        for place in open..<tokens.count {
            if tokens[place].is("(") { depth += 1 }
            if tokens[place].is(")") { depth -= 1 }
            if depth == 0 { return place }
        }
        return nil
    }
}
