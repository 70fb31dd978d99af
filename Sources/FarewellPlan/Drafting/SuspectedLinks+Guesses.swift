// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

extension SuspectedLinks {
    /// The table of whose rows each row here is a part under the same key: `story_texts` of `stories`. No other column
    /// says whose they are.
    func whole(_ read: ReadColumn) -> TableName? {
        let words = PersonNames.words(read.table.name.name)
        guard read.isWholeKey, read.column.name.lowercased() == "id", !Identification.isNumbered(read.column),
            words.count > 1, let last = words.last,
            OwnedParents.contents.contains(EnglishNoun.singular(last)), map.keys(of: read.table.name).isEmpty,
            map.keys(to: read.table.name).isEmpty,
            !read.table.columns.contains(where: { $0.name != read.column.name && KeyName($0.name).isKey }),
            let whole = names.named(words.dropLast(), near: read.table.name).first, whole != read.table.name,
            let key = key(of: whole).flatMap({ map.column(whole, $0) })
        else { return nil }
        return KeyFit.of(read.column, key, in: dialect) == .same ? whole : nil
    }

    /// The other table for whose name the words of a name are short, if the column can hold its key: `repo_id`. After a
    /// word for another service, it does not mean the app's own table.
    func short(_ read: ReadColumn) -> TableName? {
        let name = read.name
        guard name.act == nil, name.gift == nil, read.list == nil,
            !name.words.dropLast().contains(where: { PersonNoun.isOutside($0) || OtherKeys.common.contains($0) }),
            let found = names.shortened(by: name, near: read.table.name), found != read.table.name,
            let key = key(of: found).flatMap({ map.column(found, $0) })
        else { return nil }
        return KeyFit.of(read.column, key, in: dialect) == .same ? found : nil
    }

    /// The possible meaning of a column whose type and name are both unlike those of a user's key.
    func guessed(_ read: ReadColumn) -> SuspectedColumn? {
        let column = read.column
        if let listed = listed(read) { return listed }
        if let version = version(read) { return version }
        guard read.table.name != subject.table, read.list == nil, read.typeColumn == nil, column.labels == nil,
            let key = map.column(subject.table, subject.key)
        else { return nil }
        switch KeyFit.of(column, key, in: dialect) {
        case .same?, .untyped?:
            let ofRows = former(read) ?? ownKey(read) ?? source(read) ?? namesake(read) ?? joined(read)
            let ofNames = ending(read) ?? initial(read) ?? receiver(read, key) ?? doer(read, key)
            guard let guess = ofRows ?? ofNames ?? person(read, key) else { return nil }
            var found = SuspectedColumn(read, role: guess.role)
            found.guess = guess
            return found
        case .asText?: return signIn(read)
        case nil: return nil
        }
    }

    /// Whether another column says whose a row is: a key to users, or a name for an owner, but not the user that saved
    /// the row as a version.
    private func hasOwner(_ table: SchemaTable, besides column: SchemaColumn) -> Bool {
        table.columns.contains { other in
            let name = KeyName(other.name)
            return other.name != column.name && name.isKey && PersonNames.role(name) == .owner && holdsUsers(other)
                && !RowVersions.haveOwnColumns(table, besides: [other.name])
        }
    }

    // MARK: Rows under the users' own key

    /// The key of users in a table that keeps their earlier rows: `id` of `users_history`, `old_id` of `deleted_users`.
    private func former(_ read: ReadColumn) -> GuessedMeaning? {
        let (words, key) = (PersonNames.words(read.column.name), PersonNames.words(subject.key))
        let isFormer = words.count == key.count + 1 && Self.formers.contains(words[0])
        guard words == key || isFormer && words.dropFirst().elementsEqual(key), isHistory(read.table.name),
            !hasOwner(read.table, besides: read.column)
        else { return nil }
        return GuessedMeaning(
            role: .owner, reason: "by its name the table keeps earlier rows of users, which may be under their key",
            isDoubtful: read.isWholeKey || Identification.isNumbered(read.column))
    }

