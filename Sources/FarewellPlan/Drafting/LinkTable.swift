// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// A table that only connects rows of another table with users: `articles_author_lnk`, `workspace_members`.
///
/// It has two keys, one to each side, and beside them nothing but its own number, times, an order or a role.
struct LinkTable {
    /// Whether a name says that the rows of the other table are those of the user: `articles_author_lnk`, `owner_id`.
    let namesOwner: Bool

    /// - Parameters:
    ///   - columns: The key to the other table.
    ///   - people: The tables with one row for each user.
    /// - Returns: `nil` for a table with rows of its own meaning, where it says only what users like or have read, and
    ///   where the other table is a list that the app keeps, such as roles or tags.
    init?(_ table: SchemaTable, by columns: [String], people: Set<TableName>, _ map: SchemaMap) {
        let keys = map.keys(of: table.name).map(\.key)
        guard keys.count == 2, keys.allSatisfy({ $0.isPaired && $0.columns.count == 1 }),
            let key = keys.first(where: { $0.columns == columns }), let other = keys.first(where: { $0 != key }),
            people.contains(other.target), !people.contains(key.target), other.columns != key.columns
        else { return nil }
        let sides = key.columns + other.columns
        guard table.columns.allSatisfy({ sides.contains($0.name) || Self.isAside($0, in: table) }) else { return nil }
        let thing = PersonNames.words(key.target.name)
        let words = PersonNames.words(table.name.name)
        guard Self.isNamed(words, after: thing) else { return nil }
        let field = Self.field(of: thing, in: words)
        guard let noun = thing.last.map({ EnglishNoun.singular($0) }), !Self.lists.contains(noun),
            !(field ?? words).contains(where: { Self.acts.contains(EnglishNoun.singular($0)) })
        else { return nil }
        let name = KeyName(other.columns[0]).words.last ?? ""
        namesOwner = Self.makers.contains(EnglishNoun.singular(name)) || field.map(Self.isOwner) ?? false
    }

    /// Whether the rows of a table only say that users have something to do with rows of another table, whatever else
    /// they name: `likes`, `downloads`, the relations of a document. It is named after an act, or has nothing but keys
    /// and columns that say how these are connected.
    ///
    /// - Parameter columns: The key to the other table.
    static func connects(
        _ table: SchemaTable, by columns: [String], people: Set<TableName>, _ map: SchemaMap
    ) -> Bool {
        let keys = map.keys(of: table.name).map(\.key)
        guard !people.contains(table.name), !table.isUnique(columns),
            keys.contains(where: { people.contains($0.target) && Set($0.columns).isDisjoint(with: columns) })
        else { return false }
        if isAct(table.name) { return true }
        let bound = Set(keys.flatMap(\.columns))
        return table.columns.allSatisfy { column in
            bound.contains(column.name) || isAside(column, in: table)
                || column.kind == .text && PersonNames.words(column.name) == ["path"]
        }
    }

    /// Whether rows of a table have nothing but two keys, and columns that describe the connection. Such a row belongs
    /// to both sides, also if its user only was assigned.
    static func isBare(_ table: SchemaTable) -> Bool {
        let bound = Set(table.foreignKeys.flatMap(\.columns))
        return table.foreignKeys.count == 2 && bound.count == 2
            && table.columns.allSatisfy { bound.contains($0.name) || isAside($0, in: table) }
    }

    /// Whether the rows of a table are what users do with rows that are not theirs: `likes`, `photo_views`.
    static func isAct(_ table: TableName) -> Bool {
        PersonNames.words(table.name).last { !markers.contains($0) }
            .map { acts.contains(EnglishNoun.singular($0)) && !contents.contains($0) } ?? false
    }

    /// A column that says nothing but how the sides are connected.
    private static func isAside(_ column: SchemaColumn, in table: SchemaTable) -> Bool {
        if table.primaryKey == [column.name] || column.labels != nil { return true }
        let last = PersonNames.words(column.name).last ?? ""
        switch column.kind {
        case .boolean, .timestamp: return true
        case .integer, .number: return orders.contains(last) || times.contains(last) || roles.contains(last)
        case .text: return roles.contains(last) || times.contains(last)
        default: return false
        }
    }

    /// Whether a table is named after the rows that it connects with users, or after the users of a group: `post_user`,
    /// `MemberInWorkspace`, `memberships`. Other tables have rows of their own: `notes` with an author and a thread.
    private static func isNamed(_ words: [String], after thing: [String]) -> Bool {
        guard let last = thing.last, !words.contains(where: { members.contains(EnglishNoun.singular($0)) }) else {
            return true
        }
        return words.indices.contains { end in
            EnglishNoun.singular(words[end]) == EnglishNoun.singular(last)
                && words[..<end].suffix(thing.count - 1).elementsEqual(thing.dropLast())
        }
    }

    /// Nouns for people who take part in what a table before them in the name is about, and for their taking part.
    private static let partakers: Set<String> = [
        "player", "student", "pupil", "learner", "trainee", "attendee", "attendance", "rider", "passenger",
        "competitor", "contestant", "entrant", "racer", "runner", "teammate", "registrant", "registration", "enrollee",
        "enrollment", "enrolment", "signup", "volunteer", "respondent", "crew",
    ]
    private static let members: Set<String> = ["member", "membership", "participant", "participation", "collaborator"]

