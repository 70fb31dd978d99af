// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// A file of SQL statements, as `psql` and `sqlite3` read it, one statement after the other.
public struct SQLScript: Sendable, Hashable {
    /// The statements in order, without their semicolons, without comments before them and without `psql`'s own
    /// commands (`\c`).
    public let statements: [String]

    public init(_ text: String) {
        var scanner = Scanner(bytes: Array(text.utf8))
        statements = scanner.statements()
    }

    /// The tables of the example coachme on SQLite, compiled in from `Examples/coachme/schema.sqlite.sql`.
    public static var coachme: SQLScript {
        SQLScript(String(decoding: PackageResources.coachme_sqlite_sql, as: UTF8.self))
    }

    private struct Scanner {
        let bytes: [UInt8]
        var place = 0

        mutating func statements() -> [String] {
            var statements: [String] = []
            while skipBlank() {
                let start = place
                while let byte = at(place), byte != UInt8(ascii: ";") { step() }
                // An unclosed text or comment leads past the end.
                let text = String(decoding: bytes[start..<min(place, bytes.count)], as: UTF8.self)
                statements.append(String(text.reversed().drop(while: \.isWhitespace).reversed()))
                place += 1
            }
            return statements.filter { !$0.isEmpty }
        }

        /// Steps over blanks, comments, stray semicolons and lines of `psql`; false at the end.
        private mutating func skipBlank() -> Bool {
            while let byte = at(place) {
                if byte <= 32 || byte == UInt8(ascii: ";") {
                    place += 1
                } else if byte == UInt8(ascii: "\\") {
                    skip(past: "\n")
                } else if !skipComment() {
                    return true
                }
            }
            return false
        }

        private mutating func skipComment() -> Bool {
            if begins("--") { skip(past: "\n") } else if begins("/*") { skip(past: "*/") } else { return false }
            return true
        }

        /// Steps over one character, or over a whole text, quoted name, comment or `$$ … $$`.
        private mutating func step() {
            switch bytes[place] {
            case UInt8(ascii: "'"), UInt8(ascii: "\""):
                // A doubled quote closes and opens again, which has the same effect.
                let quote = bytes[place]
                place += 1
                while let byte = at(place), byte != quote { place += 1 }
                place += 1
            case UInt8(ascii: "$"):
                let end = bytes[(place + 1)...].prefix(64).firstIndex(of: UInt8(ascii: "$")) ?? place
                let tag = bytes[place...end]
                let isTag = tag.count > 1 && tag.dropFirst().dropLast().allSatisfy { $0 > 64 || $0.isASCIIDigit }
                place += isTag ? tag.count : 1
                guard isTag else { return }
                while at(place) != nil, !bytes[place...].starts(with: tag) { place += 1 }
                place += tag.count
            default:
                if !skipComment() { place += 1 }
            }
        }

        private mutating func skip(past end: String) {
            while at(place) != nil, !begins(end) { place += 1 }
            place += end.utf8.count
        }

        private func begins(_ text: String) -> Bool { place < bytes.count && bytes[place...].starts(with: text.utf8) }
        private func at(_ place: Int) -> UInt8? { place < bytes.count ? bytes[place] : nil }
    }
}

extension SQLScript {
    /// The statements that may run in a database that exists already and is being filled: none that drops
    /// anything or makes a database.
    var harmless: [String] {
        statements.filter { statement in
            let words = statement.split(separator: " ", maxSplits: 2).map { $0.uppercased() }
            return words.first != "DROP" && Array(words.prefix(2)) != ["CREATE", "DATABASE"]
        }
    }
}
