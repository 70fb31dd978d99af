// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Finds the columns of a schema that may be links although no key says so.
///
/// Flags, counters and statistics are none: a number counts only under a name written like a key, and beside a table
/// that it can lead to. A column whose sibling says to which table it leads is never a plain link.
struct SuspectedLinks {
    let map: SchemaMap
    let subject: SubjectRoot
    private let otherKeys: OtherKeys
    private let profileKeys: ProfileKeys
    let names: TableNames
    private let profiles: ProfileTables
    let naturalNames: NaturalNames
    /// Whether the app declares links to subjects, beside those of tables with one row for each.
    private let isDeclared: Bool
    /// Whether subjects' keys are texts.
    private let hasTextKey: Bool
    /// Whether the app calls numbers of users by nothing but the noun: `editor`, not `editor_id`.
    let areBare: Bool
    /// Texts that hold keys as columns of UUIDs do.
    let made: MadeKeys
    /// Farewell's own session authority, if it is in the schema. Its tables with their keys have no other link.
    private let own: OwnTables?
    var dialect: SQLDialect { map.schema.dialect }

    init(_ map: SchemaMap, subject: SubjectRoot) {
        self.map = map
        otherKeys = OtherKeys(map, subject: subject)
        profileKeys = ProfileKeys(map, subject: subject)
        self.subject = subject
        names = TableNames(map)
        profiles = ProfileTables(map, subject: subject, names: names)
        naturalNames = NaturalNames(map, subject: subject)
        // A table with one row for each user does not say that the app declares its keys.
        let people = PersonTables.of(subject, map)
        isDeclared = people.flatMap { map.keys(to: $0) }.contains { !people.contains($0.table) }
        hasTextKey = map.column(subject.table, subject.key)?.kind == .text
        made = MadeKeys(map, subject: subject)
        areBare = Self.areBare(map, subject)
        own = OwnTables(map.schema, isWhole: false)
    }

    /// - Parameter bound: Columns whose target keys, or the plan, declare.
    func columns(in table: SchemaTable, bound: Set<String>) -> [SuspectedColumn] {
        let declared = table.foreignKeys.isEmpty ? nil : own
        return table.columns.compactMap { column in
            if bound.contains(column.name) || declared?.makes(column.name, in: table.name) == true { return nil }
            return column.identity != .always && mayHoldKeys(column) ? suspected(column, in: table) : nil
        }
    }

    /// Whether rows of a table only connect people with people or with things.
    func isRelation(_ table: TableName) -> Bool { profiles.isRelation(table) }

    /// Whether a table has one row for each user, by its keys or by its name.
    func isOfPeople(_ table: TableName) -> Bool { table == subject.table || profiles.contains(table) }

    /// Whether links to subjects need no name like that of a key: they are texts, and the app declares none of them.
    private var areTexts: Bool { hasTextKey && !isDeclared }

    /// Whether a column holds an address or a number of a person instead of a key: `invited_by_email`, unless subjects'
    /// keys are such addresses, and `emails.sent_to`, unless they are texts.
    private func holdsAddress(_ column: SchemaColumn, in table: SchemaTable) -> Bool {
        guard let kind = ContactColumns.kind(column) else {
            return !hasTextKey && ContactColumns.kind(column, of: table.name) != nil
        }
        return map.column(subject.table, subject.key).flatMap { ContactColumns.kind($0) } != kind
    }

    private func mayHoldKeys(_ column: SchemaColumn) -> Bool {
        switch column.kind {
        case .boolean, .timestamp: false
        default: true
        }
    }

    private func suspected(_ column: SchemaColumn, in table: SchemaTable) -> SuspectedColumn? {
        let read = ReadColumn(column, in: table, map, names) { list(column, $0, in: table) }
        if read.isCount { return nil }
        return saidElsewhere(read) ?? plain(read) ?? guessed(read)
    }