    /// The key of another table in one that keeps that table's earlier rows: `id` of `article_version`, beside the
    /// number of the version. A whole key numbers the rows of its own table.
    private func version(_ read: ReadColumn) -> SuspectedColumn? {
        let (column, table) = (read.column, read.table)
        guard !read.isWholeKey, read.list == nil, read.typeColumn == nil, column.labels == nil else { return nil }
        let original = map.listed.map(\.name).first { other in
            guard other != table.name, other != subject.table, key(of: other) == column.name,
                let key = map.column(other, column.name)
            else { return false }
            return KeyFit.of(column, key, in: dialect) == .same && keepsRows(table.name, of: other)
                && !table.foreignKeys.contains { $0.target == other }
        }
        guard let original else { return nil }
        let shown = Shown.line(original.description, limit: 160)
        var found = SuspectedColumn(read, role: nil, tables: [original])
        found.guess = GuessedMeaning(
            role: .owner, reason: "by its name the table keeps earlier rows of \(shown), which are under their key")
        return found
    }

    /// Whether a table is named after the users' and after former rows: `users_history`, `deleted_users`,
    /// `audit.users`.
    private func isHistory(_ table: TableName) -> Bool { keepsRows(table, of: subject.table) }

    /// Whether a table is named after another one's and after former rows. Django glues the words together:
    /// `blog_historicalpost`.
    private func keepsRows(_ table: TableName, of other: TableName) -> Bool {
        let own = PersonNames.words(other.name).map(EnglishNoun.singular)
        var words = PersonNames.words(table.name).map(EnglishNoun.singular)
        if let last = words.last, last.hasPrefix(Self.glued), last.utf8.count > Self.glued.utf8.count {
            words[words.count - 1] = String(last.dropFirst(Self.glued.count))
            words.append(Self.glued)
        }
        var rest = words[...]
        while let first = rest.first, rest.count > own.count, Self.histories.contains(first) { rest.removeFirst() }
        while let last = rest.last, rest.count > own.count, Self.histories.contains(last) { rest.removeLast() }
        guard rest.elementsEqual(own) else { return false }
        let schema = table.schema.map(PersonNames.words) ?? []
        return rest.count < words.count || schema.contains { Self.histories.contains(EnglishNoun.singular($0)) }
    }

    private static let glued = "historical"
    private static let histories: Set<String> = [
        "history", "hist", "version", "log", "audit", "archive", "archived", "backup", "bak", "old", "snapshot",
        "change", "revision", "deleted", "removed", "former", "copy", "shadow", "tombstone", "trash", glued,
    ]
    private static let formers: Set<String> = ["old", "original", "former", "source", "prev", "previous"]

    /// The whole key of a table that has the name of the users' key, or is called `uid`: one row for each user. Not
    /// where most tables call their keys so, or where other rows refer to these by it.
    private func ownKey(_ read: ReadColumn) -> GuessedMeaning? {
        let (column, table) = (read.column, read.table)
        let name = column.name.lowercased()
        let isUsers = name == subject.key.lowercased() && !Self.general.contains(name)
        guard read.isWholeKey, isUsers || name == "uid", !Identification.isMade(column),
            !Identification.isNumbered(column), map.keys(to: table.name).isEmpty, !hasOwner(table, besides: column),
            !isConvention(name)
        else { return nil }
        return GuessedMeaning(
            role: .owner, reason: "it is the whole key of its rows, which may be one for each user",
            isDoubtful: column.kind == .integer || column.kind == .number)
    }

    /// Names that keys of any table have.
    private static let general: Set<String> = [
        "id", "uuid", "guid", "ulid", "key", "pk", "no", "nr", "number", "code", "name", "slug", "tag", "ref", "title",
        "label", "value", "hash", "token", "type", "oid",
    ]

    private func isConvention(_ name: String) -> Bool {
        let keys = map.listed.map(\.primaryKey).filter { $0.count == 1 }
        let same = keys.count(where: { $0[0].lowercased() == name })
        return same > 3 && same * 2 > keys.count
    }

    // MARK: Other users

    /// `source` beside `target`, which may be users: both ends of a connection.
    private func source(_ read: ReadColumn) -> GuessedMeaning? {
        let name = read.name
        if isRoute(read) {
            return GuessedMeaning(
                role: .otherSide, reason: "in a table named after users, both ends of a connection may be users",
                isDoubtful: !isUUID(read.column))
        }
        guard name.words == ["source"] || name.words == ["src"], name.isKey || !isPlainText(read.column),
            !read.isWholeKey, names.named(name.words, near: read.table.name).isEmpty,
            read.table.columns.contains(where: { isTarget($0, of: name, in: read.table) })
        else { return nil }
        return GuessedMeaning(
            role: .otherSide, reason: "with the target beside it, it may be an end of a connection between users",
            isDoubtful: true)
    }

