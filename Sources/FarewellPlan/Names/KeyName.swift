// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The parsed name of a column: the thing that it names, and whether it is written like a key.
struct KeyName {
    /// The name in lower case and without the parts that mark a key: `conversation` of `conversation_id`, `created by`
    /// of `createdById`.
    let words: [String]
    /// Whether the name is written like a key: `user_id`, `creatorid`, `updated_by`, `uid`.
    let isKey: Bool
    /// Whether the ending or the beginning of the name marks a key: `user_id`, not `created_by`.
    let isMarked: Bool
    /// Whether the name is that of several keys: `watcher_ids`.
    let isList: Bool
    /// The deed before `by`: `checked out` of `checked_out_by`, `created` of `created_by`, `createdById` and
    /// `created_by_user_id`.
    let act: String?
    /// The deed before `to` or `with`: `assigned` of `assigned_to_id`, `shared` of `sharedWith` and
    /// `shared_with_user_id`.
    let gift: String?

    private static let suffixes: Set<String> = [
        "id", "uuid", "guid", "ref", "no", "num", "nr", "number", "key", "fk", "sub", "pk", "oid",
    ]
    private static let numbers: Set<String> = ["no", "num", "nr", "number"]
    /// First words of names that are written like a key: `id_customer`, `fk_order`.
    private static let prefixes: Set<String> = ["id", "fk"]
    /// Nouns after an `id` that means the identity of a person: `id_card`, `id_token`.
    private static let papers: Set<String> = [
        "card", "token", "type", "kind", "number", "no", "hash", "hint", "proof", "document", "doc", "photo", "image",
        "picture", "scan", "front", "back", "verification", "verified", "check", "status", "country", "expiry", "url",
        "name", "path", "file", "source", "format", "prefix", "at", "date",
    ]
    /// Words before a `key` that opens or signs something: `encrypted_file_key`.
    private static let ciphers: Set<String> = [
        "encrypted", "encryption", "decryption", "cipher", "private", "signing", "secret",
    ]
    /// Verbs before `uid` for the user who did so: `create_uid`, `write_uid`.
    private static let changes: Set<String> = [
        "create", "created", "write", "update", "updated", "modify", "modified", "insert", "inserted",
        "delete", "deleted", "approve", "approved",
    ]
    private static let pluralSuffixes: Set<String> = ["ids", "uuids", "guids", "refs", "keys"]

    /// Last words of names that say more about a deed than its doer: `created_by_ip`.
    private static let circumstances: Set<String> = [
        "ip", "device", "browser", "type", "kind", "method", "role", "source", "system", "process", "job", "version",
        "at", "on", "date", "time",
    ]

    /// - Parameter isTable: Whether a noun names a table, so that `threadid` and `idthread` are keys to its rows.
    init(_ column: String, isTable: (String) -> Bool = { _ in false }) {
        let all = PersonNames.words(column)
        var words = all
        var isKey = false
        var isList = false
        if let last = words.last, words.count > 1, Self.suffixes.contains(last) || Self.pluralSuffixes.contains(last),
            last != "key" || Self.ciphers.isDisjoint(with: words)
        {
            isKey = true
            isList = Self.pluralSuffixes.contains(last)
            words.removeLast()
        } else if let last = words.last, let glued = CompoundName.parts(last, isTable: isTable) {
            isKey = true
            isList = glued.isList
            words.replaceSubrange((words.count - 1)..., with: glued.words)
        } else if ["uid", "uids"].contains(words.last) {
            isKey = true
            isList = words.last == "uids"
            words[words.count - 1] = "uid"
            if words.count > 1 { words.removeLast() }
            // `create_uid` is written for `create_by`.
            if words.count == 1, Self.changes.contains(words[0]), !isTable(words[0]) { words.append("by") }
        } else if let first = words.first, words.count > 1, Self.prefixes.contains(first),
            first == "fk" || !Self.papers.contains(words[1]) || isTable(words.dropFirst().joined())
        {
            isKey = true
            words.removeFirst()
        } else if words.count == 1, let noun = Self.unglued(words[0], isTable) {
            isKey = true
            words[0] = noun
        }
        // Django's `user_ptr_id`.
        if isKey, words.count > 1, words.last == "ptr" { words.removeLast() }
        isMarked = isKey
        var act: String?
        if let by = words.lastIndex(of: "by"), by > 0, by >= words.count - 2,
            !Self.circumstances.contains(words.last ?? "")
        {
            let hasParticle =
                by > 1 && Self.particles.contains(words[by - 1]) && PersonNoun.role(ofAct: words[by - 2]) != nil
            act = hasParticle ? words[(by - 2)..<by].joined(separator: " ") : words[by - 1]
            isKey = true
        }
        var gift: String?
        if let to = words.lastIndex(where: { ["to", "with"].contains($0) }), to > 0,
            to == words.count - 1 || to == words.count - 2 && PersonNoun.role(words[to + 1]) != nil,
            PersonNoun.role(ofGift: words[to - 1]) != nil
        {
            gift = words[to - 1]
            isKey = true
        }
        // The name that Rails' audit trails give to the user who made a change.
        if words == ["whodunnit"] || words.suffix(2).elementsEqual(["behalf", "of"]) { isKey = true }
        isNumber =
            all.last.map { last in
                Self.numbers.contains(last) || all.count == 1 && (last.hasSuffix("no") || last.hasSuffix("number"))
            } ?? false
        self.gift = gift
        self.words = words
        self.isKey = isKey
        self.isList = isList
        self.act = act
    }

