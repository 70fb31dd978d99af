// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Rows of other tables that only the subject's rows name, such as a photo or an address: no key says whether they are
/// deleted with them (`users.avatar_id → avatars`).
struct OwnedParents {
    let map: SchemaMap
    let root: SubjectRoot
    /// Whether rows of a table may be a subject's.
    let isPossible: (TableName) -> Bool
    /// Whether rows of a table are deleted with the subject without doubt.
    let isErased: (TableName) -> Bool
    /// The tables with one row for each user.
    private let people: Set<TableName>
    private let keyless: KeylessNames

    init(
        map: SchemaMap, root: SubjectRoot, isPossible: @escaping (TableName) -> Bool,
        isErased: @escaping (TableName) -> Bool
    ) {
        (self.map, self.root, self.isPossible, self.isErased) = (map, root, isPossible, isErased)
        people = PersonTables.of(root, map)
        keyless = KeylessNames(map)
    }

    private static let things: Set<String> = [
        "avatar", "photo", "image", "picture", "file", "attachment", "blob", "upload", "asset", "media", "medium",
        "signature", "address", "detail", "preference", "setting", "credential", "secret", "biography", "bio",
        "passport",
        "resume", "recording", "voice", "video", "metadata", "medal", "selfie", "scan", "document",
    ]
    private static let personal: Set<String> = [
        "address", "street", "ip", "birthday", "birthdate", "dob", "ssn", "iban", "fax", "passport", "filename",
        "firstname",
        "lastname", "surname", "latitude", "longitude",
    ]

    /// The question about the rows that a key of an erased table names; `nil` if nothing suggests that they are the
    /// subject's.
    func question(_ key: ForeignKey, of holder: SchemaTable) -> PlanQuestion? {
        guard let parent = parent(key, of: holder) else { return nil }
        return (connection(parent, by: holder, key) ?? named(parent, of: holder, by: key)).map { weighed($0, parent) }
    }

    /// Columns without a key keep no row, so that rows of other users may lose what only these name.
    private func weighed(_ question: PlanQuestion, _ parent: SchemaTable) -> PlanQuestion {
        guard question.link != nil, question.answers.contains(.owner), question.columns.count == 1 else {
            return question
        }
        let others = keyless.leading(to: parent, by: question.columns[0])
        guard !others.isEmpty else { return question }
        var question = question
        let shown = others.prefix(5).map { Shown.line($0.description, limit: 160) }.joined(separator: ", ")
        let more = others.count > 5 ? " and \(others.count - 5) more" : ""
        question.add("columns without a key may name rows here as well, and do not keep them: \(shown)\(more)")
        question.answers = [.unrelated] + question.answers.filter { $0 != .unrelated }
        return question
    }

    private func parent(_ key: ForeignKey, of holder: SchemaTable) -> SchemaTable? {
        guard key.isPaired, key.target != holder.name, let parent = map[key.target],
            parent.kind == .table || parent.kind == .partitioned
        else { return nil }
        return parent
    }

    /// The questions with a further one. That users are connected with rows is asked once about the same rows, and not
    /// beside another reason.
    func adding(_ question: PlanQuestion, to questions: [PlanQuestion]) -> [PlanQuestion] {
        func isSame(_ other: PlanQuestion) -> Bool {
            other.link?.isOwnedParent == true && other.table == question.table && other.columns == question.columns
        }
        // That several users may share the rows says no more than the question about the table between them.
        guard question.link != nil else {
            let isSaid = Self.isOfShared(question) && questions.contains { isSame($0) && connects($0) }
            return isSaid ? questions : questions + [question]
        }
        if connects(question) {
            let others = questions.filter {
                !Self.isOfShared($0) || $0.table != question.table || $0.columns != question.columns
            }
            return questions.contains(where: isSame) ? questions : others + [question]
        }
        return questions.filter { !isSame($0) || !connects($0) } + [question]
    }

    private static let mayShare = "several users may share a row"

    /// Whether a question only says that several users may share the rows.
    private static func isOfShared(_ question: PlanQuestion) -> Bool {
        question.link == nil && question.reason.contains(mayShare)
    }

    /// Whether a question is about rows that a table only connects with users.
    private func connects(_ question: PlanQuestion) -> Bool {
        guard let link = question.link, let holder = map[link.target] else { return false }
        return map.keys(of: holder.name).map(\.key).contains { key in
            key.target == question.table && key.columns == link.targetColumns
                && parent(key, of: holder).flatMap { connection($0, by: holder, key) } != nil
        }
    }

    /// The question about rows that a table connects with users, if it does no more than that.
    private func connection(_ parent: SchemaTable, by holder: SchemaTable, _ key: ForeignKey) -> PlanQuestion? {
        let named = named(parent, of: holder, by: key)
        if named?.link != nil {
            return isOnlyConnected(parent, by: holder, key) ? connecting(parent, by: holder, key) : nil
        }
        return holder.isUnique(key.columns) ? nil : connected(parent, by: holder, key)
    }

