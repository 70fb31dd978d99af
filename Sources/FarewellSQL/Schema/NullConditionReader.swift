// SPDX-License-Identifier: Apache-2.0

/// Reads a condition about which columns are null, as the catalogs of both databases write it.
struct NullConditionReader {
    /// A column, or the first of several that is not null (`coalesce`), has no other use than a question for null.
    private enum Term {
        case columns([String])
        case value(NullExpression)
    }

    /// The text is in another form.
    private struct Unread: Error {}

    private static let longest = 2_000
    private static let deepest = 60

    private let tokens: [SQLiteText.Token]
    /// The columns by their folded names.
    private let columns: [String: String]
    private var place = 0
    private var depth = 0

    /// - Returns: `nil` for a condition about anything else.
    static func read(_ check: SchemaCheck) -> NullExpression? {
        guard let (tokens, named) = prepared(check) else { return nil }
        return read(tokens, named)
    }

    /// The parts of a condition that `AND` joins, without those about anything else.
    static func readParts(_ check: SchemaCheck) -> [NullExpression] {
        guard let (tokens, named) = prepared(check) else { return [] }
        return parts(tokens[...]).compactMap { read(Array($0), named) }
    }

    private static func read(_ tokens: [SQLiteText.Token], _ columns: [String: String]) -> NullExpression? {
        var reader = NullConditionReader(tokens, columns)
        guard let found = try? reader.whole() else { return nil }
        return found
    }

    /// The words of a condition, and its columns by their folded names.
    private static func prepared(_ check: SchemaCheck) -> (tokens: [SQLiteText.Token], columns: [String: String])? {
        // A domain's condition is about the value, whatever the column's name.
        let names =
            check.isOfDomain ? check.columns.map { _ in "value" } : check.columns.map { SQLiteCatalog.folded($0) }
        let named = Dictionary(zip(names, check.columns), uniquingKeysWith: { first, _ in first })
        let tokens = SQLiteText(check.condition).tokens(atMost: longest + 1)
        guard named.count == check.columns.count, tokens.count <= longest else { return nil }
        return (tokens, named)
    }

    private static func parts(_ tokens: ArraySlice<SQLiteText.Token>) -> [ArraySlice<SQLiteText.Token>] {
        var (depth, isEnclosed, joints) = (0, tokens.first?.is("(") == true, [Int]())
        for place in tokens.indices {
            let token = tokens[place]
            if token.is("(") { depth += 1 }
            if token.is(")") { depth -= 1 }
            guard depth == 0 else { continue }
            if place + 1 < tokens.endIndex { isEnclosed = false }
            if token.is("and") { joints.append(place) }
            // Their own `AND` joins no parts of the condition.
            if token.is("or") || token.is("between") || token.is("case") { return [tokens] }
        }
        if isEnclosed, depth == 0 { return parts(tokens.dropFirst().dropLast()) }
        guard !joints.isEmpty else { return [tokens] }
        let starts = [tokens.startIndex] + joints.map { $0 + 1 }
        return zip(starts, joints + [tokens.endIndex]).flatMap { parts(tokens[$0..<$1]) }
    }

    private init(_ tokens: [SQLiteText.Token], _ columns: [String: String]) {
        (self.tokens, self.columns) = (tokens, columns)
    }

    private mutating func whole() throws -> NullExpression {
        let found = try Self.value(either())
        guard place == tokens.count else { throw Unread() }
        return found
    }

    // MARK: Words

    private func next(_ words: String...) -> Bool {
        guard place + words.count <= tokens.count else { return false }
        return zip(tokens[place...], words).allSatisfy { $0.is($1) }
    }

    private mutating func take(_ words: String...) -> Bool {
        guard place + words.count <= tokens.count, zip(tokens[place...], words).allSatisfy({ $0.is($1) }) else {
            return false
        }
        place += words.count
        return true
    }

    private mutating func require(_ word: String) throws {
        guard take(word) else { throw Unread() }
    }

    private static func value(_ term: Term) throws -> NullExpression {
        guard case .value(let found) = term else { throw Unread() }
        return found
    }

    // MARK: Expressions

    private mutating func either() throws -> Term {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else { throw Unread() }
        let first = try both()
        guard next("or") else { return first }
        var parts = [try Self.value(first)]
        while take("or") { parts.append(try Self.value(both())) }
        return .value(.anyOf(parts))
    }

    private mutating func both() throws -> Term {
        let first = try negated()
        guard next("and") else { return first }
        var parts = [try Self.value(first)]
        while take("and") { parts.append(try Self.value(negated())) }
        return .value(.allOf(parts))
    }

    private mutating func negated() throws -> Term {
        guard take("not") else { return try compared() }
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else { throw Unread() }
        return .value(.negated(try Self.value(negated())))
    }

