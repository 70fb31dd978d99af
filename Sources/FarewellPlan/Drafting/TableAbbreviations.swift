// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The tables by what abbreviates the last word of their names: the letters with which it begins (`repo` of
/// `repository`), or its first letter and some of its consonants, the last one included (`msg` of `messages`).
struct TableAbbreviations {
    private struct Name {
        let noun: String
        let table: TableName
        /// Whether the table's name has no other word.
        let isWhole: Bool
    }

    /// By the first letters.
    private var beginnings: [String: [Name]] = [:]
    /// By the first letter and the last consonant.
    private var ends: [String: [Name]] = [:]

    private static let shortest = 3
    /// Short words that mean something else more often.
    private static let general: Set<String> = [
        "ref", "sub", "ext", "int", "num", "seq", "tmp", "old", "new", "per", "par", "pre", "non", "max", "min", "row",
        "rec", "obj", "ent", "res", "val", "pos", "idx", "src", "dst",
    ]

    mutating func add(_ table: TableName, _ words: [String]) {
        guard let last = words.last else { return }
        let noun = EnglishNoun.singular(last)
        guard noun.count > Self.shortest else { return }
        let name = Name(noun: noun, table: table, isWhole: words.count == 1)
        beginnings[String(noun.prefix(Self.shortest)), default: []].append(name)
        if let end = Self.frame(noun) { ends[end, default: []].append(name) }
    }

    /// The tables that a word abbreviates, only those called nothing else if there are such.
    func tables(of word: String) -> [TableName] {
        guard word.count >= Self.shortest, !Self.general.contains(word) else { return [] }
        // `post` is no abbreviation of `poster`.
        let begun = (beginnings[String(word.prefix(Self.shortest))] ?? []).filter {
            $0.noun.hasPrefix(word) && $0.noun.count >= word.count + Self.shortest
        }
        let isSkeleton = !word.dropFirst().contains(where: Self.isVowel)
        let framed = isSkeleton ? Self.frame(word).flatMap { ends[$0] } ?? [] : []
        let found =
            begun
            + framed.filter { name in
                name.noun.count > word.count && !name.noun.hasPrefix(word) && Self.isPart(word, of: name.noun)
            }
        let whole = found.filter(\.isWhole)
        return (whole.isEmpty ? found : whole).map(\.table)
    }

    private static func frame(_ word: String) -> String? {
        guard let first = word.first, let end = word.last(where: { !isVowel($0) }) else { return nil }
        return String([first, end])
    }

    /// Whether letters occur in a word in their order.
    private static func isPart(_ letters: String, of word: String) -> Bool {
        var rest = letters[...]
        for letter in word where letter == rest.first { rest.removeFirst() }
        return rest.isEmpty
    }

    private static func isVowel(_ letter: Character) -> Bool { "aeiouy".contains(letter) }
}