    /// The question about rows that a table connects with users, such as the articles of an author.
    private func connected(_ parent: SchemaTable, by holder: SchemaTable, _ key: ForeignKey) -> PlanQuestion? {
        let content: Set<SchemaColumn.Kind> = [.text, .json, .bytes, .array]
        let between = LinkTable(holder, by: key.columns, people: people, map)
        guard parent.columns.contains(where: { content.contains($0.kind) && !parent.primaryKey.contains($0.name) }),
            between != nil || listsMembers(holder, of: parent, by: key)
        else { return nil }
        let isOwners = between?.namesOwner == true && !Self.isGroup(parent) && !Self.isOfPeople(parent)
        return connecting(parent, by: holder, key, isOwners: isOwners)
    }

    /// Whether a table lists the users of each row, whatever else its rows hold: `user_vault` with a contact.
    private func listsMembers(_ holder: SchemaTable, of parent: SchemaTable, by key: ForeignKey) -> Bool {
        let noun = PersonNames.noun(of: parent.name)
        guard !people.contains(holder.name), !people.contains(parent.name), !LinkTable.lists.contains(noun),
            LinkTable.connectsMembers(holder.name, with: parent.name, users: root.table)
        else { return false }
        let others = map.keys(of: holder.name).map(\.key).filter { Set($0.columns).isDisjoint(with: key.columns) }
        let isNamed = PersonNames.words(holder.name.name).contains { EnglishNoun.singular($0) == noun }
        return others.contains { people.contains($0.target) }
            && (isNamed || others.allSatisfy { people.contains($0.target) })
    }

    /// Whether a photo or the like is only connected with users, who need not be its owners: it is liked, viewed or
    /// selected. An address in a table of users and addresses is theirs, and so are rows that bear the table's own
    /// name.
    private func isOnlyConnected(_ parent: SchemaTable, by holder: SchemaTable, _ key: ForeignKey) -> Bool {
        LinkTable.connects(holder, by: key.columns, people: people, map) && !isPart(parent, of: holder)
            && !Self.describesPerson(parent)
            && LinkTable(holder, by: key.columns, people: people, map)?.namesOwner != true
    }

    private func connecting(
        _ parent: SchemaTable, by holder: SchemaTable, _ key: ForeignKey, isOwners: Bool = false
    ) -> PlanQuestion {
        PlanQuestion(
            table: parent.name, columns: key.targetColumns,
            reason: "Rows of \(Shown.line(holder.name.description, limit: 160)) connect rows here with users by "
                + "\(Shown.line(key.columns.joined(separator: ", "), limit: 120)), but no key shows the owner; owner: "
                + "rows here are deleted with the subject's rows there, unless a remaining row also refers to them.",
            link: Link(
                columns: key.targetColumns, target: holder.name, targetColumns: key.columns, isOwnedParent: true),
            answers: isOwners ? [.owner, .unrelated] : [.unrelated, .owner])
    }

    /// Whether a table is named after people, such as an app's staff beside its customers.
    private static func isOfPeople(_ table: SchemaTable) -> Bool {
        PersonNames.words(table.name.name).last.map { PersonNoun.role(EnglishNoun.singular($0)) != nil } ?? false
    }

    /// Whether a table is named like something that several users share, such as a team.
    private static func isGroup(_ table: SchemaTable) -> Bool {
        PersonNames.words(table.name.name).last.map { groups.contains(EnglishNoun.singular($0)) } ?? false
    }

