// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The meaning of column and table names for people. Guesses: the plan's author confirms them.
enum PersonNames {
    /// How a column's name speaks of a subject.
    enum Role {
        /// The row is this subject's: `user_id`, `owner`, `sender_id`.
        case owner
        /// The subject made the row, which may serve others too: `created_by`, `creatorId`.
        case maker
        /// The other side of a two-sided row: `receiver_id`, `to_user_id`, `user2`, `followee`.
        case otherSide
        /// A subject who only handled the row: `updated_by`, `approver_id`.
        case handler
        /// By its ending the word names a doer; nothing says of what: `stargazer_id`.
        case doer
    }

    private static let identifiers: Set<String> = [
        "email", "mail", "phone", "mobile", "telephone", "username", "handle", "login", "nickname", "nick",
    ]
    private static let wholeIdentifiers: Set<String> = [
        "name", "display name", "full name", "user name", "screen name", "real name", "fullname", "displayname",
        "e mail",
    ]
    private static let vendors: Set<String> = ["apple", "google", "firebase", "cognito", "stripe", "facebook"]
    private static let personal: Set<String> = [
        "name", "firstname", "lastname", "surname", "address", "street", "ip", "birthday", "birthdate", "dob",
        "avatar", "ssn", "iban", "fax", "signature", "agent", "latitude", "longitude", "location",
    ]

    /// The role that the name of a column gives to the subject whose key its value may be; `nil` if it gives none.
    static func role(_ column: String) -> Role? { role(KeyName(column)) }

    static func role(_ name: KeyName) -> Role? {
        // `last_poster_id` names one of several people.
        guard let role = plainRole(name) else { return nil }
        return name.isPointer ? .handler : role
    }

    /// The role in the rows of a table: the reviewer wrote those of `reviews`, and only handled an order. A user who
    /// did something about a part of a row handled it as well: `results_posted_by` of `competitions`.
    static func role(_ name: KeyName, in table: TableName) -> Role? {
        let role = role(name)
        if role == .owner, let act = name.act, let deed = name.words.firstIndex(of: act), deed > 0 {
            let own = Set(words(table.name).map { EnglishNoun.singular($0) })
            let part = EnglishNoun.singular(name.words[deed - 1])
            return own.contains(part) || PersonNoun.role(part) != nil ? role : .handler
        }
        guard role == .handler, !name.isPointer, name.act == nil, name.gift == nil, name.words.count == 1,
            let noun = words(table.name).last
        else { return role }
        return PersonNoun.wrote(name.words[0], EnglishNoun.singular(noun)) ? .owner : role
    }

    private static func plainRole(_ name: KeyName) -> Role? {
        if let act = name.act {
            if let role = PersonNoun.role(ofAct: act) { return role }
            // `disabled_invite_by_user_id`: before `by` is what the deed is about.
            return name.isMarked && !name.endsInDeed && PersonNoun.role(name.noun) != nil ? .handler : nil
        }
        if let gift = name.gift { return PersonNoun.role(ofGift: gift) }
        guard let last = name.words.last else { return nil }
        if [["of", "contact"], ["contact", "person"]].contains(name.words.suffix(2)) { return .handler }
        if name.words.suffix(2).elementsEqual(["behalf", "of"]) { return .otherSide }
        // `sub_id` is a number of its own.
        if name.words == ["sub"], !name.isKey { return .owner }
        let noun = PersonNoun.role(last) == nil ? EnglishNoun.singular(last) : last
        if let role = PersonNoun.role(noun) {
            // `assigned_user_id`, `moderator_user_id`.
            let isHandled = name.words.count > 1 && PersonNoun.handles(name.words[name.words.count - 2])
            if role == .owner, name.words.count > 1, name.words[0] == "to" { return .otherSide }
            return role == .owner && isHandled ? .handler : role
        }
        if last.hasSuffix("by"), let role = PersonNoun.role(ofAct: String(last.dropLast(2))) { return role }
        return name.isKey && PersonNoun.soundsLikeDoer(noun) ? .doer : nil
    }

    /// The table a key's name speaks of: `conversation_id` → `conversation`; `nil` when it is no key.
    static func stem(_ column: String) -> String? {
        let name = KeyName(column)
        guard name.isKey, name.act == nil, name.gift == nil, name.words != words(column) else { return nil }
        return singular(name.words)
    }

    /// The last word of a table's name in the singular: `member` of `team_members`; empty without words.
    static func noun(of table: TableName) -> String { EnglishNoun.singular(words(table.name).last ?? "") }

    /// A table's name in the form of `stem`.
    static func stem(ofTable name: String) -> String { singular(words(name)) }

    /// Whether the value of such a column names the subject elsewhere too.
    static func isIdentifier(_ column: SchemaColumn) -> Bool {
        guard column.kind == .text, !column.isGenerated else { return false }
        let words = words(column.name)
        if let last = words.last, identifiers.contains(last) { return true }
        if let first = words.first, vendors.contains(first), let last = words.last,
            KeyName(column.name).isKey || last == "sub"
        {
            return true
        }
        return wholeIdentifiers.contains(words.joined(separator: " "))
    }

    /// Whether the name suggests personal data although the value does not identify on its own.
    static func soundsPersonal(_ column: SchemaColumn) -> Bool {
        isIdentifier(column) || words(column.name).contains { personal.contains($0) }
    }

    /// `createdByUser_2` → `created by user`: lower case, split at signs, digits and capitals.
    static func words(_ name: String) -> [String] { NameWords.of(name) }

    private static func singular(_ words: [String]) -> String {
        guard let last = words.last else { return "" }
        return (words.dropLast() + [EnglishNoun.singular(last)]).joined(separator: " ")
    }
}
