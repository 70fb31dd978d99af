// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The tables of a schema by what they hold: `statuses` by `status`, `blog_post` also by `post`.
struct TableNames {
    private var whole: [String: [TableName]] = [:]
    /// By the end of their names, behind a prefix that many tables may share.
    private var endings: [String: [TableName]] = [:]
    /// By the name of their single key, which no key of the database leads on from.
    private var numbers: [String: [TableName]] = [:]
    /// By the name of their single key, where it speaks of its table: `idvisit` of `log_visit`.
    private var keys: [String: [TableName]] = [:]

    /// By their names without a last word that says little, such as `gpx` of `gpx_files`.
    private var described: [String: [TableName]] = [:]

    private var abbreviations = TableAbbreviations()
    /// Last words of names that say only in what form rows are kept.
    private static let forms: Set<String> = ["file", "record", "data", "info", "information", "header", "master"]

    init(_ map: SchemaMap) {
        for table in map.listed where table.kind != .materializedView {
            let words = PersonNames.words(table.name.name)
            guard let last = words.last else { continue }
            abbreviations.add(table.name, words)
            if words.count > 1, Self.forms.contains(EnglishNoun.singular(last)) {
                described[words.dropLast().joined(), default: []].append(table.name)
            }
            if table.primaryKey.count == 1, Self.isOwn(table.primaryKey[0], words) {
                keys[table.primaryKey[0].lowercased(), default: []].append(table.name)
            }
            let leadsOn = map.keys(of: table.name).contains { $0.key.columns == table.primaryKey }
            if table.primaryKey.count == 1, !leadsOn {
                numbers[table.primaryKey[0].lowercased(), default: []].append(table.name)
            }
            for form in EnglishNoun.forms(last) {
                whole[(words.dropLast() + [form]).joined(), default: []].append(table.name)
                for start in 1..<max(words.count, 1) where words.count > 1 {
                    endings[(words[start...].dropLast() + [form]).joined(), default: []].append(table.name)
                }
            }
        }
    }

    /// The tables with this name, those of the same schema first.
    func named(_ words: some BidirectionalCollection<String>, near table: TableName) -> [TableName] {
        found(words, in: whole, near: table)
    }

    /// The one table whose name ends so, or one that the end of the words names as a whole.
    func ending(_ words: [String], near table: TableName) -> (table: TableName, isWhole: Bool)? {
        for start in words.indices.dropFirst() {
            if let found = named(words[start...], near: table).first { return (found, true) }
        }
        let found = found(words, in: endings, near: table)
        if found.count == 1 { return (found[0], false) }
        // `viewed_exercise_approaches` are about the rows of `exercise_approaches`.
        let own = PersonNames.words(table.name)
        let about = found.filter { other in
            let words = PersonNames.words(other.name)
            return other != table && own.suffix(words.count).elementsEqual(words)
        }
        return found.contains(table) && about.count == 1 ? (about[0], false) : nil
    }

    /// The table that a name means beside a table of the same part of an app: `clients` beside `oauth_tokens` is
    /// `oauth_clients`.
    func beside(_ table: TableName, _ words: [String]) -> TableName? {
        let own = PersonNames.words(table.name)
        for length in stride(from: own.count - 1, to: 0, by: -1) {
            let found = named(own[..<length] + words, near: table)
            if let first = found.first, first != table { return first }
        }
        return nil
    }

    /// The table that a name means in a part of an app whose tables begin with words that name no table:
    /// `solution` beside `bootcamp_submissions` is `bootcamp_solutions`, also where there are `solutions`.
    func inPart(of table: TableName, _ words: [String]) -> TableName? {
        let own = PersonNames.words(table.name)
        for length in stride(from: own.count - 1, to: 0, by: -1) where named(own[..<length], near: table).isEmpty {
            if let found = named(own[..<length] + words, near: table).first, found != table { return found }
        }
        return nil
    }

    /// The one table for whose name the words are short: `repo` for `repository`, `msg` for `messages`, `gpx` for
    /// `gpx_files`, and `offer_signup` for `challenge_signups`, which share the last word only.
    func shortened(by name: KeyName, near table: TableName) -> TableName? {
        if let found = one(abbreviations.tables(of: name.noun), near: table) { return found }
        if let found = one(described[name.words.joined()], near: table) { return found }
        guard name.words.count > 1, !LinkTable.isList(name.noun) else { return nil }
        for form in EnglishNoun.forms(name.noun) {
            if let found = endings[form] { return one(found, near: table) }
        }
        return nil
    }

    /// Whether a noun is the whole name of a table.
    func isTable(_ noun: String) -> Bool { EnglishNoun.forms(noun).contains { whole[$0] != nil } }

    /// The one table whose single key has this very name.
    func keyed(_ column: String, near table: TableName) -> TableName? { one(keys[column.lowercased()], near: table) }

    /// The one table whose rows have this very name as their number, whatever the table is called: `customer_id` of
    /// `customer_lookup`.
    func numbered(_ column: String, near table: TableName) -> TableName? {
        one(numbers[column.lowercased()], near: table)
    }

    private func one(_ tables: [TableName]?, near table: TableName) -> TableName? {
        guard let all = tables else { return nil }
        let near = all.filter { $0.schema == table.schema }
        let found = near.isEmpty ? all : near
        return found.count == 1 ? found[0] : nil
    }

    /// Whether a key is named after its own rows, such as `idvisit` of `log_visit`: not `user_id` of `profiles`.
    private static func isOwn(_ key: String, _ table: [String]) -> Bool {
        let name = KeyName(key, isTable: { _ in true })
        guard name.isKey, let noun = name.words.last, let last = table.last, table.count >= name.words.count else {
            return false
        }
        return !Set(EnglishNoun.forms(noun)).isDisjoint(with: EnglishNoun.forms(last))
            && name.words.dropLast().elementsEqual(table.suffix(name.words.count).dropLast())
    }

    private func found(
        _ words: some BidirectionalCollection<String>, in names: [String: [TableName]], near table: TableName
    ) -> [TableName] {
        guard let last = words.last else { return [] }
        for form in EnglishNoun.forms(last) {
            guard let found = names[(words.dropLast() + [form]).joined()] else { continue }
            return found.filter { $0.schema == table.schema } + found.filter { $0.schema != table.schema }
        }
        return []
    }
}