    /// The question about rows whose names, or whose key, suggest that they are the subject's.
    private func named(_ parent: SchemaTable, of holder: SchemaTable, by key: ForeignKey) -> PlanQuestion? {
        guard
            holder.isUnique(key.columns) || isPersonal(parent) || isPart(parent, of: holder)
                || isAccount(parent, of: holder, by: key)
        else { return nil }
        if !Self.isThing(parent), let profile = profile(parent, of: holder, by: key) { return profile }
        let (rows, by) = (Shown.line(holder.name.description, limit: 160), key.columns.joined(separator: ", "))
        guard holder.isUnique(key.columns) || isPart(parent, of: holder) || !isShared(parent, by: key) else {
            if isPersonOf(holder, parent, by: key) {
                return PlanQuestion(
                    table: parent.name, columns: key.targetColumns,
                    reason: "Rows of \(rows) refer to rows here by \(Shown.line(by, limit: 120)), which describe a "
                        + "person, but several users may share a row; owner: rows here are deleted with the subject's "
                        + "rows there, unless a remaining row also refers to them.",
                    link: Link(
                        columns: key.targetColumns, target: holder.name, targetColumns: key.columns,
                        isOwnedParent: true),
                    answers: [.unrelated, .owner])
            }
            return PlanQuestion(
                table: parent.name, columns: key.targetColumns,
                reason: "Rows of \(rows) refer to rows here by \(Shown.line(by, limit: 120)), and columns here may "
                    + "describe a person, but \(Self.mayShare); if each row is one user's, give the table "
                    + "the rule erase and a link with `parent: owned`.",
                answers: [.unrelated])
        }
        // A file with an uploader may be another user's than the message that shows it.
        let keys = map.keys(of: parent.name).map(\.key)
        let own = keys.first { people.contains($0.target) }
        let place = keys.first { isPlace($0, of: parent, besides: holder) }
        let doubt =
            own.map { "rows here name a user by \(Shown.line($0.columns.joined(separator: ", "), limit: 120)) as well" }
            ?? place.map { "rows here belong to those of \(Shown.line($0.target.description, limit: 160))" }
            ?? "no key shows the owner"
        return PlanQuestion(
            table: parent.name, columns: key.targetColumns,
            reason: "Rows of \(rows) refer to rows here by \(Shown.line(by, limit: 120)), but \(doubt); "
                + "owner: they are deleted with the subject's rows, unless a remaining row also refers to them"
                + "\(own == nil ? "" : ", also where they name another user").",
            link: Link(
                columns: key.targetColumns, target: holder.name, targetColumns: key.columns, isOwnedParent: true),
            answers: own == nil && place == nil && !mayBeList(parent, of: holder, by: key)
                ? [.owner, .unrelated] : [.unrelated, .owner]
        )
    }

    /// Whether a key says that rows cannot be without a row of some other table, which several users may have: the
    /// documents of a data room.
    private func isPlace(_ key: ForeignKey, of parent: SchemaTable, besides holder: SchemaTable) -> Bool {
        key.isPaired && key.target != holder.name && key.target != parent.name && !isErased(key.target)
            && key.columns.allSatisfy { parent[$0]?.isNullable == false }
            && (key.onDelete == .cascade || isPossible(key.target) || GroupTables.isGroup(key.target))
    }

    /// The question about a row of the subject's own row that rows of other tables need, such as a profile with posts:
    /// they would keep it, so the answer `owner` would delete nothing.
    private func profile(_ parent: SchemaTable, of holder: SchemaTable, by key: ForeignKey) -> PlanQuestion? {
        guard holder.isUnique(key.columns) || isAccount(parent, of: holder, by: key), key.columns.count == 1 else {
            return nil
        }
        let others = dependants(of: parent, besides: holder)
        guard let first = others.first else { return nil }
        let more = others.count > 1 ? " and \(others.count - 1) more" : ""
        let name = ColumnName(parent.name, key.targetColumns[0]).description
        let subject = ShellArgument.option("--subject", name)
        return PlanQuestion(
            table: parent.name, columns: key.targetColumns,
            reason: "Rows of \(Shown.line(holder.name.description, limit: 160)) refer to rows here by "
                + "\(Shown.line(key.columns[0], limit: 120)), and rows of other tables need them too "
                + "(\(Shown.line(first.description, limit: 160))\(more)); if each row is one user's profile, begin "
                + "again with it as the subject: `farewell init --force \(subject)`; if the rows are users' in "
                + "another way, give these tables the rule erase and links, here with `parent: owned`.",
            answers: [.unrelated])
    }

    /// The tables that an erasure keeps and whose rows each need a row of the parent.
    private func dependants(of parent: SchemaTable, besides holder: SchemaTable) -> [TableName] {
        let tables = map.needs(of: parent.name).map { map.listedName(of: $0.table) }
        return Set(tables).filter { $0 != holder.name && !isErased($0) }.sorted()
    }

    /// Whether the subject's own row needs a row that describes a person, which other rows need too: an account with a
    /// user name, whose key in the subject's table is not unique.
    private func isAccount(_ parent: SchemaTable, of holder: SchemaTable, by key: ForeignKey) -> Bool {
        let last = PersonNames.noun(of: parent.name)
        guard holder.name == root.table, last == "account" || !Self.groups.contains(last),
            !key.columns.contains(where: { holder[$0]?.isNullable != false }),
            parent.columns.contains(where: { Self.names.contains(Self.name(of: $0)) })
        else { return false }
        return !dependants(of: parent, besides: holder).isEmpty
    }