    private mutating func compared() throws -> Term {
        var left = try sum()
        while true {
            if take("is", "not", "null") || take("notnull") || take("not", "null") {
                left = .value(.negated(try isNull(left)))
            } else if take("is", "null") || take("isnull") {
                left = .value(try isNull(left))
            } else if take("is", "not", "distinct", "from") {
                left = try comparison(left, .equal)
            } else if take("is", "distinct", "from") || take("is", "not") {
                left = try comparison(left, .unequal)
            } else if take("is") || take("=", "=") {
                left = try comparison(left, .equal)
            } else if take("=", "any") || take("in") {
                let sought = try Self.value(left)
                left = .value(.anyOf(try list().map { .compared(sought, .equal, $0) }))
            } else if take("=") {
                left = try comparison(left, .equal)
            } else if take("<", ">") || take("!", "=") {
                left = try comparison(left, .unequal)
            } else if take("<", "=") {
                left = try comparison(left, .lessOrEqual)
            } else if take("<") {
                left = try comparison(left, .less)
            } else if take(">", "=") {
                left = .value(.compared(try Self.value(sum()), .lessOrEqual, try Self.value(left)))
            } else if take(">") {
                left = .value(.compared(try Self.value(sum()), .less, try Self.value(left)))
            } else {
                return left
            }
        }
    }

    private mutating func comparison(_ left: Term, _ kind: NullExpression.Comparison) throws -> Term {
        .value(.compared(try Self.value(left), kind, try Self.value(sum())))
    }

    /// A value of this form is never null: only a question about columns has a meaning.
    private func isNull(_ term: Term) throws -> NullExpression {
        guard case .columns(let columns) = term else { throw Unread() }
        return .areNull(columns)
    }

    /// `(1, 2)`, `(ARRAY[1, 2])`.
    private mutating func list() throws -> [NullExpression] {
        try require("(")
        var found: [NullExpression] = []
        if take("array") {
            found = try array()
        } else {
            repeat { found.append(try Self.value(sum())) } while take(",")
        }
        try require(")")
        return found
    }

    /// `[1, 2]`: in SQLite's spelling, which the tokens follow, brackets quote a name.
    private mutating func array() throws -> [NullExpression] {
        guard place < tokens.count, tokens[place].isQuoted else { throw Unread() }
        let numbers = tokens[place].text.split(separator: ",", omittingEmptySubsequences: false).map {
            Int($0.filter { $0 != " " })
        }
        place += 1
        return try numbers.map { number in
            guard let number else { throw Unread() }
            return .number(number)
        }
    }

    private mutating func sum() throws -> Term {
        var left = try converted()
        while true {
            if take("+") {
                left = .value(.sum(try Self.value(left), try Self.value(converted())))
            } else if take("-") {
                left = .value(.difference(try Self.value(left), try Self.value(converted())))
            } else {
                return left
            }
        }
    }

    /// `(a IS NULL)::integer`; no such conversion makes a value null, or null a value.
    private mutating func converted() throws -> Term {
        let term = try primary()
        while take(":", ":") { try type() }
        return term
    }

    private static let types: Set<String> = ["integer", "int", "int4", "smallint", "bigint", "boolean", "numeric"]

    private mutating func type() throws {
        guard place < tokens.count, Self.types.contains(where: { tokens[place].is($0) }) else { throw Unread() }
        place += 1
    }

    private mutating func primary() throws -> Term {
        if take("(") {
            let term = try either()
            try require(")")
            return term
        }
        if take("case") { return .value(try choice()) }
        if take("cast", "(") {
            let term = try either()
            try require("as")
            try type()
            try require(")")
            return term
        }
        if take("true") { return .value(.number(1)) }
        if take("false") { return .value(.number(0)) }
        _ = take("pg_catalog", ".")
        if take("num_nonnulls", "(") { return .value(.filled(try columnList())) }
        if take("num_nulls", "(") {
            let columns = try columnList()
            return .value(.difference(.number(columns.count), .filled(columns)))
        }
        if take("coalesce", "(") || take("ifnull", "(") { return .columns(try columnList()) }
        if take("iif", "(") { return .value(try brief()) }
        return try name()
    }

    /// A column's name, or a number.
    private mutating func name() throws -> Term {
        guard place < tokens.count else { throw Unread() }
        let token = tokens[place]
        place += 1
        if !token.isQuoted, let number = Int(token.text), abs(number) < 1_000_000 { return .value(.number(number)) }
        guard let column = columns[SQLiteCatalog.folded(token.text)], !next("("), !next(".") else { throw Unread() }
        return .columns([column])
    }

    private mutating func columnList() throws -> [String] {
        var found: [String] = []
        repeat {
            guard case .columns(let columns) = try converted(), columns.count == 1 else { throw Unread() }
            found += columns
        } while take(",")
        try require(")")
        return found
    }

    /// `CASE WHEN a IS NULL THEN 0 ELSE 1 END`; without `ELSE` it may be null.
    private mutating func choice() throws -> NullExpression {
        var branches: [(condition: NullExpression, value: NullExpression)] = []
        while take("when") {
            let condition = try Self.value(either())
            try require("then")
            branches.append((condition, try Self.value(either())))
        }
        try require("else")
        let otherwise = try Self.value(either())
        try require("end")
        guard !branches.isEmpty, branches.count <= Self.deepest else { throw Unread() }
        return branches.reversed().reduce(otherwise) { .choice($1.condition, then: $1.value, else: $0) }
    }

    /// SQLite's `iif(a IS NULL, 0, 1)`.
    private mutating func brief() throws -> NullExpression {
        let condition = try Self.value(either())
        try require(",")
        let then = try Self.value(either())
        try require(",")
        let otherwise = try Self.value(either())
        try require(")")
        return .choice(condition, then: then, else: otherwise)
    }
}
