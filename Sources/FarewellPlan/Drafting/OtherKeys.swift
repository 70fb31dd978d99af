// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The columns other than the subject's key that identify a subject's row and are not names such as an e-mail address:
/// `users.uuid`, `users.account_no`. Foreign keys may lead to them, and other places may hold their values.
struct OtherKeys {
    /// In the table's order.
    let columns: [SchemaColumn]
    /// Further unique numbers that no foreign key leads to: `users.public_no`.
    let numbers: [SchemaColumn]
    /// The keys that other columns may repeat under their name: not `users.profile_id` beside a table of profiles.
    private let repeated: [SchemaColumn]
    private let map: SchemaMap
    /// The subject's table, and the tables that inherit from it.
    private let tables: Set<TableName>
    private let subject: SubjectRoot

    init(_ map: SchemaMap, subject: SubjectRoot) {
        self.map = map
        self.subject = subject
        tables = Set(TableDescendants(map.schema).of(subject.table)).union([subject.table])
        let bound = Set(map.keys(of: subject.table).flatMap(\.key.columns))
        let single = map.keys(to: subject.table).map(\.key.targetColumns).filter { $0.count == 1 }
        let referred = Set(single.joined())
        columns = (map[subject.table]?.columns ?? []).filter { column in
            guard column.name != subject.key, !bound.contains(column.name), !PersonNames.isIdentifier(column),
                column.labels == nil, !column.isIncomparable, map.isUnique([column.name], in: subject.table)
            else { return false }
            switch column.kind {
            case .uuid: return true
            case .text: return referred.contains(column.name) || Self.isWrittenLikeKey(column)
            case .integer, .number: return referred.contains(column.name)
            default: return false
            }
        }
        let things = Set(map.listed.filter { $0.name != subject.table }.map { PersonNames.stem(ofTable: $0.name.name) })
        let numbers = (map[subject.table]?.columns ?? []).filter { column in
            column.name != subject.key && !bound.contains(column.name) && column.kind == .integer
                && PersonNames.words(column.name).count > 1 && map.isUnique([column.name], in: subject.table)
        }
        self.numbers = numbers.filter { !referred.contains($0.name) }
        let all = columns + self.numbers
        repeated = all.filter { column in PersonNames.stem(column.name).map { !things.contains($0) } ?? true }
    }

    static func isWrittenLikeKey(_ column: SchemaColumn) -> Bool {
        let words = PersonNames.words(column.name)
        guard let last = words.last else { return false }
        return ["uuid", "guid", "ulid"].contains(last)
            || words.count > 1 && ["id", "uid", "no", "number"].contains(last)
    }

    /// First words of names that every table may have for its own rows: `external_id`.
    static let common: Set<String> = [
        "external", "public", "remote", "legacy", "old", "global", "unique", "reference", "ref", "foreign", "import",
    ]

    func contains(_ column: String) -> Bool { columns.contains { $0.name == column } }

    /// The other key that a column repeats by its name, and the role of the user there; `nil` for none.
    ///
    /// `user_uuid` and `owner_uuid` repeat `users.uuid`, but a thing's own `uuid` does not. A name of several words,
    /// such as `account_no`, needs no word for a user before it.
    func named(by column: SchemaColumn, of table: SchemaTable) -> (column: String, role: PersonNames.Role)? {
        guard !repeated.isEmpty, !tables.contains(table.name), column.identity != .always else { return nil }
        var words = PersonNames.words(column.name)
        guard let last = words.last else { return nil }
        words[words.count - 1] = EnglishNoun.singular(last)
        for key in repeated {
            let name = PersonNames.words(key.name)
            guard !name.isEmpty, words.suffix(name.count).elementsEqual(name),
                let role = role(of: Array(words.dropLast(name.count)), isWhole: isWhole(name, column, table))
            else { continue }
            return (key.name, role)
        }
        return nil
    }

    /// Whether a name speaks of the subject's key without a word for a user before it.
    private func isWhole(_ name: [String], _ column: SchemaColumn, _ table: SchemaTable) -> Bool {
        name.count > 1 && !Self.common.contains(name[0]) && !map.isUnique([column.name], in: table.name)
    }

    private func role(of words: [String], isWhole: Bool) -> PersonNames.Role? {
        guard let noun = words.last else { return isWhole ? .owner : nil }
        if noun == "by", words.count > 1 { return PersonNoun.role(ofAct: words[words.count - 2]) }
        let singular = EnglishNoun.singular(noun)
        let isSubject = words.count == 1 && singular == PersonNames.stem(ofTable: subject.table.name)
        return isSubject ? .owner : PersonNoun.role(noun) ?? PersonNoun.role(singular)
    }
}