    /// Whether a user's row refers to the row that has the user's name and address, such as a partner of a firm: not to
    /// a firm, or to other people (`support_rep_id`).
    private func isPersonOf(_ holder: SchemaTable, _ parent: SchemaTable, by key: ForeignKey) -> Bool {
        guard people.contains(holder.name), key.columns.count == 1, let column = key.columns.first else { return false }
        let noun = PersonNames.noun(of: parent.name)
        return PersonNoun.role(noun) != nil && KeyName(column).words.last.map { EnglishNoun.singular($0) } == noun
            && Self.describesPerson(parent)
            && parent.columns.contains { Self.name(of: $0) == "name" || Self.names.contains(Self.name(of: $0)) }
    }

    private static let names: Set<String> = [
        "username", "user name", "nickname", "handle", "display name", "displayname", "full name", "fullname",
        "first name", "firstname", "last name", "lastname", "screen name",
    ]
    /// Names of columns that tables of files and the like may have as well.
    private static let ambiguous: Set<String> = ["handle", "display name", "displayname", "full name", "fullname"]

    private static func name(of column: SchemaColumn) -> String {
        PersonNames.words(column.name).joined(separator: " ")
    }

    /// Whether a table is named like a thing that a user has: an avatar, a file.
    static func isThing(_ table: SchemaTable) -> Bool {
        PersonNames.words(table.name.name).last.map { things.contains(EnglishNoun.singular($0)) } ?? false
    }

    /// Whether rows of a table describe a person: they hold a person's name, a user name or an address.
    static func describesPerson(_ table: SchemaTable) -> Bool {
        let telling = isThing(table) ? names.subtracting(ambiguous) : names
        return table.columns.contains { column in
            let words = PersonNames.words(column.name)
            let isPostal = words.contains("street") || words.last == "address" && !words.contains("ip")
            return telling.contains(name(of: column)) || ContactColumns.kind(column) != nil
                || column.kind == .text && (isPostal || words == ["surname"])
        }
    }

    private func isPersonal(_ table: SchemaTable) -> Bool {
        if Self.isThing(table) { return true }
        return table.columns.contains { column in
            let names = PersonNames.words(column.name)
            return column.kind == .bytes || ContactColumns.kind(column) != nil
                || column.kind != .boolean && names.contains { Self.personal.contains($0) }
                || names.elementsEqual(["file", "name"])
        }
    }

    private static let groups: Set<String> = [
        "team", "organisation", "organization", "org", "company", "tenant", "workspace", "group", "department",
        "business", "firm", "agency", "office", "branch", "division", "unit", "club", "association", "community",
        "school", "university", "faculty", "institution", "institute", "employer", "household", "family", "vendor",
        "supplier", "partner", "store", "shop", "site", "location", "country", "region", "state", "city", "plan",
        "tier", "role", "category", "brand", "network", "realm", "domain", "account", "provider", "gateway",
    ]

    /// Whether several users may share a row: a team, what rows of the app refer to that are no user's, or a person
    /// under another name than the table's (`customers.support_rep_id → employees`).
    private func isShared(_ table: SchemaTable, by key: ForeignKey) -> Bool {
        let last = PersonNames.noun(of: table.name)
        if Self.things.contains(last) { return false }
        if Self.groups.contains(last) { return true }
        guard PersonNoun.role(last) == nil else {
            return key.columns.count != 1
                || PersonNames.stem(key.columns[0]) != PersonNames.stem(ofTable: table.name.name)
        }
        return map.keys(to: table.name).contains { $0.table != table.name && !isPossible($0.table) }
    }

    /// Whether nothing but its name makes a table a part of the other: `ticket_priorities` and `order_sources` are
    /// lists that an app keeps for all, `documents_data` and `account_details` are contents of one row.
    private func mayBeList(_ parent: SchemaTable, of holder: SchemaTable, by key: ForeignKey) -> Bool {
        guard !holder.isUnique(key.columns), !isPersonal(parent) else { return false }
        let last = PersonNames.words(parent.name.name).last ?? ""
        return !Self.contents.contains(EnglishNoun.singular(last))
    }

    /// Last words of the names of tables with a part of each row of another.
    static let contents: Set<String> = [
        "data", "content", "body", "text", "info", "detail", "information", "meta", "payload", "note", "profile",
        "history",
        "extra", "extension", "description", "summary",
    ]

    /// `documents_data` of `documents`; not `account_types` of `accounts`, or `user_groups` of `users`.
    private func isPart(_ parent: SchemaTable, of holder: SchemaTable) -> Bool {
        let (words, stem) = (PersonNames.words(parent.name.name), PersonNames.words(holder.name.name))
        guard let last = stem.last, words.count > stem.count else { return false }
        let noun = EnglishNoun.singular(words[words.count - 1])
        guard !LinkTable.lists.contains(noun), noun != "group" else { return false }
        return words.prefix(stem.count - 1).elementsEqual(stem.dropLast())
            && EnglishNoun.singular(words[stem.count - 1]) == EnglishNoun.singular(last)
    }
}
