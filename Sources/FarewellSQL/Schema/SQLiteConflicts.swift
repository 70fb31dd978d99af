// SPDX-License-Identifier: Apache-2.0

/// The conflict clauses of a table (`ON CONFLICT REPLACE`), which no pragma of SQLite reports, read from its CREATE
/// TABLE statement (https://www.sqlite.org/lang_createtable.html).
///
/// SQLite reads and ignores the clauses of CHECK and of NULL, and knows none of foreign keys.
struct SQLiteConflicts {
    /// A unique key, the primary one included, by its columns as they are written, folded.
    private(set) var keys: [[String]: ConflictAction] = [:]
    /// The columns that may not be null, folded.
    private(set) var nulls: [String: ConflictAction] = [:]

    private typealias Token = SQLiteText.Token

    init(createTable statement: String) {
        let tokens = SQLiteText(statement).tokens(atMost: .max)
        guard let open = tokens.firstIndex(where: { $0.is("(") }) else { return }
        for part in Self.parts(tokens, from: open + 1) { read(part) }
    }

    /// The parts of the list in parentheses, separated by commas outside of inner parentheses.
    private static func parts(_ tokens: [Token], from start: Int) -> [ArraySlice<Token>] {
        var parts: [ArraySlice<Token>] = []
        var depth = 0
        var begin = start
        for place in start..<max(start, tokens.count) {
            if tokens[place].is("(") { depth += 1 }
            if tokens[place].is(")") { depth -= 1 }
            guard depth < 0 || depth == 0 && tokens[place].is(",") else { continue }
            parts.append(tokens[begin..<place])
            begin = place + 1
            if depth < 0 { break }
        }
        return parts
    }

    private mutating func read(_ part: ArraySlice<Token>) {
        guard let first = part.first else { return }
        let isOfTable = ["constraint", "primary", "unique", "check", "foreign"].contains { first.is($0) }
        let column = isOfTable ? nil : SQLiteCatalog.folded(first.text)
        // A column's name may itself be any word, and so may a constraint's.
        var rest = isOfTable ? part : part.dropFirst()
        while let token = rest.popFirst() {
            if token.is("constraint") {
                rest = rest.dropFirst()
            } else if token.is("(") {
                rest = Self.past(rest)
            } else if token.is("not"), rest.first?.is("null") == true {
                rest = rest.dropFirst()
                if let column, let action = Self.action(&rest) { nulls[column] = action }
            } else if token.is("unique") {
                readKey(&rest, of: column)
            } else if token.is("primary"), rest.first?.is("key") == true {
                rest = rest.dropFirst()
                readKey(&rest, of: column)
            }
        }
    }

    private mutating func readKey(_ rest: inout ArraySlice<Token>, of column: String?) {
        var columns = column.map { [$0] } ?? []
        if column == nil, rest.first?.is("(") == true {
            let end = Self.past(rest.dropFirst())
            columns = Self.columns(rest.dropFirst().prefix(upTo: end.startIndex).dropLast())
            rest = end
        } else if rest.first?.is("asc") == true || rest.first?.is("desc") == true {
            rest = rest.dropFirst()
        }
        if let action = Self.action(&rest) { keys[columns] = action }
    }

    /// Skips `ON CONFLICT action` if it is next.
    private static func action(_ rest: inout ArraySlice<Token>) -> ConflictAction? {
        guard rest.first?.is("on") == true, rest.dropFirst().first?.is("conflict") == true,
            let word = rest.dropFirst(2).first, !word.isQuoted
        else { return nil }
        rest = rest.dropFirst(3)
        return ConflictAction(rawValue: SQLiteCatalog.folded(word.text))
    }

    /// The tokens after the parenthesis that closes the one before `rest`.
    private static func past(_ rest: ArraySlice<Token>) -> ArraySlice<Token> {
        var depth = 1
        for place in rest.indices {
            if rest[place].is("(") { depth += 1 }
            if rest[place].is(")") { depth -= 1 }
            if depth == 0 { return rest[(place + 1)...] }
        }
        return rest[rest.endIndex...]
    }

    /// The names of a key's list, each without its collation and order.
    private static func columns(_ list: ArraySlice<Token>) -> [String] {
        list.split { $0.is(",") }.map { part in part.first.map { SQLiteCatalog.folded($0.text) } ?? "" }
    }
}
