// SPDX-License-Identifier: Apache-2.0

/// An expression over a table's columns that SQLite keeps in the text of a CREATE statement, and tells by no pragma.
package struct SQLiteExpression: Sendable, Hashable {
    /// What its constraint is called, where it is called something.
    package let name: String?
    /// What stands between its parentheses.
    package let text: String
    /// Whatever in it may be the name of a column, folded.
    private let words: Set<String>

    /// The conditions that a table holds its rows to (`CHECK`), in their order.
    package static func checks(in statement: String) -> [SQLiteExpression] {
        let text = SQLiteText(statement)
        let tokens = text.tokens(atMost: .max)
        var checks: [SQLiteExpression] = []
        var place = 0
        while place + 1 < tokens.count {
            defer { place += 1 }
            guard tokens[place].is("check"), let close = closing(tokens, after: place + 1) else { continue }
            let isNamed = place > 1 && tokens[place - 2].is("constraint")
            let name = isNamed ? tokens[place - 1].text : nil
            checks.append(SQLiteExpression(name, text, tokens[(place + 1)...close]))
            place = close
        }
        return checks
    }

    /// What an index is over, as a list: `CREATE … INDEX … ON table (…)`.
    package static func key(ofIndex statement: String) -> SQLiteExpression? {
        let text = SQLiteText(statement)
        let tokens = text.tokens(atMost: .max)
        // The name may itself be written like a word, but not between the word and the parenthesis.
        guard let open = tokens.indices.first(where: { $0 > 1 && tokens[$0].is("(") && tokens[$0 - 2].is("on") }),
            let close = closing(tokens, after: open)
        else { return nil }
        return SQLiteExpression(nil, text, tokens[open...close])
    }

    /// - Parameter tokens: With the parentheses.
    private init(_ name: String?, _ text: SQLiteText, _ tokens: ArraySlice<SQLiteText.Token>) {
        let inner = tokens.dropFirst().dropLast()
        let start = tokens.first?.bytes.upperBound ?? 0
        self.name = name
        self.text = text.text(start..<max(start, tokens.last?.bytes.lowerBound ?? 0))
        words = Set(inner.map { SQLiteCatalog.folded($0.text) })
    }

    /// Whether it may be about this column. A text that reads like a column's name counts as one.
    package func mentions(_ column: String) -> Bool { words.contains(SQLiteCatalog.folded(column)) }

    /// The parenthesis that closes the one at `open`; `nil` where there is none.
    private static func closing(_ tokens: [SQLiteText.Token], after open: Int) -> Int? {
        guard tokens[open].is("(") else { return nil }
        var depth = 0
        for place in open..<tokens.count {
            if tokens[place].is("(") { depth += 1 }
            if tokens[place].is(")") { depth -= 1 }
            if depth == 0 { return place }
        }
        return nil
    }
}
