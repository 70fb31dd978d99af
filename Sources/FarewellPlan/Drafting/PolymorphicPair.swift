// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Two columns of which one says to which table the other leads: `target_type` and `target_id`.
enum PolymorphicPair {
    private static let typeWords: Set<String> = [
        "type", "kind", "class", "table", "model", "klass", "entity", "typename", "tablename", "classname",
    ]

    /// Nouns for a row of any table: a type column beside them names the table, whatever tables there are.
    private static let anyRow: Set<String> = [
        "target", "object", "entity", "item", "record", "row", "resource", "res", "owner", "parent", "source",
        "subject", "model", "content", "reference", "element", "node", "instance", "origin", "party",
    ]
    /// The nouns that name a number without the ending of a key; a text only by those in `keys`.
    private static let numbers = keys.union(["item", "record", "resource", "parent", "source", "subject"])
    private static let keys: Set<String> = ["target", "object", "entity", "owner"]
    /// Names of type columns that need not repeat the noun of the key: `table_name` beside `record_id`.
    private static let wholeTypes: Set<String> = [
        "modelname", "modeltype", "tablename", "entity", "entityname", "entitytype", "objecttype", "recordtype",
        "resourcetype", "targettype",
    ]
    /// The nouns of such keys.
    private static let rows: Set<String> = ["record", "row", "object", "entity", "target", "resource", "res"]

    /// Whether a noun may mean a row of any table: `target`, `object`.
    static func isAnyRow(_ noun: String) -> Bool { anyRow.contains(noun) }

    /// The column that says to which table a key leads; `nil` if the key has no such sibling, names its own row, or
    /// speaks of one table by its noun.
    ///
    /// Values that name no table may still name users: `person`, `u`. They decide nothing.
    static func typeColumn(
        of column: SchemaColumn, _ name: KeyName, in table: SchemaTable, _ map: SchemaMap
    ) -> SchemaColumn? {
        guard !isOwnKey(column, name, in: table, map),
            let type = GenericKey.typeColumn(of: column, name, in: table, map) ?? sibling(of: column, name, in: table),
            !isOfThing(column, name, PairValues.listed(type, in: table) ?? [], in: table, map),
            !isOfRow(name, type, in: table, map)
        else { return nil }
        return type
    }

    /// Whether the noun of a key is the row's own, so that both columns describe the row: `device_type` and `device_id`
    /// of `mobile_devices`, `plaid_type` and `plaid_id` of `plaid_accounts`.
    private static func isOfRow(
        _ name: KeyName, _ type: SchemaColumn, in table: SchemaTable, _ map: SchemaMap
    ) -> Bool {
        guard name.isKey, !name.isList, let last = name.words.last, !anyRow.contains(EnglishNoun.singular(last)),
            PersonNames.role(name) == nil
        else { return false }
        let noun = PersonNames.noun(of: table.name)
        let words = Set(PersonNames.words(table.name.name).flatMap { EnglishNoun.forms($0) })
        // `page_views.page_id` names a page; an account at a service has that service's number.
        guard EnglishNoun.forms(last).contains(noun) || PersonNoun.role(noun) != nil,
            name.words.allSatisfy({ !words.isDisjoint(with: EnglishNoun.forms($0)) })
        else { return false }
        return !(PairValues.listed(type, in: table) ?? []).contains { value in
            map.listed.contains { isName(value, of: $0.name) }
        }
    }

    /// Whether a key speaks of a table that bears its noun and whose key it holds: `product_type` beside `product_id`
    /// is the kind of a product. A noun for any row, or for a person, does not say the table.
    private static func isOfThing(
        _ column: SchemaColumn, _ name: KeyName, _ values: [String], in table: SchemaTable, _ map: SchemaMap
    ) -> Bool {
        guard name.isKey, let last = name.words.last, !anyRow.contains(EnglishNoun.singular(last)),
            PersonNames.role(name) == nil || PersonNoun.tables.contains(name.noun)
        else { return false }
        return map.tables(ofNoun: last).contains { other in
            guard PersonNames.words(other.name.name).dropLast().elementsEqual(name.words.dropLast()),
                mayHold(column, aKeyOf: other, in: table, map)
            else { return false }
            return !values.contains { isName($0, of: other.name) }
        }
    }

