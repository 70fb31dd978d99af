// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Names of columns that mean a user although they are not written like keys: `post_author` of `posts`, `wl_user`,
/// `user_created`, `uid_owner`, `lockedby`.
enum PersonSpelling {
    private static let users: Set<String> = [
        "user", "author", "owner", "poster", "actor", "editor", "creator", "sender", "uploader", "submitter",
        "reporter", "assignee",
    ]
    /// Words between a table's noun and the user: `post_edit_user`.
    private static let deeds: Set<String> = ["edit", "update", "modify", "delete", "lock", "approve", "close", "last"]
    /// Deeds after the user: `user_created`. Others are flags: `user_verified`.
    private static let done: Set<String> = ["created", "added", "updated", "modified", "edited", "changed", "inserted"]
    private static let keys: Set<String> = ["uid", "userid"]
    /// Words that follow a verb: `checkedout_by`.
    private static let particles = ["out", "in", "up", "off"]
    private static let longestPrefix = 4
    private static let flags: Set<String> = ["is", "has", "was", "can", "max", "min", "num", "no", "per", "by", "to"]
    /// Words for the sides of a pair.
    static let sides: Set<String> = ["a", "b", "x", "y", "one", "two", "in", "out", "home", "away"]

    /// The role of the user that a column names; `nil` for other names, and for those that are read as keys anyway.
    static func role(_ column: String, in table: SchemaTable) -> PersonNames.Role? {
        let all = PersonNames.words(column)
        let words = side(all) ?? all
        guard let first = words.first, let last = words.last else { return nil }
        if words.count == 1 {
            if first.hasSuffix("by"), let role = act(String(first.dropLast(2))) { return role }
            return first.hasPrefix("user") ? deed(String(first.dropFirst(4))) : nil
        }
        if words.count == 2, last == "by" { return act(first) }
        if words.count == 2, first == "user", let role = deed(last) { return role }
        // `who_created`, `created_who`.
        if words.count == 2, first == "who" || last == "who" { return deed(first == "who" ? last : first) }
        // `user_a` and `user_b`, the sides of a pair; `user_from`, `user_to`.
        if isSide(words), PersonNoun.role(first) != nil { return .otherSide }
        if words.count == 2, first == "user", ways.contains(last) { return .otherSide }
        if words.count == 2, keys.contains(first), let role = PersonNoun.role(last) { return role }
        guard users.contains(last) else { return nil }
        if words.count == 2, first == "last" { return .handler }
        var before = Array(words.dropLast())
        let isHandled = before.count > 1 && deeds.contains(before[before.count - 1])
        if isHandled { before.removeLast() }
        guard isOwn(before, table) else { return nil }
        return isHandled ? .handler : PersonNoun.role(last)
    }

    /// `user one` of `user_one_id`, `user from` of `user_id_from`: the name of a side without the ending of a key,
    /// whatever place that has.
    private static func side(_ words: [String]) -> [String]? {
        guard words.count == 3, let place = words.lastIndex(where: endings.contains), place > 0 else { return nil }
        var rest = words
        rest.remove(at: place)
        return sides.contains(rest[1]) || ways.contains(rest[1]) ? rest : nil
    }

    /// Whether words name a side of a pair: `player_a`.
    private static func isSide(_ words: [String]) -> Bool { words.count == 2 && sides.contains(words[1]) }

    /// The noun of a name, which is the first word where the last only says which side is meant.
    static func noun(_ words: [String]) -> ArraySlice<String> { isSide(words) ? words.prefix(1) : words.suffix(1) }

    private static let endings: Set<String> = ["id", "uid", "uuid", "guid", "fk"]
    private static let ways: Set<String> = ["from", "to"]

    /// The user whom a name means by its end, whatever precedes it.
    struct Ending {
        /// `nil` where the words before the noun do not tell: `backup_user`.
        let role: PersonNames.Role?
    }