    /// `threadid` → `thread`, `idsite` → `site`: only where the rest names a table or, behind `id`, a person.
    private static func unglued(_ word: String, _ isTable: (String) -> Bool) -> String? {
        guard !CompoundName.plain.contains(word) else { return nil }
        if word.hasSuffix("id"), word.count > 4, isTable(String(word.dropLast(2))) { return String(word.dropLast(2)) }
        let rest = String(word.dropFirst(2))
        let isPaper = papers.contains(rest) || ["entity", "entities", "entifier"].contains(rest)
        guard word.hasPrefix("id"), rest.count > 2, !isPaper else { return nil }
        // `idowner`, of which no table needs to be named.
        return isTable(rest) || rest.count > 4 && PersonNoun.role(rest) != nil ? rest : nil
    }

    /// The last word in the singular: `conversation` of `last_conversation_ids`; empty without words.
    var noun: String { EnglishNoun.singular(words.last ?? "") }

    /// Whether the name tells the deed and no noun for the doer: `created_by`, not `created_by_user`.
    var endsInDeed: Bool {
        (act != nil || gift != nil) && words.last.map { ["by", "to", "with"].contains($0) } ?? false
    }

    /// Whether a name says by a further word that it means another user than a plain one: `new_user_id` beside
    /// `user_id`.
    func isSecond(beside plain: KeyName) -> Bool {
        words.count > plain.words.count && plain.words.count == 1 && act == nil && gift == nil && noun == plain.noun
    }

    /// Whether the key is called a number: `invoice_number`, `employee_no`. It rarely is the key that a database gives.
    let isNumber: Bool

    /// Whether the number, text or list under this name may be a key. `max_sessions_per_user`, `with_role_owner` count
    /// something, `blocked` says whether; `owner` and `from_user` alone may be keys.
    var mayHoldKey: Bool {
        if isKey { return true }
        guard let last = words.last, PersonNoun.role(last) != nil, !last.hasSuffix("ed") else { return false }
        return words.count == 1 || words.count == 2 && Self.directions.contains(words[0])
    }

    /// Whether the name points at one of many rows, such as the last: `last_message_id`, `max_subscriber_id`. The row
    /// does not belong there.
    ///
    /// The word may follow the table's own noun: `forum_last_post_id`.
    var isPointer: Bool {
        guard words.count > 1 else { return false }
        let isOfThings = PersonNoun.role(noun) == nil
        return words.dropLast().contains {
            Self.pointers.contains($0) || isOfThings && Self.choices.contains($0)
        }
    }

    /// Whether the name is that of a picture that a row shows: `image_id`, `cover_photo_id`. It says nothing about
    /// whose the row is, unless the row is about the picture: `image_tags.image_id`.
    func isDecoration(of table: TableName) -> Bool {
        guard isKey, act == nil, gift == nil, let last = words.last.map({ EnglishNoun.singular($0) }) else {
            return false
        }
        let isNamed = Self.decorations.contains(last) || words.count > 1 && Self.decorations.contains(words[0])
        return isNamed && !PersonNames.words(table.name).contains { EnglishNoun.singular($0) == last }
    }

    /// Words that follow a verb: `checked_out_by`.
    private static let particles: Set<String> = ["out", "in", "up", "off", "down", "over", "back", "away"]
    private static let decorations: Set<String> = [
        "image", "avatar", "cover", "thumbnail", "thumb", "logo", "icon", "banner", "background", "poster", "favicon",
    ]
    /// Words before the one of many rows that was chosen: `default_version_id`, `primary_address_id`.
    private static let choices: Set<String> = [
        "first", "default", "primary", "current", "active", "main", "selected", "preferred", "initial", "chosen",
    ]
    static let pointers: Set<String> = [
        "last", "latest", "newest", "oldest", "recent", "max", "maximum", "min", "minimum", "next", "previous", "prev",
        "accepted", "featured", "pinned", "best", "highest", "lowest", "winning", "leading",
    ]
    static let directions: Set<String> = [
        "from", "to", "for", "parent", "source", "original", "assigned", "created", "target", "first", "second",
        "primary",
        "other", "old", "new", "previous", "current", "owning", "app", "auth", "related",
    ]
}