    /// Whether a column can hold the key of a table, or the part of it that the column names.
    private static func mayHold(
        _ column: SchemaColumn, aKeyOf other: SchemaTable, in table: SchemaTable, _ map: SchemaMap
    ) -> Bool {
        let dialect = map.schema.dialect
        guard other.primaryKey.count == 1 else {
            return RepeatedKey(named: column, in: table, of: other, dialect) != nil
        }
        return other[other.primaryKey[0]].map { KeyFit.of(column, $0, in: dialect) == .same } ?? false
    }

    /// Whether a column names its own row, and no other: the number that the database gives to it (`history_id`), or
    /// the name beside a secret of the row (`client_id` beside `client_secret`). A name of a person is no such name.
    static func isOwnKey(_ column: SchemaColumn, _ name: KeyName, in table: SchemaTable, _ map: SchemaMap) -> Bool {
        guard PersonNames.role(name) == nil else { return false }
        if table.primaryKey == [column.name], column.kind == .integer || column.defaultExpression != nil { return true }
        return map.isUnique([column.name], in: table.name)
            && table.columns.contains { PersonNames.words($0.name) == name.words + ["secret"] }
    }

    private static func sibling(of column: SchemaColumn, _ name: KeyName, in table: SchemaTable) -> SchemaColumn? {
        guard let stem = stem(of: column, name, in: table) else { return nil }
        let deed = name.endsInDeed ? name.words.dropLast().joined() : nil
        // PocketBase: `recordRef` beside `collectionRef`.
        if name.words == ["record"], let type = table.columns.first(where: { Self.isCollection($0, in: table) }) {
            return type
        }
        return table.columns.first { other in
            guard other.name != column.name, other.kind != .boolean, other.kind != .timestamp, other.kind != .uuid,
                name.isKey || other.kind != .integer && other.kind != .number
            else { return false }
            let theirs = PersonNames.words(other.name).joined()
            // `target_type_name`, `target_table_name`; `assigned_type` beside `assigned_to`.
            if let rest = Self.rest(of: theirs, behind: stem) {
                return typeWords.contains(rest)
                    || rest.hasSuffix("name") && typeWords.contains(String(rest.dropLast(4)))
            }
            return deed.flatMap { Self.rest(of: theirs, behind: $0) }.map(typeWords.contains) ?? false
        } ?? wholeType(beside: name, in: table) ?? bareType(beside: name, in: table)
    }

    /// The end of a name behind its beginning; `nil` if it begins otherwise.
    private static func rest(of name: String, behind start: String) -> String? {
        guard name.utf8.starts(with: start.utf8) else { return nil }
        return String(name.utf8.dropFirst(start.utf8.count))
    }

    /// `owner` beside `owner_id`, `scope` beside `scope_id`: a text with the very noun of the key.
    private static func bareType(beside name: KeyName, in table: SchemaTable) -> SchemaColumn? {
        guard name.isKey, name.words.count == 1, anyRow.contains(name.words[0]) || scopes.contains(name.words[0]) else {
            return nil
        }
        return table.columns.first { other in
            (other.kind == .text && !other.isNullable || other.labels != nil)
                && PersonNames.words(other.name) == name.words
                && !table.foreignKeys.contains { $0.columns.contains(other.name) }
        }
    }

    private static let scopes: Set<String> = ["scope", "context", "level", "related", "linked", "holder", "principal"]

    /// `model` beside `res_id`, `entity` beside `entity_id`, `table_name` beside `record_id`.
    private static func wholeType(beside name: KeyName, in table: SchemaTable) -> SchemaColumn? {
        guard name.isKey, name.words.count == 1, rows.contains(name.words[0]) else { return nil }
        let isOfModels = ["res", "record", "object", "row"].contains(name.words[0])
        return table.columns.first { other in
            let theirs = PersonNames.words(other.name).joined()
            return other.kind == .text && (wholeTypes.contains(theirs) || isOfModels && theirs == "model")
                && !table.foreignKeys.contains { $0.columns.contains(other.name) }
        }
    }

