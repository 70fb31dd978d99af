// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The functions of a database, to be followed from one to those that it calls.
///
/// A function may call another in a text that it builds, so every name before a parenthesis counts, in comments and
/// texts as well: rather one too many than one too few. Functions of one name are not distinguished.
struct CalledFunctions {
    private let functions: [SchemaFunction]
    private let byNumber: [Int64: Int]
    private let byName: [String: [Int]]
    /// The functions that each calls.
    private let called: [[Int]]

    /// - Parameter functions: Each with its number, and its name without its schema.
    init(_ functions: [(number: Int64, name: String, function: SchemaFunction)]) {
        let byName = Dictionary(grouping: functions.indices, by: { functions[$0].name })
        self.functions = functions.map(\.function)
        self.byName = byName
        byNumber = Dictionary(
            zip(functions.map(\.number), functions.indices), uniquingKeysWith: { first, _ in first })
        called = functions.map { entry in
            Self.namesBeforeParentheses(in: entry.function.definition).flatMap { byName[$0] ?? [] }
        }
    }

    /// The function of this number, the functions named in `text`, and all that these call, in the order of their
    /// names. None if they are all written in C.
    func all(from number: Int64?, text: String) -> [SchemaFunction] {
        guard !functions.isEmpty else { return [] }
        var found: Set<Int> = []
        var pending = Self.namesBeforeParentheses(in: text).flatMap { byName[$0] ?? [] }
        if let number, let function = byNumber[number] { pending.append(function) }
        while let function = pending.popLast() {
            guard found.insert(function).inserted else { continue }
            pending += called[function]
        }
        return found.map { functions[$0] }.sorted { ($0.name, $0.definition) < ($1.name, $1.definition) }
    }

    /// Each name before a parenthesis; unquoted ones in small letters, as PostgreSQL reads them.
    static func namesBeforeParentheses(in text: String) -> Set<String> {
        let bytes = Array(text.utf8)
        var names: Set<String> = []
        for place in bytes.indices where bytes[place] == UInt8(ascii: "(") {
            var end = place
            // A bounded look back: a text of blanks and parentheses must not take quadratic time.
            let limit = max(0, place - 40)
            while end > limit, bytes[end - 1] <= 32 { end -= 1 }
            guard end > 0 else { continue }
            let name =
                bytes[end - 1] == UInt8(ascii: "\"")
                ? quoted(endingAt: end - 1, in: bytes) : word(endingAt: end, in: bytes)
            if let name, !name.isEmpty { names.insert(name) }
        }
        return names
    }

    /// PostgreSQL cuts names after 63 bytes; a doubled quotation mark takes two.
    private static let longest = 130

    private static func quoted(endingAt close: Int, in bytes: [UInt8]) -> String? {
        var name: [UInt8] = []
        var place = close - 1
        while place >= 0, name.count <= longest {
            if bytes[place] == UInt8(ascii: "\"") {
                guard place > 0, bytes[place - 1] == UInt8(ascii: "\"") else {
                    return String(decoding: name.reversed(), as: UTF8.self)
                }
                place -= 1
            }
            name.append(bytes[place])
            place -= 1
        }
        return nil
    }

    private static func word(endingAt end: Int, in bytes: [UInt8]) -> String? {
        var start = end
        while start > 0, end - start <= longest, bytes[start - 1].isPartOfIdentifier { start -= 1 }
        let name = bytes[start..<end].map(\.withoutASCIICapital)
        return String(decoding: name, as: UTF8.self)
    }
}