    /// The user of `create_user`, `message_edit_user` and `affecteduser`; `nil` for counts, flags and other names.
    ///
    /// - Parameter noun: A further noun for users, such as that of their table: `subscribed_editor` of `editors`.
    static func ending(_ column: String, or noun: String = "usr") -> Ending? {
        let words = PersonNames.words(column)
        guard let last = words.last, words.count <= longestEnding else { return nil }
        guard words.count > 1 else {
            let deed = last.hasSuffix("user") ? String(last.dropLast(4)) : ""
            guard let role = role(before: deed) else { return nil }
            return Ending(role: role)
        }
        let before = words.dropLast()
        guard ["user", "usr", noun].contains(last), let deed = before.last,
            !before.contains(where: { flags.contains($0) || counts.contains($0) })
        else { return nil }
        if before.contains(where: KeyName.pointers.contains) { return Ending(role: .handler) }
        return Ending(role: role(before: deed))
    }

    /// Whether a name of several words ends in a noun for a person, and neither counts nor limits nor is a flag. Nouns
    /// for any user or for things as well are none.
    static func isOfPerson(_ words: [String]) -> Bool {
        guard let noun = words.last, words.count > 1, PersonNoun.role(noun) != nil || PersonNoun.acts(noun),
            !users.contains(noun), !OwnerName.isAmbiguous(noun), !PersonNoun.isFar(noun), !SuspectedLinks.isText(noun),
            !noun.hasSuffix("ed"), !noun.hasSuffix("ing")
        else { return false }
        return !words.dropLast().contains { flags.contains($0) || counts.contains($0) }
    }

    private static func role(before deed: String) -> PersonNames.Role? {
        if concerned.contains(deed) { return .otherSide }
        let handled: PersonNames.Role? = PersonNoun.handles(deed) ? .handler : nil
        return PersonNoun.role(ofAct: deed) ?? handled ?? PersonNoun.role(deed)
    }

    /// Words for the user whom an event is about.
    private static let concerned: Set<String> = ["affected", "concerned", "impacted"]
    private static let longestEnding = 4
    /// Words before `user` in names of counts, limits and flags.
    private static let counts: Set<String> = [
        "maximum", "minimum", "count", "total", "sum", "avg", "average", "limit", "quota", "with", "without", "may",
        "allow", "allowed", "enable", "enabled", "require", "required", "show", "hide", "notify", "super", "anonymous",
        "system", "single", "multi", "every", "each", "all", "any", "verified", "registered", "authenticated", "logged",
        "not", "non",
    ]

    private static func deed(_ word: String) -> PersonNames.Role? {
        done.contains(word) ? PersonNoun.role(ofAct: word) : nil
    }

    /// `locked` of `lockedby`, `checkedout` of `checkedout_by`.
    private static func act(_ word: String) -> PersonNames.Role? {
        if let role = PersonNoun.role(ofAct: word) { return role }
        guard let end = particles.first(where: { word.hasSuffix($0) }) else { return nil }
        let verb = String(word.dropLast(end.count))
        return verb.hasSuffix("ed") ? PersonNoun.role(ofAct: verb) : nil
    }

    /// Whether words are those by which a table begins the names of its columns: its own noun (`post` of `wp_posts`),
    /// or a few letters of that name (`wl` of `watchlist`) or that most of them share.
    private static func isOwn(_ words: [String], _ table: SchemaTable) -> Bool {
        let own = PersonNames.words(table.name.name)
        if words.count <= own.count, let last = own.last, let noun = words.last,
            EnglishNoun.singular(last) == EnglishNoun.singular(noun),
            own.suffix(words.count).dropLast().elementsEqual(words.dropLast())
        {
            return true
        }
        guard words.count == 1, words[0].count <= longestPrefix else { return false }
        if isShort(words[0], for: own) { return true }
        let sharing = table.columns.filter { PersonNames.words($0.name).first == words[0] }
        return sharing.count > 1 && sharing.count * 2 > table.columns.count
    }

    /// Whether letters are the first of a table's words, or of the first word and later ones: `ug` of `user_groups`,
    /// `wl` of `watchlist`.
    private static func isShort(_ letters: String, for own: [String]) -> Bool {
        guard letters.count > 1, !flags.contains(letters), letters.first == own.first?.first else { return false }
        var rest = letters[...]
        for letter in own.joined() where letter == rest.first { rest.removeFirst() }
        return rest.isEmpty
    }
}
