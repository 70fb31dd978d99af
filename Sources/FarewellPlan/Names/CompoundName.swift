// SPDX-License-Identifier: Apache-2.0

/// The name of a key that glues its words together: `ownerid`, `touserid`, `lasteditoruserid`.
enum CompoundName {
    /// Endings of names that are written as one word; those that end in others come first.
    private static let endings = ["uuids", "guids", "uids", "ids", "uuid", "guid", "uid", "id"]
    /// Words that end like a key and are none.
    static let plain: Set<String> = [
        "valid", "invalid", "paid", "unpaid", "prepaid", "overpaid", "void", "avoid", "android", "fluid", "guid",
        "uuid",
        "grid", "hybrid", "solid", "liquid", "rapid", "acid", "bid", "mid", "raid", "said", "laid", "maid", "aid",
        "squid", "plaid", "braid", "covid", "orchid", "asteroid", "steroid", "thyroid", "pyramid", "forbid", "humid",
        "vivid", "rigid", "arid", "candid", "lipid", "lucid", "diffuserid", "infuserid",
    ]
    private static let user = "user"
    private static let shortest = 4

    /// The words before the ending of a key, and whether the name is that of several keys; `nil` if it is none.
    ///
    /// The words end in a noun for a person, such as `user`, or in one of a table.
    ///
    /// - Parameter isTable: Whether a noun names a table.
    static func parts(_ name: String, isTable: (String) -> Bool) -> (words: [String], isList: Bool)? {
        guard name.utf8.count <= 64, !plain.contains(name) else { return nil }
        // `useridfrom`, `useridto`.
        if name.hasPrefix("userid"), PersonNoun.ends.contains(String(name.dropFirst(6))) {
            return ([String(name.dropFirst(6)), user], false)
        }
        for ending in endings where name.hasSuffix(ending) {
            let rest = String(name.dropLast(ending.count))
            guard let words = person(rest) ?? compound(rest, isTable) else { continue }
            return (words, ending.hasSuffix("s"))
        }
        return nil
    }

    /// `creator` of `creatorid`, `createdby` of `createdbyid`, `to` of `touid`: only what names a subject, because
    /// `grid` is no key.
    private static func person(_ rest: String) -> [String]? {
        if PersonNoun.role(rest) != nil || rest == "from" || rest == "to" { return [rest] }
        guard rest.count > 2, rest.hasSuffix("by"), PersonNoun.role(ofAct: String(rest.dropLast(2))) != nil else {
            return nil
        }
        return [rest]
    }

    /// `last editor user` of `lasteditoruserid`. Before `user` there may be anything; before other nouns, only words
    /// that names of keys have there.
    private static func compound(_ rest: String, _ isTable: (String) -> Bool) -> [String]? {
        guard rest.count > shortest, !isTable(rest) else { return nil }
        for length in stride(from: rest.count - 2, through: shortest, by: -1) {
            let noun = String(rest.suffix(length))
            guard PersonNoun.role(noun) != nil || isTable(noun) else { continue }
            let before = String(rest.dropLast(length))
            if let words = split(before, isTable) { return words + [noun] }
            if noun == user { return [before, noun] }
        }
        return nil
    }

    /// The known words of which a text consists.
    private static func split(_ text: String, _ isTable: (String) -> Bool) -> [String]? {
        guard !text.isEmpty else { return [] }
        for length in stride(from: text.count, through: 2, by: -1) {
            let word = String(text.prefix(length))
            guard isKnown(word, isTable), let rest = split(String(text.dropFirst(length)), isTable) else { continue }
            return [word] + rest
        }
        return nil
    }

    private static func isKnown(_ word: String, _ isTable: (String) -> Bool) -> Bool {
        if KeyName.pointers.contains(word) || KeyName.directions.contains(word) || PersonNoun.ends.contains(word) {
            return true
        }
        guard word.count >= shortest else { return false }
        return PersonNoun.role(word) != nil || PersonNoun.handles(word) || PersonNoun.role(ofAct: word) != nil
            || isTable(word)
    }
}
