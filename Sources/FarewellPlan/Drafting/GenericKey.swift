// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Django's generic foreign keys: a number of the table of content types says to which table the key beside it leads.
///
/// Apps choose both names, and a row may have several such pairs: `actor_content_type_id` and `actor_object_id`,
/// `target_ct_id` and `target_id`. The same words before the ends of both names make a pair.
enum GenericKey {
    /// The column whose number gives the table that a key leads to; `nil` if the row has none for this key.
    static func typeColumn(
        of column: SchemaColumn, _ name: KeyName, in table: SchemaTable, _ map: SchemaMap
    ) -> SchemaColumn? {
        guard name.isKey, !name.isList, let last = name.words.last else { return nil }
        var beginnings = [name.words]
        if objects.contains(last) { beginnings.insert(Array(name.words.dropLast()), at: 0) }
        let types = table.columns.filter { $0.name != column.name && isContentType($0, in: table, map) }
        for beginning in beginnings {
            if let type = types.first(where: { Self.beginnings(of: $0, in: table, map).contains(beginning) }) {
                return type
            }
        }
        // `content_type_id` says nothing of its key: that is the one with a noun for any row, `target_id`.
        guard name.words.count == 1, PolymorphicPair.isAnyRow(EnglishNoun.singular(last)) else { return nil }
        return types.first { Self.beginnings(of: $0, in: table, map).contains(where: \.isEmpty) }
    }

    private static let objects: Set<String> = ["object", "obj"]

    /// The ends of the names of columns with numbers of content types. Only a declared key shows that a column with
    /// one of the others is one.
    private static let types = [["content", "type"]]
    private static let declaredTypes =
        types + [["contenttype"], ["ctype"], ["ct"], ["type"], ["model"], ["class"], ["kind"]]

    /// Whether a column has numbers of content types.
    static func isContentType(_ column: SchemaColumn, in table: SchemaTable, _ map: SchemaMap) -> Bool {
        column.kind == .integer && !beginnings(of: column, in: table, map).isEmpty
    }

    /// The words of a type column's name before each end that it may have, the shortest beginning first.
    private static func beginnings(of column: SchemaColumn, in table: SchemaTable, _ map: SchemaMap) -> [[String]] {
        var words = PersonNames.words(column.name)
        if words.count > 1, words.last == "id" { words.removeLast() }
        return (isDeclared(column, in: table, map) ? declaredTypes : types).filter { words.ends(with: $0) }
            .map { Array(words.dropLast($0.count)) }
    }

    private static func isDeclared(_ column: SchemaColumn, in table: SchemaTable, _ map: SchemaMap) -> Bool {
        table.foreignKeys.contains { key in
            key.columns == [column.name] && map[key.target].map(listsModels) ?? false
        }
    }

    /// Whether a table lists the models of a Django app.
    static func listsModels(_ table: SchemaTable) -> Bool {
        table.name.name == "django_content_type" && table["app_label"] != nil && table["model"] != nil
    }
}

extension [String] {
    fileprivate func ends(with end: [String]) -> Bool { count >= end.count && suffix(end.count).elementsEqual(end) }
}