    /// Words that only say that a table connects what its name lists, or what a member may do there.
    private static let connectors: Set<String> = [
        "has", "in", "to", "of", "and", "x", "map", "mapping", "rel", "relation", "relationship", "association",
        "assignment", "role", "permission", "access", "right", "lnk", "link",
    ]

    /// Whether a table between rows and users is named after both, or after members of the rows: `users_newsletters`,
    /// `project_has_users`, `user_team_permissions`, `workspace_members`, `cup_players`; not `post_mentions`.
    static func connectsMembers(_ table: TableName, with thing: TableName, users: TableName) -> Bool {
        let words = PersonNames.words(table.name).map { EnglishNoun.singular($0) }
        let sides = [thing, users].map { PersonNames.words($0.name).map { EnglishNoun.singular($0) } }
        // `group_member_notes` lists the notes of `group_members`, and no members of them.
        let rest = words.starts(with: sides[0]) ? words.dropFirst(sides[0].count) : words[...]
        if rest.contains(where: members.contains) { return true }
        if rest.count == 1, rest.count < words.count, rest.allSatisfy(partakers.contains) { return true }
        let others = sides.flatMap(\.self)
        // The singular of `has` is none.
        let named = zip(words, PersonNames.words(table.name)).filter { noun, word in
            others.contains(noun) || !connectors.contains(noun) && !connectors.contains(word)
        }
        return others.sorted() == named.map(\.0).sorted()
    }

    /// Whether a list in rows is that of their members: `member_ids`, `users`; not `liked_by_ids`.
    static func isOfMembers(_ column: String, of users: TableName) -> Bool {
        let words = KeyName(column).words.map { EnglishNoun.singular($0) }
        return words.count == 1
            && (members.contains(words[0]) || words == PersonNames.words(users.name).map { EnglishNoun.singular($0) })
    }

    /// Whether a column lists the members of a row: `participants` and `member_ids` as an array or as JSON, and a text
    /// that is named like a list of keys.
    static func listsMembers(_ column: SchemaColumn, of users: TableName) -> Bool {
        let name = KeyName(column.name)
        switch column.kind {
        case .array, .json:
            if name.isList { return isOfMembers(column.name, of: users) }
            return name.words.count == 1 && members.contains(name.noun) && name.words[0] != name.noun
        case .text: return name.isList && isOfMembers(column.name, of: users)
        default: return false
        }
    }

    /// The words after the other table's own in the name of a table: `author lnk` of `articles_author_lnk`.
    private static func field(of thing: [String], in words: [String]) -> [String]? {
        guard words.count > thing.count, let last = thing.last,
            words.prefix(thing.count - 1).elementsEqual(thing.dropLast()),
            EnglishNoun.singular(words[thing.count - 1]) == EnglishNoun.singular(last)
        else { return nil }
        return Array(words[thing.count...])
    }

    /// Whether a field holds one user, or the users who wrote the row: `stories_owner_lnk`, `orders_user_lnk`,
    /// `article_authors`; not `products_users_lnk`.
    private static func isOwner(_ field: [String]) -> Bool {
        let isMarked = field.last.map(markers.contains) ?? false
        let nouns = isMarked ? field.dropLast() : field[...]
        guard nouns.count == 1, let noun = nouns.first else { return false }
        let singular = EnglishNoun.singular(noun)
        return makers.contains(singular) || isMarked && singular == noun && users.contains(noun)
    }

    private static let makers: Set<String> = [
        "author", "owner", "creator", "writer", "uploader", "poster", "submitter",
    ]
    private static let users: Set<String> = ["user", "account", "customer", "client", "person", "profile", "patient"]
    /// Last words of the names that frameworks give to tables between two others.
    private static let markers: Set<String> = ["lnk", "link", "links"]
    private static let orders: Set<String> = ["order", "ord", "position", "rank", "sort", "index", "weight", "version"]
    private static let times: Set<String> = ["at", "on", "date", "time", "timestamp"]
    private static let roles: Set<String> = [
        "role", "kind", "type", "status", "state", "permission", "level", "access", "rights",
    ]
    /// Nouns for lists that an app keeps for all users to choose from.
    static let lists: Set<String> = [
        "role", "permission", "privilege", "authority", "entitlement", "scope", "category", "tag", "label", "topic",
        "badge", "skill", "interest", "hobby", "genre", "language", "locale", "currency", "country", "region", "state",
        "city", "plan", "tier", "feature", "flag", "policy", "achievement",
        "type", "kind", "status", "level", "reason", "mode", "unit", "frequency", "gender", "timezone", "color",
        "colour", "format", "choice",
    ]
    /// Whether a noun is one for what is chosen, such as a type or a status; a user may make it for others.
    static func isList(_ noun: String) -> Bool { lists.contains(noun) || ["template", "priority"].contains(noun) }

    /// Words for acts that are also words for contents of a page.
    private static let contents: Set<String> = ["block", "blocks", "pin", "pins"]
    /// Acts of users on rows that are not theirs.
    private static let acts: Set<String> = [
        "like", "liked", "favorite", "favourite", "bookmark", "follow", "follower", "vote", "voted", "upvote",
        "downvote", "view", "read", "star", "wishlist", "reaction", "watch", "watcher", "rating", "impression", "pin",
        "mute", "block", "hide", "subscription", "subscriber", "viewer", "visit",
    ]
}
