// SPDX-License-Identifier: Apache-2.0
import FarewellSQL

/// A trigger's definition, read only to find out whether it keeps a copy of changed or deleted data.
struct TriggerText {
    /// Names with their dots and quotes (`audit.log`, `"my log"`), and `(`, `)` and `;` each as a word.
    let words: [String]
    let lower: [String]
    /// The texts between apostrophes, in order.
    let literals: [Literal]

    /// A text between apostrophes.
    struct Literal {
        let text: String
        /// How many words come before it.
        let place: Int
        /// Whether it is joined to something that follows (`'TRUNCATE ' || name`).
        let isJoined: Bool
    }

    init(_ definition: String) {
        (words, literals) = Self.words(Array(definition.utf8.prefix(400_000)))
        lower = words.map { $0.lowercased() }
    }

    /// The targets of the trigger's writes, in order: tables' names, or `another place`; none if it copies nothing.
    var targets: [String] {
        words.indices.compactMap { inserted(at: $0) ?? updated(at: $0) ?? sent(at: $0) }
    }

    /// The first of them.
    var target: String? { targets.first }

    /// The tables that it empties (`TRUNCATE a, ONLY b CASCADE`), in order.
    var truncated: [String] { words.indices.flatMap { truncated(at: $0) } }

    func truncated(at place: Int) -> [String] {
        guard lower[place] == "truncate" else { return [] }
        let heads: Set<String> = ["table", "only"]
        let ends: Set<String> = [
            ";", "(", ")", "cascade", "restrict", "restart", "continue", "end", "then", "on", "or",
        ]
        let rest = words[(place + 1)...].prefix { !ends.contains($0.lowercased()) && !$0.hasPrefix("$") }
        return rest.filter { !heads.contains($0.lowercased()) }.map { String($0.prefix(80)) }
    }

    /// Whether it may raise an error; messages for the log are none.
    var raises: Bool {
        let messages: Set<String> = ["notice", "warning", "info", "log", "debug"]
        return words.indices.contains { place in
            lower[place] == "raise" && !(place + 1 < lower.count && messages.contains(lower[place + 1]))
        }
    }

    /// Whether a rule acts for some rows only: `ON DELETE TO t WHERE (…) DO INSTEAD …`.
    var isConditionalRule: Bool {
        lower.firstIndex(of: "do").map { lower[..<$0].contains("where") } ?? false
    }

    private static let phrases = [["insert", "into"], ["merge", "into"], ["replace", "into"]]

    private func inserted(at place: Int) -> String? {
        let rest = lower[place...]
        if Self.phrases.contains(where: { rest.starts(with: $0) }) { return name(at: place + 2) }
        // SQLite's `INSERT OR REPLACE INTO`.
        guard rest.starts(with: ["insert", "or"]), rest.dropFirst(3).first == "into" else { return nil }
        return name(at: place + 4)
    }

    /// `UPDATE log SET name = OLD.name WHERE …`. A value of the old row that appears only in a condition is not kept.
    private func updated(at place: Int) -> String? {
        guard lower[place] == "update" else { return nil }
        let ends: Set<String> = [";", "(", ")", "begin", "update"]
        let head = lower[(place + 1)...].prefix(7).prefix { !ends.contains($0) }
        guard let set = head.firstIndex(of: "set"), set > place + 1, keepsOld(after: set) else { return nil }
        // SQLite's `UPDATE OR IGNORE log`, PostgreSQL's `UPDATE ONLY log`.
        let isEither = lower[place + 1] == "or" && set > place + 3
        let isOnly = lower[place + 1] == "only" && set > place + 2
        return name(at: place + (isEither ? 3 : isOnly ? 2 : 1))
    }

    private func keepsOld(after set: Int) -> Bool {
        // For the statement and each open parenthesis in it: whether a condition follows.
        var conditions = [false]
        for word in lower[(set + 1)...] {
            switch word {
            case ";": return false
            case "(": conditions.append(conditions[conditions.count - 1])
            case ")":
                conditions.removeLast()
                if conditions.isEmpty { return false }
            case "where":
                if conditions.count == 1 { return false }
                conditions[conditions.count - 1] = true
            case "union":
                conditions[conditions.count - 1] = conditions.dropLast().last ?? false
            default:
                let isOld = word == "old" || word.hasPrefix("old.")
                if isOld, !conditions[conditions.count - 1] { return true }
            }
        }
        return false
    }

    private func sent(at place: Int) -> String? {
        let word = lower[place]
        let isSent = word == "execute" || word.hasPrefix("pg_notify") || word.hasPrefix("dblink")
        return isSent ? "another place" : nil
    }

    private func name(at place: Int) -> String {
        place < words.count ? String(words[place].prefix(80)) : "another table"
    }

    // MARK: Words

    /// The words without comments, and separately the texts between apostrophes.
    private static func words(_ bytes: [UInt8]) -> (words: [String], literals: [Literal]) {
        var words: [String] = []
        var literals: [Literal] = []
        var word: [UInt8] = []
        func end() {
            if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self)) }
            word = []
        }
        var place = 0
        while place < bytes.count {
            let byte = bytes[place]
            switch byte {
            case UInt8(ascii: "'"):
                // PostgreSQL's `E'it\'s'`.
                let escapes = word == Array("E".utf8) || word == Array("e".utf8)
                end()
                let next = past(quoteAt: place, in: bytes, escapes: escapes)
                let inside = bytes[(place + 1)..<max(place + 1, next - 1)]
                let rest = bytes[next...].drop { $0 == UInt8(ascii: " ") || (9...13).contains($0) }
                literals.append(
                    Literal(
                        text: String(decoding: inside, as: UTF8.self).replacing("''", with: "'"), place: words.count,
                        isJoined: rest.starts(with: "||".utf8)))
                place = next
            case UInt8(ascii: "\""), UInt8(ascii: "`"):
                let close = past(quoteAt: place, in: bytes, escapes: false)
                word.append(contentsOf: bytes[place..<close])
                place = close
            case UInt8(ascii: "-") where bytes[place...].starts(with: "--".utf8):
                end()
                place = bytes[place...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            case UInt8(ascii: "/") where bytes[place...].starts(with: "/*".utf8):
                end()
                place += 2
                while place < bytes.count, !bytes[place...].starts(with: "*/".utf8) { place += 1 }
                place += 2
            case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: ";"):
                end()
                words.append(String(decoding: [byte], as: UTF8.self))
                place += 1
            default:
                if byte.isPartOfIdentifier || byte == UInt8(ascii: ".") { word.append(byte) } else { end() }
                place += 1
            }
        }
        end()
        return (words, literals)
    }

    /// The place behind a quoted text or name; a doubled quote is part of it.
    private static func past(quoteAt start: Int, in bytes: [UInt8], escapes: Bool) -> Int {
        var place = start + 1
        while place < bytes.count {
            if escapes, bytes[place] == UInt8(ascii: "\\") {
                place += 2
            } else if bytes[place] == bytes[start] {
                guard place + 1 < bytes.count, bytes[place + 1] == bytes[start] else { return place + 1 }
                place += 2
            } else {
                place += 1
            }
        }
        return bytes.count
    }
}
