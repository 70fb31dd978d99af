// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The order of answers where a link leads to rows that are probably no user's: in a table whose own keys only name
/// users that handled a row (`domains.banned_by`), `reference` comes first, so nothing that leads there is a user's.
/// The same holds for rows that a table connects with several users, such as a newsletter with its readers.
enum LikelyAnswers {
    /// The questions of a draft, with `not personal` first where no first answer gives the rows linked to to a user.
    ///
    /// - Parameter plan: Without answers.
    static func ordered(_ plan: Plan, _ map: SchemaMap) -> [PlanQuestion] {
        var plan = plan
        let people = PersonTables.of(plan.subject, map)
        let named = plan.questions.filter { people.contains($0.table) && $0.link?.isOwnedParent == false }
        let groups = GroupTables(
            map: map, users: plan.subject.table, people: people, named: Set(named.flatMap(\.links).map(\.target)))
        let lists = plan.questions.filter { question in
            question.link?.list != nil && question.link?.target == plan.subject.table
                && LinkTable.isOfMembers(question.columns[0], of: plan.subject.table)
        }
        let shared = besideUsers(plan.questions, people, map)
        plan.questions = plan.questions.map { question in
            guard let link = question.link, question.answers.first == .owner, !link.isOwnedParent, link.list == nil,
                let table = map[question.table]
            else { return question }
            let isDirect = people.contains(link.target)
            let isShared = lists.contains { $0.table == table.name } || groups.contains(table)
            // The room about a user's listing is its members', too.
            let isOthers =
                isShared && (isDirect || !isBound(link, in: table))
                || isDirect && shared.contains(table.name) && isPlace(table, madeBy: link, people)
            guard isOthers else { return question }
            return ofSeveral(question, link, in: table)
        }
        let likely = tables(plan)
        return plan.questions.map { question in
            guard let link = question.link, !link.isOwnedParent,
                !question.links.contains(where: { likely.contains($0.target) }),
                let place = question.answers.firstIndex(of: .unrelated), place > 0
            else { return question }
            var question = question
            question.answers.remove(at: place)
            question.answers.insert(.unrelated, at: 0)
            return question
        }
    }

    /// Whether the database deletes a row with the row that a link names, or has no row without it.
    private static func isBound(_ link: Link, in table: SchemaTable) -> Bool {
        link.columns.allSatisfy(table.primaryKey.contains)
            || link.onDelete == .cascade && !link.columns.contains { canLose($0, in: table) }
    }

    /// A user named in a row of several users does not own it alone: without the row, the others would lose theirs.
    private static func ofSeveral(_ question: PlanQuestion, _ link: Link, in table: SchemaTable) -> PlanQuestion {
        var question = question
        let canLose = LostValue(link, in: table).isClearable || link.replacement != nil
        let order: [PlanQuestion.Answer] =
            canLose || !question.answers.contains(.unrelated)
            ? [.reference, .owner, .unrelated] : [.unrelated, .owner, .reference]
        question.answers = order.filter(question.answers.contains)
        question.add("several users have these rows, and owner deletes them for all")
        return question
    }

    /// Whether a link names only who made or leads a row that is a place where others write or take part: a channel
    /// with messages of users, a course with students.
    private static func isPlace(_ table: SchemaTable, madeBy link: Link, _ people: Set<TableName>) -> Bool {
        guard !people.contains(table.name), let column = link.columns.last else { return false }
        return (isOfMaker(column) || isOther(link, in: table) && canLose(column, in: table))
            && isOfMany(table, canLose: column)
    }

    /// The tables to which rows of another table lead that also lead to a user.
    private static func besideUsers(
        _ questions: [PlanQuestion], _ people: Set<TableName>, _ map: SchemaMap
    ) -> Set<TableName> {
        var targets: [TableName: Set<TableName>] = [:]
        for table in map.listed { targets[table.name] = Set(map.keys(of: table.name).map(\.key.target)) }
        for question in questions where question.link?.isOwnedParent == false {
            targets[question.table]?.formUnion(question.links.map(\.target))
        }
        return targets.reduce(into: Set<TableName>()) { found, entry in
            guard !entry.value.isDisjoint(with: people) else { return }
            found.formUnion(entry.value.subtracting([entry.key]))
        }
    }

    /// Whether a table is named after what people share. A text or photo of its maker alone stays the maker's; of any
    /// other row, the name of the maker can be lost.
    private static func isOfMany(_ table: SchemaTable, canLose column: String) -> Bool {
        let noun = PersonNames.noun(of: table.name)
        if places.contains(noun) { return true }
        return canLose(column, in: table) && !PersonNoun.isWriting(table.name) && !OwnedParents.isThing(table)
    }

    private static func isOfMaker(_ column: String) -> Bool {
        PersonNames.role(column) == .maker || KeyName(column).words.last.map(PersonNoun.leads) ?? false
    }

    /// Whether a key names a user by another word than one for the owner: `point_of_contact_id`.
    private static func isOther(_ link: Link, in table: SchemaTable) -> Bool {
        guard let column = link.columns.last, KeyName(column).isKey else { return false }
        return PersonNames.role(KeyName(column), in: table.name) != .owner
    }

    private static func canLose(_ column: String, in table: SchemaTable) -> Bool {
        table[column]?.isNullable == true && !table.primaryKey.contains(column)
    }

    private static let places: Set<String> = [
        "channel", "room", "topic", "thread", "forum", "board", "conversation", "chat", "chatroom", "group", "team",
        "space", "workspace", "project", "community", "club", "guild", "server", "organisation", "organization",
        "company", "course", "class", "lesson", "event", "meeting", "meetup", "webinar", "workshop", "seminar",
        "tournament", "trip", "cup", "league", "competition", "championship", "contest", "challenge", "hackathon",
        "camp", "conference", "festival", "carpool", "homeroom", "classroom", "cohort", "survey", "poll", "quiz",
        "raffle", "petition", "fundraiser",
    ]

    /// The tables whose rows are the subject's without doubt, or if every question gets its first answer.
    private static func tables(_ plan: Plan) -> Set<TableName> {
        var followers: [TableName: [TableName]] = [:]
        for question in plan.questions where question.answers.first == .owner {
            for link in question.links { followers[link.target, default: []].append(question.table) }
        }
        var found = Set(plan.tables.filter { $0.rule.erasesRows }.map(\.table)).union([plan.subject.table])
        var open = Array(found)
        while let target = open.popLast() {
            for table in followers[target] ?? [] where found.insert(table).inserted { open.append(table) }
        }
        return found
    }
}
