// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Whether a name (of a column, of a JSON member, a word before a number) says that the value beside it is the key of
/// the subject.
package struct SubjectNames: Sendable {
    /// How a name speaks of the subject.
    package enum Kind: Sendable, Hashable {
        /// It ends as a key does: `user_id`, `ownerId`, `uid`.
        case key
        /// It only names a role: `user`, `author`.
        case role
    }

    private let subject: String
    /// The names of keys of all other tables: `order_id` means `orders`, even if it resembles another name.
    private let others: Set<String>

    package init(plan: Plan, schema: Schema) {
        let table = plan.subject.table
        let subject = PersonNames.stem(ofTable: table.name)
        self.subject = subject
        others = Set(schema.tables.filter { $0.name != table }.map { PersonNames.stem(ofTable: $0.name.name) })
            .subtracting([subject])
    }

    /// The meaning of a name; `nil` if it means another table or nothing.
    package func kind(_ name: String) -> Kind? {
        guard name.utf8.count <= 256 else { return nil }
        var words = PersonNames.words(name)
        if words.last == "ids" || words.last == "uuids" { words[words.count - 1].removeLast() }
        let phrase = words.joined(separator: " ")
        guard !phrase.isEmpty else { return nil }
        if let stem = PersonNames.stem(phrase) {
            guard !others.contains(stem) else { return nil }
            return stem == subject || PersonNames.role(phrase) != nil ? .key : nil
        }
        let stem = PersonNames.stem(ofTable: phrase)
        if stem == subject { return .role }
        guard !others.contains(stem) else { return nil }
        guard PersonNames.role(phrase) != nil || PersonNames.role(stem) != nil else { return nil }
        if KeyName(phrase).isKey { return .key }
        return words.contains(where: Self.counting.contains) ? nil : .role
    }

    /// Words of names that count or limit something of users, or say whether they are or have something:
    /// `max_sessions_per_user`, `with_role_owner`.
    private static let counting: Set<String> = [
        "per", "max", "maximum", "min", "minimum", "num", "count", "total", "sum", "avg", "average", "limit", "quota",
        "with", "without", "is", "has", "can", "may", "allow", "allowed", "enable", "enabled", "require", "required",
    ]

    /// Whether a column of this name may hold the subject's key: its words are those of a link (`user_id`, `owner`,
    /// `created_by`). `users` counts them, and so does `user_num`.
    package func mayHoldKey(_ column: String) -> Bool {
        guard let kind = kind(column), PersonNames.words(column).last != "num" else { return false }
        return kind == .key || KeyName(column).mayHoldKey || PersonNames.words(column).joined(separator: " ") == subject
    }
}
