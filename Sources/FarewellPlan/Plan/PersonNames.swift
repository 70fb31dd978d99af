// SPDX-License-Identifier: Apache-2.0
import FarewellSQL

/// What the names of columns and tables tell about people. Guesses: the plan's author confirms them.
enum PersonNames {
    /// How a column's name speaks of a person.
    enum Role {
        /// The row is this person's: `user_id`, `owner`, `created_by`.
        case owner
        /// The other side of a two-sided row: `receiver_id`, `user2`, `followee`.
        case otherSide
        /// Somebody who only handled the row: `updated_by`, `approver_id`.
        case handler
    }

    private static let owners: Set<String> = [
        "user", "owner", "author", "account", "member", "customer", "client", "person", "profile", "creator",
        "sender", "reporter", "inviter", "follower", "buyer", "patient", "student", "subscriber", "guest",
        "player", "swiper", "blocker", "uploader", "actor", "visitor", "participant", "rider", "poster",
        "requester", "subject", "holder", "uid", "userid", "ownerid", "authorid", "accountid", "memberid",
        "customerid", "applicant", "learner", "friend",
    ]
    private static let otherSides: Set<String> = [
        "receiver", "recipient", "reported", "invitee", "invited", "followee", "followed", "swiped", "blocked",
        "matched", "seller", "target",
    ]
    private static let handlers: Set<String> = [
        "editor", "moderator", "approver", "reviewer", "assignee", "assigner", "operator", "admin", "agent",
        "manager", "handler",
    ]
    private static let ownActs: Set<String> = [
        "created", "uploaded", "posted", "written", "sent", "submitted", "owned", "authored", "added", "invited",
        "reported", "requested", "placed", "ordered", "booked",
    ]
    private static let keySuffixes: Set<String> = [
        "id", "uuid", "guid", "ref", "no", "num", "nr", "number", "key", "fk", "sub",
    ]
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

    /// What the name of a column says about whom its value names; `nil` when it says nothing.
    static func role(_ column: String) -> Role? {
        var words = words(column)
        if words.last == "by", words.count >= 2 {
            return ownActs.contains(words[words.count - 2]) ? .owner : .handler
        }
        if words == ["sub"] { return .owner }
        if words.count > 1, let last = words.last, keySuffixes.contains(last) { words.removeLast() }
        guard let last = words.last else { return nil }
        if otherSides.contains(last) { return .otherSide }
        if handlers.contains(last) { return .handler }
        return owners.contains(last) ? .owner : nil
    }

    /// Whether the name ends like a key: `user_id`, `customerNo`, `uid`.
    static func endsAsKey(_ column: String) -> Bool {
        guard let last = words(column).last else { return false }
        return keySuffixes.contains(last) || last == "uid" || last == "by"
            || last.hasSuffix("id") && owners.contains(last)
    }

    /// The table a key's name speaks of: `conversation_id` → `conversation`; `nil` when it is no key.
    static func stem(_ column: String) -> String? {
        var words = words(column)
        guard words.count > 1, let last = words.last, keySuffixes.contains(last) else { return nil }
        words.removeLast()
        return singular(words.joined(separator: " "))
    }

    /// A table's name in the form of `stem`.
    static func stem(ofTable name: String) -> String { singular(words(name).joined(separator: " ")) }

    /// Whether the value of such a column names the person elsewhere too.
    static func isIdentifier(_ column: SchemaColumn) -> Bool {
        guard column.kind == .text, !column.isGenerated else { return false }
        let words = words(column.name)
        if let last = words.last, identifiers.contains(last) { return true }
        if let first = words.first, vendors.contains(first), let last = words.last, keySuffixes.contains(last) {
            return true
        }
        return wholeIdentifiers.contains(words.joined(separator: " "))
    }

    /// Whether the name promises something personal although it does not identify by itself.
    static func soundsPersonal(_ column: SchemaColumn) -> Bool {
        isIdentifier(column) || words(column.name).contains { personal.contains($0) }
    }

    /// `createdByUser_2` → `created by user`: lower case, split at signs, digits and capitals.
    static func words(_ name: String) -> [String] {
        var words: [String] = []
        var word = ""
        var lastWasLower = false
        for scalar in name.unicodeScalars {
            let isLetter = scalar.properties.isAlphabetic
            let isUpper = scalar.properties.isUppercase
            if !isLetter || isUpper && lastWasLower {
                if !word.isEmpty { words.append(word) }
                word = ""
            }
            if isLetter { word += scalar.properties.lowercaseMapping }
            lastWasLower = isLetter && !isUpper
        }
        if !word.isEmpty { words.append(word) }
        return words
    }

    private static func singular(_ name: String) -> String {
        if name.hasSuffix("ies"), name.count > 4 { return name.dropLast(3) + "y" }
        if name.hasSuffix("sses") || name.hasSuffix("xes") || name.hasSuffix("ches") { return String(name.dropLast(2)) }
        if name.hasSuffix("s"), !name.hasSuffix("ss"), name.count > 2 { return String(name.dropLast()) }
        return name
    }
}
