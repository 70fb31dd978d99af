// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

extension DraftedQuestions {
    /// The answers to the question about a column without a key, the likeliest first. Where another user's row could go
    /// with the subject, `owner` is not the first.
    func answers(_ suspect: SuspectedLink, in table: SchemaTable) -> [PlanQuestion.Answer] {
        let isSubject = isSubject(table.name)
        if suspect.column.isComputed {
            guard !isSubject else { return [.unrelated] }
            return suspect.link.list != nil || suspect.role == .handler ? [.unrelated, .owner] : [.owner, .unrelated]
        }
        if suspect.link.list != nil, suspect.isGuess, suspect.isDoubtful { return [.unrelated, .reference] }
        if suspect.link.list != nil || isSubject { return [.reference, .unrelated] }
        if isUnlikely(suspect, in: table) { return [.unrelated, .owner, .reference] }
        if isOfPeople(suspect.link.target), isOfApp(suspect.columns, in: table) {
            return suspect.column.isNullable ? [.reference, .owner, .unrelated] : [.unrelated, .owner, .reference]
        }
        return isOthers(suspect, in: table) ? [.reference, .owner, .unrelated] : [.owner, .reference, .unrelated]
    }

    /// Of a key of several columns, only the one that names the row there may lose its value: the others, such as the
    /// tenant's, say more about the row. A row that cannot lose it and has its own user is probably not the subject's.
    func keepingOthers(
        _ answers: [PlanQuestion.Answer], _ suspect: SuspectedLink, in table: SchemaTable
    ) -> [PlanQuestion.Answer] {
        let canLose =
            table.mayLackValue(in: suspect.column.name) && !LostValue(suspect.link, in: table).isRefused
        guard suspect.link.columns.count > 1, !canLose else { return answers }
        let others = answers.filter { $0 != .reference }
        let isOthers =
            answers.first == .reference || hasOwnUser(besides: suspect, in: table)
            || hasCertainUser(besides: suspect, in: table)
        return isOthers ? [.unrelated] + others.filter { $0 != .unrelated } : others
    }

    /// Whether the column probably leads elsewhere than its name suggests.
    private func isUnlikely(_ suspect: SuspectedLink, in table: SchemaTable) -> Bool {
        if suspect.isDoubtful || isTextBesideNumbers(suspect) { return true }
        return isToUsers(suspect) ? isNoUser(suspect, in: table) : isNoRow(suspect, in: table)
    }

    /// Whether a row probably holds settings of the app, of which a user only was the last to change them, or names an
    /// account that the app itself uses.
    func isOfApp(_ columns: [String], in table: SchemaTable) -> Bool {
        if AppSettings.isOne(table), !table.isUnique(columns) { return true }
        if AppSettings.usesAccount(columns, in: table) { return true }
        return AppSettings.areEvident(table) && AppSettings.mayBe(table, namingUsersBy: columns)
    }

    private func isToUsers(_ suspect: SuspectedLink) -> Bool { suspect.link.target == reach.root.table }

    /// A text cannot hold keys that are numbers: `client_id` of an app for sign-in, the `message_id` of a mail.
    private func isTextBesideNumbers(_ suspect: SuspectedLink) -> Bool {
        guard suspect.fit == .asText, suspect.column.kind == .text,
            map.column(suspect.link.target, suspect.targetColumn)?.kind == .integer
        else { return false }
        let name = suspect.name
        let isUsers = name.noun == "user" || reach.suspects.isSubject(name.noun)
        return !isToUsers(suspect) || suspect.isFar(from: reach.root)
            || !isUsers && PersonNoun.tables.contains(name.noun) || name.words == ["uid"]
            || name.gift != nil && name.endsInDeed
    }