    /// The meaning of a name that is written like that of a key, or that consists of a noun for a person.
    private func plain(_ read: ReadColumn) -> SuspectedColumn? {
        let (column, table) = (read.column, read.table)
        if read.list == nil, holdsAddress(column, in: table) { return nil }
        if Identification.isOwn(column, read.name, in: table, map, subject) { return nil }
        let endsInKey = endsInSubjectKey(column, of: table)
        let isWord = areTexts && !read.name.isKey && column.kind == .text && column.labels == nil
        guard isKeyLike(read, endsInKey: endsInKey, isWord: isWord) else { return nil }
        let role =
            PersonNames.role(read.name, in: table.name) ?? (endsInKey ? .doer : nil)
            ?? end(read.name, column, in: table)
            ?? (read.list != nil && listsUsers(column, read.name) ? .otherSide : nil)
        // `users.user_no` is another key of the same user.
        if table.name == subject.table, role == .owner, read.list == nil { return nil }
        if read.isWholeKey, read.name.words == ["uid"] || role == .doer { return nil }
        return named(read, role, endsInKey: endsInKey, isWord: isWord)
    }

    /// A column that names no table. Instead it names another key of the subject or of a profile, a row of the table
    /// that a sibling column gives, a user's unique name, or a user by a name that is not written like a key.
    private func saidElsewhere(_ read: ReadColumn) -> SuspectedColumn? {
        let (column, name, table) = (read.column, read.name, read.table)
        if let other = otherKeys.named(by: column, of: table), read.typeColumn == nil {
            return SuspectedColumn(read, role: other.role, otherKey: other.column)
        }
        if read.typeColumn == nil, read.list == nil, let key = profileKey(column, name, in: table) {
            return SuspectedColumn(read, role: nil, profileKey: key, tables: [key.table])
        }
        if read.typeColumn != nil, read.list == nil {
            return SuspectedColumn(read, role: PersonNames.role(name), isOfPair: true)
        }
        if let natural = naturalNames.named(by: column, of: table) {
            return SuspectedColumn(read, role: natural.role, naturalName: natural.column)
        }
        if let whole = whole(read) { return SuspectedColumn(read, role: nil, tables: [whole]) }
        if let other = bare(read) ?? side(read) { return other }
        if read.list == nil, let role = spelled(column, name, in: table) {
            return SuspectedColumn(
                read, role: role, tables: bearers(of: name, near: table.name),
                isWord: column.kind == .text && !isUUID(column))
        }
        return nil
    }

    /// Whether type and name of a column are like those of a key. A UUID is sufficient by its type; every other type
    /// needs such a name.
    private func isKeyLike(_ read: ReadColumn, endsInKey: Bool, isWord: Bool) -> Bool {
        let (column, name, table) = (read.column, read.name, read.table)
        guard
            name.mayHoldKey && (column.kind != .text || name.isKey) || isUUID(column) || read.list != nil
                || endsInKey || isWord && isNamedText(name)
        else { return false }
        // `admin smallint` is a flag where keys are texts.
        if column.kind == .integer, hasTextKey, !name.isKey, read.list == nil { return false }
        if isProviders(column, name, in: table) { return false }
        if PolymorphicPair.isOwnKey(column, name, in: table, map), name.isKey, !read.isWholeKey { return false }
        return read.list != nil || ![.json, .array].contains(column.kind)
    }

