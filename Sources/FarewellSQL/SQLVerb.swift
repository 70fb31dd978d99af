// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The kind of a statement, by its first word: enough to distinguish changes, queries and transaction control.
enum SQLVerb: Sendable {
    case query, change, begin, commit, rollback
    /// `SAVEPOINT`, `RELEASE`, `VACUUM`, `PRAGMA`, `ATTACH`: not wrapped in a transaction by Farewell.
    case control
    /// `DISCARD`, `RESET`, `DEALLOCATE`: may remove prepared statements or settings.
    case forget
    case other

    init(_ text: String) {
        switch Self.firstWord(text) {
        case "SELECT", "VALUES", "TABLE", "EXPLAIN", "SHOW": self = .query
        case "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH", "MERGE": self = .change
        case "BEGIN", "START": self = .begin
        case "COMMIT", "END": self = .commit
        case "ROLLBACK", "ABORT": self = Self.isToSavepoint(text) ? .control : .rollback
        case "SAVEPOINT", "RELEASE", "VACUUM", "PRAGMA", "ATTACH", "DETACH": self = .control
        case "DISCARD", "RESET", "DEALLOCATE": self = .forget
        default: self = .other
        }
    }

    /// Whether a statement changes the schema, so that event triggers run.
    static func isOfSchema(_ text: String) -> Bool {
        ["CREATE", "ALTER", "DROP", "COMMENT", "GRANT", "REVOKE"].contains(firstWord(text))
    }

    /// Whether a statement only shows how another would be carried out.
    static func isExplained(_ text: String) -> Bool { firstWord(text) == "EXPLAIN" }

    private static func firstWord(_ text: String) -> String {
        var rest = text.utf8[...]
        while true {
            rest = rest.drop { $0 <= 32 || $0 == UInt8(ascii: ";") }
            if rest.starts(with: "--".utf8) {
                rest = rest.drop { $0 != 10 }
            } else if rest.starts(with: "/*".utf8), let end = endOfComment(rest) {
                rest = rest[end...]
            } else {
                break
            }
        }
        return String(decoding: rest.prefix { $0.isASCIILetter }, as: UTF8.self).uppercased()
    }

    private static func endOfComment(_ text: Substring.UTF8View) -> String.Index? {
        var previous: UInt8 = 0
        for index in text.indices.dropFirst(2) {
            if previous == UInt8(ascii: "*"), text[index] == UInt8(ascii: "/") { return text.index(after: index) }
            previous = text[index]
        }
        return nil
    }

    /// `ROLLBACK TO [SAVEPOINT] name` keeps the transaction open.
    private static func isToSavepoint(_ text: String) -> Bool {
        text.uppercased().split(whereSeparator: \.isWhitespace).contains("TO")
    }
}