    /// Whether a column that seems to lead to users probably names something else.
    private func isNoUser(_ suspect: SuspectedLink, in table: SchemaTable) -> Bool {
        let name = suspect.name
        // The `username` of a database's host or of a mail server.
        if suspect.isNaturalName, table.columns.contains(where: { Self.servers.contains($0.name.lowercased()) }) {
            return true
        }
        if ProgramWork.isProgram(name.noun, in: table) { return true }
        // `client_id` of a service for sign-in, beside `client_secret`.
        let hasSecret = table.columns.contains { PersonNames.words($0.name) == name.words + ["secret"] }
        if hasSecret, suspect.column.kind == .text, name.noun != "user", !reach.suspects.isSubject(name.noun) {
            return true
        }
        let namesUser = namesUser(besides: suspect, in: table)
        // `target_id` may name any row, unless the row speaks of users elsewhere.
        let mayBeAny = name.words.count == 1 && PolymorphicPair.isAnyRow(name.noun) && suspect.role != .owner
        // `bookings.guest_id` is a user's unless another column of the row names one.
        return mayBeAny && !namesUser || suspect.isFar(from: reach.root) && namesUser
    }

    /// Whether a column that seems to lead to rows of another table probably names none of them.
    private func isNoRow(_ suspect: SuspectedLink, in table: SchemaTable) -> Bool {
        let name = suspect.name
        guard suspect.role == nil else { return numbersItself(suspect, in: table) }
        // `version_number` is rarely the key that the database gives to a version.
        if name.isNumber, !KeyName(suspect.targetColumn).isNumber { return true }
        // `invoices.status_id` is no row of `task_statuses`: a choice for all, or one of another table's.
        let isChoice =
            LinkTable.lists.contains(name.noun)
            && name.words != PersonNames.words(suspect.link.target.name).dropLast() + [name.noun]
        return isChoice || numbersItself(suspect, in: table)
    }

    /// `archive_posts.post_id`, the whole key of its table, numbers the rows there.
    private func numbersItself(_ suspect: SuspectedLink, in table: SchemaTable) -> Bool {
        table.primaryKey == [suspect.column.name] && PersonNames.noun(of: table.name) == suspect.name.noun
    }

    private static let servers: Set<String> = [
        "host", "hostname", "host_name", "port", "server", "endpoint", "smtp_host", "smtp_port", "database", "dsn",
    ]

    /// Whether the row is probably another user's, or a part of a row that several users have, and only names the
    /// subject.
    private func isOthers(_ suspect: SuspectedLink, in table: SchemaTable) -> Bool {
        let name = suspect.name
        if suspect.isNaturalName, ContactColumns.isOfAnother(suspect.column), mayHaveUser(besides: suspect, in: table) {
            return true
        }
        // `approved_by_member_id`: the name contains the act of the member.
        let isHandled =
            suspect.role == .handler && !isNamedAfterUsers(suspect, in: table)
            || (name.act ?? name.gift) != nil && PersonNames.role(name) == .handler
        // Another row of the same table, or one of many.
        if isHandled || suspect.link.target == table.name || name.isPointer || saysLess(suspect, in: table) {
            return true
        }
        guard table.mayLackValue(in: suspect.column.name) else { return false }
        return name.isDecoration(of: table.name) || hasOwnUser(besides: suspect, in: table)
            || hasCertainUser(besides: suspect, in: table) || isSecond(suspect, in: table)
            || belongsElsewhere([suspect.column.name], in: table) || isDeedOfOther(suspect, in: table)
            || isPointer([suspect.column.name], to: suspect.link.target, in: table)
            // `coauthor_id` beside `lead_author_id`.
            || PersonNoun.isJoint(name.noun) && namesUser(besides: suspect, in: table)
            // `beds.occupant`: the bed stays.
            || isOfPeople(suspect.link.target) && PersonNoun.hasForATime(name.noun, table.name)
    }

    /// Whether a column that may be empty leads from what users' rows name, such as a tenant, to one of many rows of a
    /// user: the payment with which an account was opened.
    func isPointer(_ columns: [String], to target: TableName, in table: SchemaTable) -> Bool {
        guard !isOfPeople(target), !isOfPeople(table.name),
            columns.contains(where: { table[$0]?.isNullable == true && !table.primaryKey.contains($0) })
        else { return false }
        return map.keys(to: table.name).contains { isOfPeople($0.table) && !map.isUnique($0.key.columns, in: $0.table) }
            || namedByPeople.contains(table.name)
    }

