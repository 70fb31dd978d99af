// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The columns that name the subject uniquely beside the key, such as `users.username`, and the text columns elsewhere
/// that may repeat one: `comments.author_username`.
struct NaturalNames {
    private let columns: [SchemaColumn]
    private let map: SchemaMap
    /// The subject's table, those that inherit from it, and those with one row for each of its rows, such as profiles.
    let tables: Set<TableName>

    init(_ map: SchemaMap, subject: SubjectRoot) {
        var tables: Set<TableName> = [subject.table]
        var open = [subject.table]
        while let target = open.popLast() {
            for key in map.keys(to: target) where map[key.table]?.primaryKey == key.key.columns {
                if tables.insert(key.table).inserted { open.append(key.table) }
            }
        }
        tables.formUnion(TableDescendants(map.schema).of(subject.table))
        self.tables = tables
        self.map = map
        columns = (map[subject.table]?.columns ?? []).filter { column in
            column.name != subject.key && PersonNames.isIdentifier(column) && !column.isIncomparable
                && column.labels == nil && map.isUnique([column.name], in: subject.table)
        }
    }

    /// Names that things have as well; such a column needs a word for a user before it.
    private static let common: Set<String> = ["name", "email", "mail", "phone", "mobile", "telephone", "nick"]

    /// The unique name by which users sign in, other than an address or a number.
    var signIn: String? {
        columns.first { ContactColumns.kind($0) == nil && PersonNames.words($0.name) != ["name"] }?.name
    }

    /// The column of the subject that a column repeats by its name, and the role of the user there; `nil` for none.
    ///
    /// If another key of the same row leads to the subject, a column that names the same user, or only an address, is
    /// none: `orders.user_email` beside `orders.user_id`, `invites.invitee_email` beside `invites.inviter_id`. A row of
    /// the subject's own repeats only the name of another user who handled it: `users.invited_by_email`.
    func named(by column: SchemaColumn, of table: SchemaTable) -> (column: String, role: PersonNames.Role)? {
        guard column.kind == .text, !column.isIncomparable, column.labels == nil, column.identity != .always else {
            return nil
        }
        let isOwn = tables.contains(table.name)
        let words = PersonNames.words(column.name)
        for name in columns {
            let last = PersonNames.words(name.name)
            guard let noun = last.last, words.suffix(last.count).elementsEqual(last) else { continue }
            let isCommon = Self.common.contains(noun)
            let before = Array(words.dropLast(last.count))
            // A thing may have a unique name of its own: `products.handle`.
            guard !before.isEmpty || !map.isUnique([column.name], in: table.name),
                let role = role(of: before, isCommon: isCommon)
            else { continue }
            if isOwn {
                guard role == .handler || role == .maker, name.name != column.name else { continue }
                return (name.name, role)
            }
            let isSaid = table.foreignKeys.contains { tables.contains($0.target) && !$0.columns.contains(column.name) }
            return isSaid && (isCommon || role == .owner) ? nil : (name.name, role)
        }
        return nil
    }

    /// Whether a column of a subject's own row names another user: `users.invited_by_email`.
    func isOfAnother(_ column: SchemaColumn, of table: SchemaTable) -> Bool {
        tables.contains(table.name) && named(by: column, of: table) != nil
    }

    private func role(of words: [String], isCommon: Bool) -> PersonNames.Role? {
        guard let noun = words.last else { return isCommon ? nil : .owner }
        if noun == "by", words.count > 1 { return PersonNoun.role(ofAct: words[words.count - 2]) }
        return PersonNoun.role(noun) ?? PersonNoun.role(EnglishNoun.singular(noun))
    }
}