    private static let sources: Set<String> = ["source", "src", "origin"]
    private static let destinations: Set<String> = ["destination", "dest", "dst"]

    /// Whether a column is an end of a connection beside the other end, in a table named after users: `source_id` and
    /// `destination_id` of `user_edges`.
    private func isRoute(_ read: ReadColumn) -> Bool {
        let (name, table) = (read.name, read.table)
        guard name.isKey, name.words.count == 1, meansUsers(read), !read.isWholeKey,
            PersonNames.words(table.name.name).contains(where: { word in
                isSubject(EnglishNoun.singular(word)) || PersonNoun.role(EnglishNoun.singular(word)) == .owner
            })
        else { return false }
        let others: Set<String>
        switch name.words[0] {
        case let word where Self.sources.contains(word): others = Self.destinations
        case let word where Self.destinations.contains(word): others = Self.sources
        default: return false
        }
        return table.columns.contains { other in
            let theirs = KeyName(other.name)
            return theirs.isKey && theirs.words.count == 1 && others.contains(theirs.words[0]) && holdsUsers(other)
                && !map.keys(of: table.name).contains {
                    $0.key.columns.contains(other.name) && $0.key.target != subject.table
                }
        }
    }

    private func isTarget(_ column: SchemaColumn, of source: KeyName, in table: SchemaTable) -> Bool {
        let name = KeyName(column.name)
        guard name.words == ["target"], name.isKey == source.isKey, holdsUsers(column),
            names.named(name.words, near: table.name).isEmpty,
            PolymorphicPair.typeColumn(of: column, name, in: table, map) == nil
        else { return false }
        return !map.keys(of: table.name).contains { key in
            key.key.columns.contains(column.name) && key.key.target != subject.table
        }
    }

    /// The other user in a row between two, under the table's own name: `follow_id` of `follow`, `zebra_id` of `zebra`.
    private func namesake(_ read: ReadColumn) -> GuessedMeaning? {
        let (column, name, table) = (read.column, read.name, read.table)
        guard name.isKey, name.words.count == 1, name.noun == PersonNames.noun(of: table.name),
            PersonNames.role(name) == nil, !read.isWholeKey, !Identification.isNumbered(column),
            !map.keys(to: table.name).contains(where: { $0.key.targetColumns.contains(column.name) }),
            table.foreignKeys.contains(where: { $0.target == subject.table })
                || table.columns.contains(where: { $0.name != column.name && namesUser($0, in: table) })
        else { return nil }
        // As a part of the key, it is the row's own number, unless the user beside it is a part as well.
        guard !table.primaryKey.contains(column.name) || namesUserInKey(of: table, besides: column) else { return nil }
        let isKnown = Self.connections.contains(name.noun)
        guard isKnown || isConnection(column, table) && !PersonNoun.isWriting(table.name) else { return nil }
        return GuessedMeaning(
            role: .otherSide, reason: "beside a user, the table's own name may mean another user",
            isDoubtful: !isKnown)
    }

    private func namesUserInKey(of table: SchemaTable, besides column: SchemaColumn) -> Bool {
        table.columns.contains { other in
            other.name != column.name && table.primaryKey.contains(other.name)
                && (namesUser(other, in: table)
                    || table.foreignKeys.contains { $0.target == subject.table && $0.columns == [other.name] })
        }
    }

    /// Whether rows do nothing but connect: they have no other columns than keys, or one of two parts and no text.
    private func isConnection(_ column: SchemaColumn, _ table: SchemaTable) -> Bool {
        isRelation(table.name)
            || table.primaryKey.count == 2 && table.primaryKey.contains(column.name)
                && !table.columns.contains { $0.kind == .text && $0.labels == nil }
    }

    /// Nouns for the acts of one user on another.
    private static let connections: Set<String> = [
        "follow", "block", "mute", "ignore", "friendship", "poke", "wink", "match", "crush",
    ]

    /// A name with a noun for a user at its end. Where the words before it do not name an act of the user, a text
    /// is as likely a name of another kind, and a small number a flag.
    private func ending(_ read: ReadColumn) -> GuessedMeaning? {
        let (column, type) = (read.column, read.column.type.lowercased())
        guard let ending = PersonSpelling.ending(column.name) ?? ownNoun(column), !read.isWholeKey, meansUsers(read)
        else { return nil }
        let isFlag = isPlainText(column) || type.contains("small") || type.contains("tiny")
        guard ending.role != nil || !isFlag else { return nil }
        return GuessedMeaning(
            role: ending.role ?? .otherSide, reason: "a name that ends in a noun for a user may be that of a key",
            isDoubtful: ending.role == nil)
    }

