// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The tables whose rows a statement deletes, changes or inserts, in the order of its text. If it truncates several
/// tables, only the first is among them.
///
/// Quoted texts and comments are skipped, so that no value is read as a name.
struct ChangedTables {
    /// As they are written, without quotes: `notes`, `public.notes`.
    private(set) var names: [String] = []
    /// The tables among them whose rows are changed or inserted, not only deleted.
    private(set) var written: [String] = []

    private enum Token: Equatable {
        case word(String)
        case quoted(String)
        case mark(UInt8)
    }

    /// - Parameter longest: How many bytes of the text are read.
    init(_ text: String, longest: Int = 1_000_000) {
        var tokens: [Token] = []
        var rest = Array(text.utf8.prefix(longest))[...]
        while let token = Self.next(&rest) { tokens.append(token) }
        for place in tokens.indices {
            guard let start = Self.nameAfterVerb(tokens, place), let name = Self.name(tokens, start) else { continue }
            if !names.contains(name) { names.append(name) }
            if !Self.deletes(tokens[place]), !written.contains(name) { written.append(name) }
        }
    }

    /// The one table; `nil` if there is none, or more than one.
    var only: String? { names.count == 1 ? names[0] : nil }

    // MARK: Words

    private static func deletes(_ verb: Token) -> Bool {
        if case .word(let word) = verb { ["DELETE", "TRUNCATE"].contains(word.uppercased()) } else { false }
    }

    private static func nameAfterVerb(_ tokens: [Token], _ place: Int) -> Int? {
        func word(_ at: Int) -> String? {
            guard tokens.indices.contains(at), case .word(let word) = tokens[at] else { return nil }
            return word.uppercased()
        }
        var next = place + 1
        switch word(place) {
        case "DELETE":
            guard word(next) == "FROM" else { return nil }
            next += 1
        case "UPDATE":
            // `FOR UPDATE`, `FOR NO KEY UPDATE`, `ON UPDATE`, `DO UPDATE`.
            if let before = word(place - 1), ["FOR", "KEY", "ON", "DO", "OR", "OF"].contains(before) { return nil }
            if word(next) == "OR" { next += 2 }
        case "INSERT":
            if word(next) == "OR" { next += 2 }
            guard word(next) == "INTO" else { return nil }
            next += 1
        case "REPLACE":
            guard word(next) == "INTO" else { return nil }
            next += 1
        case "TRUNCATE":
            if word(next) == "TABLE" { next += 1 }
        default: return nil
        }
        return word(next) == "ONLY" ? next + 1 : next
    }

    private static func name(_ tokens: [Token], _ start: Int) -> String? {
        func part(_ at: Int) -> String? {
            guard tokens.indices.contains(at) else { return nil }
            switch tokens[at] {
            case .word(let name), .quoted(let name): return name
            case .mark: return nil
            }
        }
        guard let first = part(start) else { return nil }
        guard tokens.indices.contains(start + 1), tokens[start + 1] == .mark(UInt8(ascii: ".")),
            let second = part(start + 2)
        else { return first }
        return "\(first).\(second)"
    }

    private static func next(_ rest: inout ArraySlice<UInt8>) -> Token? {
        while let byte = rest.first {
            if byte <= 32 {
                rest = rest.dropFirst()
            } else if rest.starts(with: "--".utf8) {
                rest = rest.drop { $0 != 10 }
            } else if rest.starts(with: "/*".utf8) {
                skipComment(&rest)
            } else {
                break
            }
        }
        guard let byte = rest.first else { return nil }
        switch byte {
        case UInt8(ascii: "'"):
            _ = quoted(&rest, byte)
            return .mark(byte)
        case UInt8(ascii: "\""), UInt8(ascii: "`"): return .quoted(NameSpelling.of(quoted(&rest, byte)))
        case UInt8(ascii: "["):
            let end = rest.firstIndex(of: UInt8(ascii: "]")) ?? rest.endIndex
            let name = rest[(rest.startIndex + 1)..<end]
            rest = rest[end...].dropFirst()
            return .quoted(NameSpelling.of(String(decoding: name, as: UTF8.self)))
        case _ where byte.isPartOfIdentifier:
            let word = rest.prefix(while: \.isPartOfIdentifier)
            rest = rest.dropFirst(word.count)
            return .word(NameSpelling.of(String(decoding: word, as: UTF8.self)))
        default:
            rest = rest.dropFirst()
            return .mark(byte)
        }
    }

    private static func skipComment(_ rest: inout ArraySlice<UInt8>) {
        rest = rest.dropFirst(2)
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "*"), rest.first == UInt8(ascii: "/") {
                rest = rest.dropFirst()
                return
            }
        }
    }

    /// The text between two quotes; a doubled quote is part of it.
    private static func quoted(_ rest: inout ArraySlice<UInt8>, _ quote: UInt8) -> String {
        var bytes: [UInt8] = []
        rest = rest.dropFirst()
        while let byte = rest.popFirst() {
            if byte == quote {
                guard rest.first == quote else { break }
                rest = rest.dropFirst()
            }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