    /// A column whose name speaks of tables or of a person.
    private func named(
        _ read: ReadColumn, _ role: PersonNames.Role?, endsInKey: Bool, isWord: Bool
    ) -> SuspectedColumn? {
        let (column, name, table) = (read.column, read.name, read.table)
        let isOfTable = !name.endsInDeed && (name.isKey || read.list != nil || isWord) && !name.words.isEmpty
        var (tables, isBeside) = isOfTable ? meant(read, role, isWord: isWord) : ([], false)
        // `posts.post_id` is the table's own key, `followers.follower_id` a user's.
        if tables.contains(table.name), table.primaryKey.contains(column.name) || tables.first == table.name {
            guard !read.isWholeKey, let role, isPerson(column, name, role, in: table) else { return nil }
            tables.removeAll { $0 == table.name }
        }
        // `follow_requests.follower_id` beside `following_id` is a person's, not a row's of `followers`.
        if role != nil, !PersonNoun.tables.contains(name.noun), tables.contains(where: profiles.isRelation),
            table.columns.contains(where: { $0.name != column.name && namesPerson($0, in: table) })
        {
            tables.removeAll(where: profiles.isRelation)
        }
        let near = isOfTable && tables.isEmpty && !isWord ? names.ending(name.words, near: table.name) : nil
        let isPerson = role != nil && tables.isEmpty && read.list == nil && !endsInKey
        let person = isPerson ? self.person(column, name, near, in: table) : nil
        if let profile = person?.table { tables = [profile] }
        let abbreviated = isOfTable && !isWord && role == nil && tables.isEmpty && near == nil ? short(read) : nil
        if let abbreviated { tables = [abbreviated] }
        guard role != nil || !tables.isEmpty || near != nil else { return nil }
        // `subjects.default_subject_id` refers to another row of its own table.
        let isOwn = near?.table == table.name
        let isNamed = near.map { $0.isWhole && $0.table != subject.table } ?? false
        let means: PersonNames.Role? = abbreviated == subject.table ? .owner : role
        var found = SuspectedColumn(read, role: means, tables: tables, isWord: isWord)
        found.abbreviated = abbreviated
        found.nearTable = isOwn && !(isNamed && role != nil) ? nil : near?.table
        (found.isNearNamed, found.isBeside, found.person) = (isNamed, isBeside, person)
        return role == nil && tables.isEmpty && found.nearTable == nil ? nil : found
    }

    /// The role of the user that a name means which is not written like a key.
    private func spelled(_ column: SchemaColumn, _ name: KeyName, in table: SchemaTable) -> PersonNames.Role? {
        guard table.name != subject.table, column.labels == nil, holdsUsers(column),
            PersonNames.role(name) == nil || !name.mayHoldKey, names.named(name.words, near: table.name).isEmpty
        else { return nil }
        return PersonSpelling.role(column.name, in: table)
    }

    /// The tables of people after which the last word is named, if the users have another one: `rev_actor` of `actor`.
    private func bearers(of name: KeyName, near table: TableName) -> [TableName] {
        names.named(PersonSpelling.noun(name.words), near: table).filter { $0 != subject.table && $0 != table }
    }

    /// The target of a name for a person where some table beside the subject's holds a row for each user: `profile_id`
    /// beside `user_profiles`, `follower_id`. A noun for the users themselves means them.
    private func person(
        _ column: SchemaColumn, _ name: KeyName, _ near: (table: TableName, isWhole: Bool)?, in table: SchemaTable
    ) -> ProfileTables.Target? {
        if let near {
            guard !near.isWhole, near.table != table.name,
                profiles.contains(near.table) || isOfAccounts(near.table, name)
            else { return nil }
            return ProfileTables.Target(table: near.table, rival: subject.table)
        }
        return ["uid", "sub"].contains(name.words.last) ? nil : profiles.target(of: column, name, in: table)
    }

    /// A column that may as well hold a subject's key, or the key of a table after which it is named, repeats none.
    private func profileKey(_ column: SchemaColumn, _ name: KeyName, in table: SchemaTable) -> ColumnName? {
        guard let found = profileKeys.named(by: column, of: table),
            PersonNames.role(name) == nil || !holdsUsers(column),
            !names.named(name.words, near: table.name).contains(where: { $0 != found.table })
        else { return nil }
        return found
    }

    /// `from_id`, `to_id`: an end of what passes between two. It is a user's where another column of the row names one,
    /// and probably in a table of what passes between people, with both ends or with the first and a text.
    private func end(_ name: KeyName, _ column: SchemaColumn, in table: SchemaTable) -> PersonNames.Role? {
        guard isEnd(name), holdsUsers(column), table.name != subject.table else { return nil }
        let others = table.columns.filter { $0.name != column.name }
        let isSaid = map.keys(of: table.name).map(\.key.target).contains { target in
            naturalNames.tables.contains(target) || profiles.contains(target)
        }
        if isSaid || others.contains(where: { namesUser($0, in: table) }) { return .otherSide }
        let isPair = others.contains { isEnd(KeyName($0.name)) && holdsUsers($0) }
        // The author of a message in a channel.
        let isAuthor = name.words == ["from"] && others.contains { $0.kind == .text && $0.labels == nil }
        guard isPair || isAuthor else { return nil }
        return PersonNames.words(table.name.name).contains(where: PersonNoun.isExchange) ? .doer : nil
    }