    /// The users' own noun at the end of a column of the very type of their key: `subscribed_editor` of `editors`.
    private func ownNoun(_ column: SchemaColumn) -> PersonSpelling.Ending? {
        guard column.defaultExpression == nil, let key = map.column(subject.table, subject.key),
            KeyFit.areOfType(column, key, in: dialect)
        else { return nil }
        return PersonSpelling.ending(column.name, or: PersonNames.noun(of: subject.table))
    }

    /// The first letter of the users' noun alone: `u_id` of `users`. Another table may begin with it as well.
    private func initial(_ read: ReadColumn) -> GuessedMeaning? {
        let words = read.name.words
        guard read.name.isKey, words.count == 1, words[0].count == 1, read.keyed == nil, !read.isWholeKey,
            words[0] == Self.initial(of: subject.table), !PersonSpelling.sides.contains(words[0])
        else { return nil }
        return GuessedMeaning(
            role: .owner, reason: "its letter may stand for the users' table",
            isDoubtful: map.listed.contains { $0.name != subject.table && Self.initial(of: $0.name) == words[0] })
    }

    private static func initial(of table: TableName) -> String? {
        PersonNames.words(table.name).last.map { String($0.prefix(1)) }
    }

    /// The user to or for whom something was done: `billed_to`, `verified_for`. A number may be that of another row.
    private func receiver(_ read: ReadColumn, _ key: SchemaColumn) -> GuessedMeaning? {
        let (column, words) = (read.column, read.name.words)
        guard words.count == 2, PersonNoun.receives(words), !read.isWholeKey, meansUsers(read),
            read.name.isKey || !isPlainText(column) && KeyFit.areOfType(column, key, in: dialect)
        else { return nil }
        return GuessedMeaning(
            role: .otherSide, reason: "by its name, something was done \(words[1]) what it names",
            isDoubtful: !isUUID(column))
    }

    /// A noun for an acting person that is no word for an owner: `flagger`, `rater`, `surgeon_id`.
    private func doer(_ read: ReadColumn, _ key: SchemaColumn) -> GuessedMeaning? {
        let column = read.column
        // Where values prove much, the ending of the noun is sufficient: `prescriber`.
        let isCertain = column.kind == .uuid || column.sampledText == .keys
        guard read.name.words.count == 1, let noun = read.name.words.first,
            PersonNoun.acts(noun) || isCertain && PersonNoun.soundsLikeDoer(noun),
            read.name.isKey || !isPlainText(column), !read.isWholeKey,
            meansUsers(read.name.words, near: read.table.name), KeyFit.areOfType(column, key, in: dialect)
        else { return nil }
        return GuessedMeaning(
            role: .doer, reason: "a noun for an acting person may be the name of a key",
            isDoubtful: !isUUID(column))
    }

    /// Whether a column holds UUIDs or the like, by its type or as texts: it needs no name like that of a key.
    func isUUID(_ column: SchemaColumn) -> Bool { column.kind == .uuid || made.mayBeIn(column) }

    /// Whether a column is a text that holds no such keys.
    func isPlainText(_ column: SchemaColumn) -> Bool { column.kind == .text && !isUUID(column) }

    /// Whether no other table bears the whole name.
    func meansUsers(_ read: ReadColumn) -> Bool {
        meansUsers(PersonNames.words(read.column.name), near: read.table.name)
    }

    func meansUsers(_ words: [String], near table: TableName) -> Bool {
        let found = names.named(words, near: table)
        return found.isEmpty || found.contains(subject.table)
    }

    /// The name by which a user signs in, in a text where the users' keys are none: `create_user` of Java's frameworks.
    private func signIn(_ read: ReadColumn) -> SuspectedColumn? {
        guard read.column.kind == .text, let name = naturalNames.signIn, meansUsers(read),
            let role = PersonSpelling.ending(read.column.name)?.role
        else { return nil }
        var found = SuspectedColumn(read, role: role, naturalName: name)
        found.guess = GuessedMeaning(
            role: role, reason: "a name that ends in a noun for a user may be that of a text by which users sign in")
        return found
    }
}