    /// `target` of `target_id`, `targetid` and `target`: the beginning of the type column's name.
    private static func stem(of column: SchemaColumn, _ name: KeyName, in table: SchemaTable) -> String? {
        if name.isKey, !name.words.isEmpty { return name.words.joined() }
        let words = PersonNames.words(column.name)
        if words.count == 1, let word = words.first, word.hasSuffix("id"), word.utf8.count > 2 {
            return String(word.dropLast(2))
        }
        return isBare(column, name, in: table) ? words.joined() : nil
    }

    /// Whether a column without an ending of a key may hold one beside a type column: `target`, `commentable`. Beside
    /// `target_id` it holds something else.
    private static func isBare(_ column: SchemaColumn, _ name: KeyName, in table: SchemaTable) -> Bool {
        guard let last = name.words.last, !name.isList else { return false }
        let isAble = last.hasSuffix("able") && !["table", "variable"].contains(last)
        let isNamed: Bool =
            switch column.kind {
            case .integer, .uuid: isAble || numbers.contains(last) || name.mayHoldKey
            case .text where column.sampledText == .keys: isAble || numbers.contains(last) || name.mayHoldKey
            case .text: isAble || keys.contains(last)
            default: false
            }
        // Only for such names: all columns are read.
        return isNamed
            && !table.columns.contains { other in
                let key = KeyName(other.name)
                return other.name != column.name && key.isKey && key.words == name.words
            }
    }

    private static func isCollection(_ column: SchemaColumn, in table: SchemaTable) -> Bool {
        let words = PersonNames.words(column.name)
        return column.kind == .text && words.first == "collection"
            && (words.count == 1 || words.count == 2 && ["ref", "id", "name"].contains(words[1]))
            && !table.foreignKeys.contains { $0.columns.contains(column.name) }
    }

    /// The names that frameworks write for a table's rows: `User` (Rails), `App\Models\User` (Laravel), `users`.
    ///
    /// - Parameter prefix: Of the app's tables; rows of `oc_users` may be called `users`.
    static func names(of table: TableName, without prefix: TablePrefix? = nil) -> [String] {
        let names = Self.names(of: table.name)
        let rest = prefix?.rest(of: table).map { Self.names(of: $0) } ?? []
        return names + rest.filter { !names.contains($0) }
    }

    private static func names(of table: String) -> [String] {
        // `h2h_scores`: the words of a name leave out its digits, which the name of a class has.
        let hasDigits = table.contains { $0.isNumber }
        let words = hasDigits ? table.split(separator: "_").map { $0.lowercased() } : PersonNames.words(table)
        guard let last = words.last else { return [table] }
        let singular = words.dropLast() + [EnglishNoun.singular(last)]
        let type = singular.map(Self.capitalised).joined()
        var names: [String] = []
        for name in [type, singular.joined(separator: "_"), table, "App\\Models\\\(type)"]
        where !names.contains(name) { names.append(name) }
        return names
    }

    /// Whether a value of a type column is the name of a table's rows, as frameworks write it.
    static func isName(_ value: String, of table: TableName) -> Bool {
        let last = value.split(whereSeparator: { "\\./:".contains($0) }).last.map(String.init) ?? value
        let words = PersonNames.words(last)
        let theirs = PersonNames.words(table.name)
        guard let own = words.last, let other = theirs.last, words.count == theirs.count,
            words.dropLast().elementsEqual(theirs.dropLast())
        else { return false }
        return !Set(EnglishNoun.forms(own)).isDisjoint(with: EnglishNoun.forms(other))
    }

    private static func capitalised(_ word: String) -> String { word.prefix(1).uppercased() + word.dropFirst() }
}