    /// Whether another column names a user in plainer words: `reviewing_user_id` beside `posted_by_user_id`.
    private func isSecond(_ suspect: SuspectedLink, in table: SchemaTable) -> Bool {
        let name = suspect.name
        guard isOfPeople(suspect.link.target), name.words.count > 1, name.act == nil, name.gift == nil else {
            return false
        }
        let names =
            (reach.keys[table.name] ?? []).filter {
                isOfPeople($0.key.target) && isBeside($0.key.columns, suspect, in: table)
            }
            .map { KeyOwnership.Path(key: $0.key, isDirect: true).name(in: table) }
            + (reach.suspected[table.name] ?? []).filter { other in
                other.column.name != suspect.column.name && isOfPeople(other.link.target) && !other.isDoubtful
                    && other.link.list == nil && other.typeColumn == nil
                    && isBeside([other.column.name], suspect, in: table)
            }.map(\.name)
        return names.contains { other in
            PersonNames.role(other, in: table.name) == .owner && (other.act != nil || name.isSecond(beside: other))
        }
    }

    /// Whether a nullable column only names the user who made or handled a part of another row: the product of a shop,
    /// the label of a team. The author of a comment and the owner of a photo own the row in any case.
    func belongsElsewhere(_ columns: [String], in table: SchemaTable) -> Bool {
        guard columns.contains(where: { table[$0]?.isNullable == true && !table.primaryKey.contains($0) }),
            let name = columns.last.map({ KeyName($0) }), Self.isMaker(name, in: table.name),
            !OwnedParents.isThing(table), !PersonNoun.isWriting(table.name)
        else { return false }
        func isOther(_ target: TableName) -> Bool {
            !isOfPeople(target) && target != table.name
                && (reach.possible.contains(target) || GroupTables.isGroup(target))
        }
        func isFixed(_ column: String) -> Bool { table[column]?.isNullable == false && !columns.contains(column) }
        let isKept = map.keys(of: table.name).map(\.key).contains { key in
            isOther(key.target) && key.columns.allSatisfy(isFixed)
        }
        return isKept
            || (reach.suspected[table.name] ?? []).contains { other in
                isFixed(other.column.name) && (other.typeColumn != nil || isOther(other.link.target))
            }
    }

    private static func isMaker(_ name: KeyName, in table: TableName) -> Bool {
        let role = PersonNames.role(name, in: table)
        let isOfEvent = name.words.count == 1 && PersonNoun.isOfEvent(name.noun)
        // `home_player` of a match.
        let isSide = name.words.count == 2 && role != nil && PersonSpelling.sides.contains(name.words[0])
        return role == .maker || role == .handler || name.act == "uploaded" || role == .otherSide && isOfEvent || isSide
    }

    /// Whether a column tells what a user did with a row that another column gives to a user by a noun: `recorded_by`
    /// beside `winner`.
    private func isDeedOfOther(_ suspect: SuspectedLink, in table: SchemaTable) -> Bool {
        guard isOfPeople(suspect.link.target), suspect.role == .otherSide, suspect.name.act != nil else { return false }
        func isSide(_ name: KeyName) -> Bool {
            let role = PersonNames.role(name, in: table.name)
            return name.act == nil && name.gift == nil && (role == .owner || role == .otherSide)
        }
        let isDeclared = (reach.keys[table.name] ?? []).contains { key, _ in
            isOfPeople(key.target) && key.target != table.name && isBeside(key.columns, suspect, in: table)
                && isSide(KeyOwnership.Path(key: key, isDirect: true).name(in: table))
        }
        return isDeclared
            || (reach.suspected[table.name] ?? []).contains { other in
                other.column.name != suspect.column.name && isOfPeople(other.link.target) && !other.isDoubtful
                    && other.link.list == nil && other.typeColumn == nil && isSide(other.name)
                    && isBeside([other.column.name], suspect, in: table)
            }
    }
}
