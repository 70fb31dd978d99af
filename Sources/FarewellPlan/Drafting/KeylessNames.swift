// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Columns that may name rows of a table although no key says so: `messages.media_id`, `albums.media_ids`,
/// `users.avatar_id`. The rows that they name are not kept when an owned parent is deleted.
struct KeylessNames {
    private struct Name {
        let column: SchemaColumn
        let place: ColumnName
        let stem: String
        /// Whether the row is about nothing else: no other column names a row or a person.
        let isAlone: Bool
    }

    private let map: SchemaMap
    /// By the last noun.
    private var names: [String: [Name]] = [:]
    private let tables: Set<String>

    init(_ map: SchemaMap) {
        self.map = map
        tables = Set(map.listed.map { PersonNames.stem(ofTable: $0.name.name) })
        for table in map.listed where table.kind == .table || table.kind == .partitioned {
            let bound = Set(map.keys(of: table.name).flatMap(\.key.columns))
            for column in table.columns where !bound.contains(column.name) && table.primaryKey != [column.name] {
                guard column.kind != .boolean, column.kind != .timestamp else { continue }
                let name = KeyName(column.name)
                guard name.isKey, name.act == nil, name.gift == nil, !name.noun.isEmpty else { continue }
                let stem = (name.words.dropLast() + [name.noun]).joined(separator: " ")
                let found = Name(
                    column: column, place: ColumnName(table.name, column.name), stem: stem,
                    isAlone: Self.isAlone(column, bound, in: table))
                names[name.noun, default: []].append(found)
            }
        }
    }

    private static func isAlone(_ column: SchemaColumn, _ bound: Set<String>, in table: SchemaTable) -> Bool {
        bound.isEmpty
            && !table.columns.contains { other in
                other.name != column.name && table.primaryKey != [other.name]
                    && (KeyName(other.name).isKey || ContactColumns.kind(other) != nil)
            }
    }

    /// The columns of other tables that may name rows of a table by one of its columns.
    func leading(to parent: SchemaTable, by key: String) -> [ColumnName] {
        guard let target = parent[key] else { return [] }
        let (own, noun) = (PersonNames.stem(ofTable: parent.name.name), PersonNames.noun(of: parent.name))
        var nouns: Set<String> = [noun]
        if Self.files.contains(noun) { nouns.formUnion(Self.files.union(Self.shown)) }
        let found: [Name] = nouns.sorted().flatMap { names[$0] ?? [] }
        return found.filter { name in
            let isMeant = name.stem == own || !tables.contains(name.stem)
            // Rows about nothing else are parts: the variants of a photo keep it for no user.
            let isPart = name.isAlone && name.stem == own
            return isMeant && !isPart && name.place.table != parent.name && fits(name.column, target)
        }.map(\.place)
    }

    private func fits(_ column: SchemaColumn, _ key: SchemaColumn) -> Bool {
        switch column.kind {
        case .array: KeyFit.ofElements(column, .array, key, in: map.schema.dialect) == .same
        case .json: KeyName(column.name).isList
        case .text: KeyName(column.name).isList || key.kind == .text
        default: KeyFit.of(column, key, in: map.schema.dialect) == .same
        }
    }

    /// Nouns for rows with a file, which a column may name by what the file shows.
    private static let files: Set<String> = [
        "photo", "image", "picture", "file", "attachment", "blob", "upload", "asset", "medium", "document", "recording",
        "video",
    ]
    private static let shown: Set<String> = [
        "avatar", "logo", "icon", "thumbnail", "thumb", "cover", "banner", "poster", "background", "selfie",
    ]
}
