// SPDX-License-Identifier: Apache-2.0

/// An expression over a table's columns that SQLite keeps in the text of a CREATE statement, and reports by no pragma.
package struct SQLiteExpression: Sendable, Hashable {
    /// The name of its constraint, if it has one.
    package let name: String?
    /// Its text, without parentheses around it.
    package let text: String
    /// The words that may be names of columns, folded.
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
            let bytes = tokens[place + 1].bytes.upperBound..<tokens[close].bytes.lowerBound
            checks.append(SQLiteExpression(name, text.text(bytes), tokens[(place + 1)...close]))
            place = close
        }
        return checks
    }

    /// The expressions from which a table's columns are generated (`AS (…)`), by the folded names of these columns.
    package static func generations(in statement: String) -> [String: SQLiteExpression] {
        let text = SQLiteText(statement)
        let tokens = text.tokens(atMost: .max)
        guard let open = tokens.firstIndex(where: { $0.is("(") }) else { return [:] }
        var found: [String: SQLiteExpression] = [:]
        var (name, place) = (open + 1, open + 1)
        while place + 1 < tokens.count, !tokens[place].is(")") {
            if tokens[place].is("(") {
                guard let close = closing(tokens, after: place) else { break }
                place = close
            } else if tokens[place].is(",") {
                name = place + 1
            } else if place > name, tokens[place].is("as"), let close = closing(tokens, after: place + 1) {
                let bytes = tokens[place + 1].bytes.upperBound..<tokens[close].bytes.lowerBound
                let expression = SQLiteExpression(nil, text.text(bytes), tokens[(place + 1)...close])
                found[SQLiteCatalog.folded(tokens[name].text)] = expression
                place = close
            }
            place += 1
        }
        return found
    }

    /// The list of an index, from `CREATE … INDEX … ON table (…)`. The order of each part is left out, because it does
    /// not change the indexed values.
    package static func key(ofIndex statement: String) -> SQLiteExpression? {
        let text = SQLiteText(statement)
        let tokens = text.tokens(atMost: .max)
        guard let (open, close) = list(in: tokens) else { return nil }
        let ends = orders(in: tokens, open, close)
        var parts = ""
        var start = tokens[open].bytes.upperBound
        for place in ends {
            parts += text.text(start..<tokens[place].bytes.lowerBound)
            start = tokens[place].bytes.upperBound
        }
        parts += text.text(start..<tokens[close].bytes.lowerBound)
        return SQLiteExpression(nil, parts, (open...close).filter { !ends.contains($0) }.map { tokens[$0] })
    }

    /// Which rows an index covers: `… WHERE …`; `nil` if it covers all.
    package static func condition(ofIndex statement: String) -> SQLiteExpression? {
        let text = SQLiteText(statement)
        let tokens = text.tokens(atMost: .max)
        guard let (_, close) = list(in: tokens), tokens.count > close + 2, tokens[close + 1].is("where") else {
            return nil
        }
        let condition = tokens[(close + 2)...]
        let bytes = tokens[close + 2].bytes.lowerBound..<tokens[tokens.count - 1].bytes.upperBound
        return SQLiteExpression(nil, text.text(bytes), condition)
    }

    private init(_ name: String?, _ text: String, _ tokens: some Sequence<SQLiteText.Token>) {
        self.name = name
        self.text = text
        words = Set(tokens.map { SQLiteCatalog.folded($0.text) })
    }

    /// Whether it may be about this column. A text that reads like a column's name counts as one.
    package func mentions(_ column: String) -> Bool { words.contains(SQLiteCatalog.folded(column)) }

    /// The parentheses around an index's list.
    private static func list(in tokens: [SQLiteText.Token]) -> (open: Int, close: Int)? {
        // The name may itself be written like a word, but not between the word and the parenthesis.
        guard let open = tokens.indices.first(where: { $0 > 1 && tokens[$0].is("(") && tokens[$0 - 2].is("on") }),
            let close = closing(tokens, after: open)
        else { return nil }
        return (open, close)
    }

    /// The positions of `ASC` and `DESC` at the ends of a list's parts. A column of that name is no order.
    private static func orders(in tokens: [SQLiteText.Token], _ open: Int, _ close: Int) -> [Int] {
        (open..<close).filter { place in
            guard tokens[place].is("asc") || tokens[place].is("desc") else { return false }
            let begins = tokens[place - 1].is("(") || tokens[place - 1].is(",")
            return !begins && (place + 1 == close || tokens[place + 1].is(","))
        }
    }

    /// The parenthesis that closes the one at `open`; `nil` if there is none.
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
