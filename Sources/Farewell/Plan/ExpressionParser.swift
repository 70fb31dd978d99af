// SPDX-License-Identifier: Apache-2.0

extension ColumnExpression {
    /// Why a text is not an expression, and where.
    public struct Malformed: Error, Sendable, Hashable {
        /// One sentence without a full stop.
        public let problem: String
        /// The number of Unicode scalars before the place.
        public let offset: Int
    }

    /// The deepest nesting of calls that is read.
    public static let greatestDepth = 16

    /// Reads the closed grammar of the plan file.
    ///
    ///     expression = name | '"' quoted name '"' | "'" text "'" | integer | function "(" expression, … ")"
    ///
    /// Quotes inside quotes are doubled, as in SQL. There are no operators and no other functions than
    /// `Function`.
    public init(parsing text: String) throws(Malformed) {
        var parser = ExpressionParser(text)
        self = try parser.whole()
    }

    /// The expression as the plan file writes it; `init(parsing:)` reads it back.
    public var written: String {
        switch self {
        case .column(let name): ExpressionParser.isPlainName(name) ? name : Self.quoted(name, with: "\"")
        case .text(let text): Self.quoted(text, with: "'")
        case .integer(let value): String(value)
        case .call(let function, let arguments):
            "\(function.rawValue)(\(arguments.map(\.written).joined(separator: ", ")))"
        }
    }

    /// The columns it reads, in reading order, each once.
    public var columns: [String] {
        switch self {
        case .column(let name): [name]
        case .text, .integer: []
        case .call(_, let arguments):
            arguments.flatMap(\.columns).reduce(into: []) { names, name in
                if !names.contains(name) { names.append(name) }
            }
        }
    }

    private static func quoted(_ text: String, with quote: Unicode.Scalar) -> String {
        var written = String.UnicodeScalarView([quote])
        for scalar in text.unicodeScalars {
            if scalar == quote { written.append(quote) }
            written.append(scalar)
        }
        written.append(quote)
        return String(written)
    }
}

/// Reads an expression from left to right; remembers the place for its errors.
private struct ExpressionParser {
    private let scalars: [Unicode.Scalar]
    private var position = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    mutating func whole() throws(ColumnExpression.Malformed) -> ColumnExpression {
        let expression = try expression(depth: 1)
        skipSpaces()
        guard position == scalars.count else { throw problem("unexpected text after the expression") }
        return expression
    }

    private mutating func expression(depth: Int) throws(ColumnExpression.Malformed) -> ColumnExpression {
        guard depth <= ColumnExpression.greatestDepth else { throw problem("calls are nested too deeply") }
        skipSpaces()
        guard let first = peek else { throw problem("an expression is missing") }
        switch first {
        case "'": return .text(try quoted(by: "'"))
        case "\"": return .column(NameSpelling.typed(try quoted(by: "\"")))
        case "-", "0"..."9": return .integer(try integer())
        default: return try nameOrCall(depth: depth)
        }
    }

    private mutating func nameOrCall(depth: Int) throws(ColumnExpression.Malformed) -> ColumnExpression {
        let start = position
        while let scalar = peek, Self.isNamePart(scalar) { position += 1 }
        guard position > start else { throw problem("a column, a text between ' or a number is expected") }
        let name = Self.text(scalars[start..<position])
        skipSpaces()
        guard peek == "(" else { return .column(NameSpelling.typed(name)) }
        guard let function = ColumnExpression.Function(rawValue: name.lowercased()) else {
            let known = ColumnExpression.Function.allCases.map(\.rawValue).joined(separator: ", ")
            throw problem("this function is not one of \(known)", at: start)
        }
        let arguments = try arguments(depth: depth)
        guard function.accepts(arguments.count) else {
            throw problem("\(function.rawValue) takes \(function.arity)", at: start)
        }
        return .call(function, arguments)
    }

    private mutating func arguments(depth: Int) throws(ColumnExpression.Malformed) -> [ColumnExpression] {
        position += 1
        var arguments: [ColumnExpression] = []
        while true {
            arguments.append(try expression(depth: depth + 1))
            skipSpaces()
            guard let separator = peek else { throw problem("a closing bracket is missing") }
            guard separator == "," || separator == ")" else { throw problem("a comma or ) is expected") }
            position += 1
            if separator == ")" { return arguments }
        }
    }

    private mutating func quoted(by quote: Unicode.Scalar) throws(ColumnExpression.Malformed) -> String {
        let start = position
        position += 1
        var text = String.UnicodeScalarView()
        while let scalar = peek {
            position += 1
            if scalar != quote {
                text.append(scalar)
            } else if peek == quote {
                text.append(quote)
                position += 1
            } else {
                return String(text)
            }
        }
        throw problem("the closing \(quote) is missing", at: start)
    }

    private mutating func integer() throws(ColumnExpression.Malformed) -> Int {
        let start = position
        position += 1
        while let scalar = peek, ("0"..."9").contains(scalar) { position += 1 }
        guard let value = Int(Self.text(scalars[start..<position])) else {
            throw problem("this is not a whole number", at: start)
        }
        return value
    }

    static func isPlainName(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, !("0"..."9").contains(first) else { return false }
        return name.unicodeScalars.allSatisfy(isNamePart)
    }

    private static func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "_" || scalar == "$"
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        String(String.UnicodeScalarView(scalars))
    }

    private var peek: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private mutating func skipSpaces() {
        while peek == " " { position += 1 }
    }

    private func problem(_ text: String, at offset: Int? = nil) -> ColumnExpression.Malformed {
        ColumnExpression.Malformed(problem: text, offset: offset ?? position)
    }
}

extension ColumnExpression.Function {
    /// How many arguments it takes, in words.
    package var arity: String {
        switch self {
        case .left, .round: "two arguments"
        case .lower, .upper, .year, .length: "one argument"
        case .concat, .coalesce: "one to 16 arguments"
        }
    }

    /// One sentence for the documentation.
    package var meaning: String {
        switch self {
        case .left: "The first n characters of a text."
        case .lower: "The text in lower case."
        case .upper: "The text in upper case."
        case .concat: "The arguments as text, one after the other. Null counts as an empty text."
        case .year: "The calendar year of a date, as a whole number."
        case .coalesce: "The first argument that is not null."
        case .length: "The number of characters of a text."
        case .round: "A number, rounded to n decimal places. A negative n rounds to tens or hundreds."
        }
    }

    /// An expression of it for the documentation.
    package var example: String {
        switch self {
        case .left: "left(postcode, 2)"
        case .lower: "lower(country)"
        case .upper: "upper(country)"
        case .concat: "concat('customer ', id)"
        case .year: "year(birth_date)"
        case .coalesce: "coalesce(region, country, 'unknown')"
        case .length: "length(body)"
        case .round: "round(salary, -3)"
        }
    }

    func accepts(_ count: Int) -> Bool {
        switch self {
        case .left, .round: count == 2
        case .lower, .upper, .year, .length: count == 1
        case .concat, .coalesce: (1...16).contains(count)
        }
    }
}