    /// Whether the name of a key is one for a person and for no table.
    private func namesPerson(_ column: SchemaColumn, in table: SchemaTable) -> Bool {
        let name = KeyName(column.name)
        return name.isKey && PersonNames.role(name) != nil && names.named(name.words, near: table.name).isEmpty
    }

    private func isEnd(_ name: KeyName) -> Bool {
        (name.isKey || areTexts) && name.words.count == 1 && PersonNoun.ends.contains(name.words[0])
    }

    /// `providerAccountId` beside `provider`: the name of a user at another service.
    private func isProviders(_ column: SchemaColumn, _ name: KeyName, in table: SchemaTable) -> Bool {
        guard column.kind == .text, name.words.count > 1, let first = name.words.first,
            Self.providers.contains(first)
        else { return false }
        return table.columns.contains { $0.kind == .text && PersonNames.words($0.name) == [first] }
    }

    private static let providers: Set<String> = ["provider", "issuer", "platform", "service", "network", "idp"]

    /// Whether the name of the subject's table ends with a noun.
    func isSubject(_ noun: String) -> Bool {
        PersonNames.words(subject.table.name).last.map { EnglishNoun.singular($0) == noun } ?? false
    }

    func holdsUsers(_ column: SchemaColumn) -> Bool {
        guard let key = map.column(subject.table, subject.key) else { return false }
        return KeyFit.of(column, key, in: dialect) == .same
    }

    func namesUser(_ column: SchemaColumn, in table: SchemaTable) -> Bool {
        let name = KeyName(column.name)
        guard name.isKey || areTexts && name.mayHoldKey && isNamedText(name),
            let role = PersonNames.role(name), role != .doer, holdsUsers(column),
            PolymorphicPair.typeColumn(of: column, name, in: table, map) == nil
        else { return false }
        let named = names.named(name.words, near: table.name)
        return named.isEmpty || named.contains { $0 == subject.table || profiles.contains($0) }
    }

    /// Whether a column with the name of its own table refers to a user: it is a part of the key, as in a table between
    /// two others, or its noun rarely names a table of people with numbers of their own.
    private func isPerson(
        _ column: SchemaColumn, _ name: KeyName, _ role: PersonNames.Role, in table: SchemaTable
    ) -> Bool {
        guard role != .doer, table.name != subject.table, let key = map.column(subject.table, subject.key),
            KeyFit.of(column, key, in: dialect) == .same
        else { return false }
        let isOfKey = table.primaryKey.contains(column.name)
        // `(company_id, customer_id)`, to which other tables refer, is the table's own key.
        if isOfKey, !map.keys(to: table.name).isEmpty { return false }
        return table.primaryKey.count > 1 && isOfKey || !PersonNoun.tables.contains(name.noun)
            || isSecondUser(column, in: table)
    }

    /// `clerk_uid`, where the subject's key is called `uid`: a name of its own, not `id` or the like. A key called
    /// `code` or `name`, as things have them too, needs a word for the subject before it: `user_code`.
    private func endsInSubjectKey(_ column: SchemaColumn, of table: SchemaTable) -> Bool {
        let (words, key) = (PersonNames.words(column.name), PersonNames.words(subject.key))
        guard let last = key.last, !["id", "uuid", "guid", "key", "pk", "no", "number"].contains(last),
            words.suffix(key.count).elementsEqual(key)
        else { return false }
        guard words.count > key.count else {
            return table.name != subject.table && (key.count > 1 || PersonNames.isIdentifier(column))
        }
        guard Self.commonKeys.contains(last), key.count == 1 else { return true }
        let noun = words[words.count - key.count - 1]
        return EnglishNoun.singular(noun) == PersonNames.stem(ofTable: subject.table.name)
            || PersonNoun.role(noun) != nil
    }

