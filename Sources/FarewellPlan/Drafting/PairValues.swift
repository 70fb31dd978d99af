// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The values of a type column of a pair (`owner_type` beside `owner_id`), as far as the schema tells them, and the
/// tables that they mean.
struct PairValues {
    /// All values that the column can have: the labels of an enum, or what a check lists; `nil` if the schema lists
    /// none.
    let listed: [String]?
    /// The value that the database writes where the app writes none.
    private let usual: String?
    /// Whether the values are the labels of an enum.
    private let areLabels: Bool
    private let subject: TableName
    private let tables: [TableName]
    private let prefix: TablePrefix?

    init(_ type: SchemaColumn, in table: SchemaTable, of subject: TableName, _ map: SchemaMap) {
        listed = Self.listed(type, in: table)
        areLabels = type.labels != nil
        usual = LiteralDefault.text(type.defaultExpression)
        self.subject = subject
        tables = map.listed.map(\.name)
        prefix = TablePrefix(map, users: subject)
    }

    /// The probable meaning of a value that no framework writes for a table's rows.
    struct Guess {
        let values: [String]
        /// Whether no other value, and no other table, could be meant as well.
        let isClear: Bool
    }

    /// The listed values that frameworks write for rows of a table.
    func names(of table: TableName) -> [String] { (listed ?? []).filter { PolymorphicPair.isName($0, of: table) } }

    /// The listed values that mean a table by their letters (`U`, `usr`), or users by a noun for people (`person`).
    func guess(of table: TableName) -> Guess? {
        let short = unnamed.filter { Self.abbreviates($0, table) }
        let people = table == subject ? unnamed.filter { !short.contains($0) && Self.isPerson($0) } : []
        let found = short + people
        guard !found.isEmpty else { return nil }
        let isOthers = short.contains { value in tables.contains { $0 != table && Self.abbreviates(value, $0) } }
        return Guess(values: found, isClear: found.count == 1 && !isOthers)
    }

    /// The listed values that name no table.
    var unnamed: [String] {
        (listed ?? []).filter { value in !tables.contains { PolymorphicPair.isName(value, of: $0) } }
    }

    /// The listed values that name no table and may mean users. The labels of an enum may be words for anything; only
    /// codes are counted.
    var unclear: [String] { unnamed.filter { !areLabels || $0.count < 3 } }

    /// Whether a listed value names a table, or may mean it.
    func mayMean(_ table: TableName) -> Bool { !names(of: table).isEmpty || guess(of: table) != nil }

    /// The values to look for where the schema lists none: the values that frameworks write, and for users also the
    /// column's default, if it means people.
    func expected(for table: TableName) -> [String] {
        let names = PolymorphicPair.names(of: table, without: prefix)
        guard listed == nil, table == subject, let usual, !names.contains(usual),
            !tables.contains(where: { PolymorphicPair.isName(usual, of: $0) }),
            Self.isPerson(usual) || Self.abbreviates(usual, table)
        else { return names }
        return names + [usual]
    }

    /// Whether a value is the beginning of a table's noun, or has its first letter and some of the others.
    private static func abbreviates(_ value: String, _ table: TableName) -> Bool {
        let words = PersonNames.words(value)
        let noun = PersonNames.noun(of: table)
        guard words.count == 1, let word = words.first, word.count < min(noun.count, 5), word.first == noun.first
        else { return false }
        if noun.hasPrefix(word) { return true }
        var rest = noun[...]
        for letter in word {
            guard let place = rest.firstIndex(of: letter) else { return false }
            rest = rest[rest.index(after: place)...]
        }
        return word.count > 1
    }

    private static func isPerson(_ value: String) -> Bool {
        let words = PersonNames.words(value)
        guard words.count == 1, let word = words.first else { return false }
        return PersonNoun.role(EnglishNoun.singular(word)) == .owner
    }

    // MARK: Checks

    /// The values that an enum or a check lists for a column.
    static func listed(_ column: SchemaColumn, in table: SchemaTable) -> [String]? {
        if let labels = column.labels { return labels }
        guard column.kind == .text else { return nil }
        return table.checks.lazy.filter { $0.columns == [column.name] }
            .compactMap { literals(in: $0.condition, of: column.name) }.first
    }

    private static let plain: Set<String> = [
        "in", "any", "some", "array", "or", "is", "null", "value", "text", "character", "varying", "varchar", "bpchar",
        "char",
    ]

    /// The texts of a condition that does nothing but list them: `owner_type IN ('U', 'O')`, on PostgreSQL
    /// `owner_type = ANY (ARRAY['U'::text, 'O'::text])`.
    private static func literals(in condition: String, of column: String) -> [String]? {
        var (values, rest) = ([String](), "")
        for (number, part) in condition.replacing("''", with: "\u{0}").split(
            separator: "'", omittingEmptySubsequences: false
        ).enumerated() {
            if number.isMultiple(of: 2) {
                rest += String(part) + " "
            } else {
                values.append(String(part).replacing("\u{0}", with: "'"))
            }
        }
        let words = { (text: String) in
            text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
        }
        let known = plain.union(words(column))
        let isList = rest.allSatisfy { $0.isLetter || $0.isNumber || $0.isWhitespace || "_()[],=:\"`".contains($0) }
        guard isList, !values.isEmpty, words(rest).allSatisfy({ known.contains($0) || $0.allSatisfy(\.isNumber) })
        else { return nil }
        return values
    }
}
