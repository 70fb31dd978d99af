// SPDX-License-Identifier: Apache-2.0
/// One SQL statement with its bound parameters.
///
/// Parameters are written `$1`, `$2`, … in the text, for both databases, and may be used more than once.
/// Text is only ever built from constants and from identifiers quoted by `SQLDialect.quoted(_:)`; values
/// are always bound.
public struct SQLStatement: Sendable, Hashable {
    public var text: String
    public var parameters: [SQLValue]

    public init(_ text: String, _ parameters: [SQLValue] = []) {
        self.text = text
        self.parameters = parameters
    }
}

/// What a statement answered.
public struct SQLResult: Sendable, Hashable {
    public var columns: [String]
    public var rows: [[SQLValue]]
    /// Rows inserted, updated or deleted by the statement itself, without the database's cascades.
    public var affected: Int

    public init(columns: [String] = [], rows: [[SQLValue]] = [], affected: Int = 0) {
        self.columns = columns
        self.rows = rows
        self.affected = affected
    }

    /// The first row's first value, or `nil` when there is no row.
    public var scalar: SQLValue? { rows.first?.first }
}

/// Which database is spoken to.
public enum SQLDialect: String, Sendable, Hashable, Codable, CaseIterable {
    case sqlite, postgresql

    /// The one function that quotes an identifier. A NUL character cannot be part of one and is refused
    /// by the database.
    ///
    /// Doubles quotes by Unicode scalar, never by `Character`: a quote followed by a combining mark is another
    /// `Character`, which the database would nevertheless read as the end of the identifier.
    public func quoted(_ identifier: String) -> String {
        var text = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in identifier.unicodeScalars {
            if scalar == "\"" { text.append("\"") }
            text.append(scalar)
        }
        text.append("\"")
        return String(text)
    }
}