    private static let commonKeys: Set<String> = [
        "code", "name", "slug", "tag", "ref", "reference", "title", "label", "value", "hash", "token", "address",
        "type",
    ]

    /// Words that are texts more often than keys, although they name people or tables as well.
    private static let texts: Set<String> = [
        "subject", "target", "host", "agent", "operator", "banner", "profile", "lead", "contact", "merger", "closer",
        "message",
        "comment", "note", "text", "body", "content", "address", "name", "title", "description", "email", "file",
        "image", "avatar", "photo", "tag", "status", "type", "category", "location", "reply", "feedback", "review",
        "answer", "question", "reaction", "setting", "role", "link", "url", "token", "media",
    ]

    /// Whether a noun is one of these.
    static func isText(_ noun: String) -> Bool { texts.contains(noun) }

    /// Whether a text that is not named like a key may be one, where keys are texts: `author`, `from`, `post`.
    private func isNamedText(_ name: KeyName) -> Bool {
        guard let last = name.words.last, !Self.texts.contains(EnglishNoun.singular(last)) else { return false }
        return name.mayHoldKey || isEnd(name) || !names.named(name.words, near: subject.table).isEmpty
    }

    /// `members`: where no key leads to subjects, lists of them need no name like that of keys.
    private func isPeople(_ name: KeyName) -> Bool {
        guard !isDeclared, let last = name.words.last, name.words.count < 3 else { return false }
        return Self.isPlural(last)
    }

    /// `mentioned_users`, `liked_by_members`: a deed and its users, whatever keys the app declares.
    private static func isPeopleOfDeed(_ name: KeyName) -> Bool {
        name.words.last.map { isPlural($0) && PersonNoun.tellDeed(Array(name.words.dropLast())) } ?? false
    }

    /// Whether a word is a noun for several people.
    static func isPlural(_ word: String) -> Bool {
        let noun = EnglishNoun.singular(word)
        return noun != word && PersonNoun.role(noun) != nil
    }

    private func list(_ column: SchemaColumn, _ name: KeyName, in table: SchemaTable) -> Link.ListForm? {
        switch column.kind {
        case .array:
            let isPlural = name.words.last.map { $0 != EnglishNoun.singular($0) } ?? false
            return name.isList || isPlural || listsUsers(column, name) ? .array : nil
        case .json:
            let isEmptyList = LiteralDefault.text(column.defaultExpression).flatMap { ListText($0).form } == .json
            let isNamed = name.isList || isPeople(name) || Self.isPeopleOfDeed(name)
            return isNamed || isEmptyList && listsUsers(column, name) ? .json : nil
        case .text:
            if name.isList || Self.isPeopleOfDeed(name) { return Self.said(column, in: table) ?? .comma }
            guard isPeople(name) || listsUsers(column, name) else { return nil }
            return Self.said(column, in: table).flatMap { isPeople(name) || $0 == .json ? $0 : nil }
        default: return nil
        }
    }

    /// Whether the name of a list tells a deed of users, with a preposition or without: `liked_by`, `shared_with`,
    /// `tagged`, `cc`. Numbers without one may be those of other rows.
    private func listsUsers(_ column: SchemaColumn, _ name: KeyName) -> Bool {
        guard let key = map.column(subject.table, subject.key),
            let fit = KeyFit.ofElements(column, column.kind == .array ? .array : .json, key, in: dialect),
            fit == .same || key.kind == .uuid || key.kind == .text
        else { return false }
        if name.act != nil || name.gift != nil { return name.endsInDeed }
        return key.kind != .integer && key.kind != .number && PersonNoun.isListed(name.words)
    }

    /// Whether the name of a column speaks of rows of a table.
    func namesTable(_ column: SchemaColumn, near table: TableName) -> Bool {
        namesTable(KeyName(column.name).words, near: table)
    }

    func namesTable(_ words: [String], near table: TableName) -> Bool { !names.named(words, near: table).isEmpty }
}
