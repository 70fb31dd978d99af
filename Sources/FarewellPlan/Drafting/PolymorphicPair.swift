// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Two columns of which one says to which table the other leads: `target_type` and `target_id`.
enum PolymorphicPair {
    private static let typeWords: Set<String> = [
        "type", "kind", "class", "table", "model", "klass", "entity", "typename", "tablename", "classname",
    ]

    /// The column that says to which table a key leads; `nil` if the key has no such sibling, or names its own row.
    ///
    /// Values that name no table may still name users: `person`, `u`. They decide nothing.
    static func typeColumn(
        of column: SchemaColumn, _ name: KeyName, in table: SchemaTable, _ map: SchemaMap
    ) -> SchemaColumn? {
        isOwnKey(column, name, in: table, map) ? nil : sibling(of: column, name, in: table)
    }

    /// Whether a column names its own row, and no other: the number that the database gives to it (`history_id`), or
    /// what belongs to a secret of the row (`client_id` beside `client_secret`). A name of a person's is no such name.
    static func isOwnKey(_ column: SchemaColumn, _ name: KeyName, in table: SchemaTable, _ map: SchemaMap) -> Bool {
        guard PersonNames.role(name) == nil else { return false }
        if table.primaryKey == [column.name], column.kind == .integer || column.defaultExpression != nil { return true }
        return map.isUnique([column.name], in: table.name)
            && table.columns.contains { PersonNames.words($0.name) == name.words + ["secret"] }
    }

    private static func sibling(of column: SchemaColumn, _ name: KeyName, in table: SchemaTable) -> SchemaColumn? {
        guard name.act == nil, let stem = stem(of: column, name) else { return nil }
        // PocketBase: `recordRef` beside `collectionRef`.
        if name.words == ["record"], let type = table.columns.first(where: { Self.isCollection($0, in: table) }) {
            return type
        }
        // Django: `object_id` or `object_pk` beside `content_type_id`.
        if name.words == ["object"], let type = table.columns.first(where: { Self.isContentType($0) }) { return type }
        return table.columns.first { other in
            guard other.name != column.name, other.kind != .boolean, other.kind != .timestamp, other.kind != .uuid
            else { return false }
            let theirs = PersonNames.words(other.name).joined()
            // `target_type_name`, `target_table_name`.
            return typeWords.contains { theirs == stem + $0 || theirs == stem + $0 + "name" }
        }
    }

    /// `target` of `target_id` and `targetid`: what the name of the type column begins with.
    private static func stem(of column: SchemaColumn, _ name: KeyName) -> String? {
        if name.isKey, !name.words.isEmpty { return name.words.joined() }
        let words = PersonNames.words(column.name)
        guard words.count == 1, let word = words.first, word.hasSuffix("id"), word.utf8.count > 2 else { return nil }
        return String(word.dropLast(2))
    }

    private static func isCollection(_ column: SchemaColumn, in table: SchemaTable) -> Bool {
        let words = PersonNames.words(column.name)
        return column.kind == .text && words.first == "collection"
            && (words.count == 1 || words.count == 2 && ["ref", "id", "name"].contains(words[1]))
            && !table.foreignKeys.contains { $0.columns.contains(column.name) }
    }

    static func isContentType(_ column: SchemaColumn) -> Bool {
        let words = PersonNames.words(column.name)
        return column.kind == .integer && (words == ["content", "type", "id"] || words == ["content", "type"])
    }

    /// The names that frameworks write for a table's rows: `User` (Rails), `App\Models\User` (Laravel), `users`.
    static func names(of table: TableName) -> [String] {
        let words = PersonNames.words(table.name)
        guard let last = words.last else { return [table.name] }
        let singular = words.dropLast() + [EnglishNoun.singular(last)]
        let type = singular.map(Self.capitalised).joined()
        var names: [String] = []
        for name in [type, singular.joined(separator: "_"), table.name, "App\\Models\\\(type)"]
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
