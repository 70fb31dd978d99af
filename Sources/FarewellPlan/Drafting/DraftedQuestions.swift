// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Puts into words what `PlanReach` could not read from the keys of the database.
struct DraftedQuestions {
    let reach: PlanReach
    let map: SchemaMap
    let staying: StayingColumns
    private let targets: LinkTargets
    private let prefix: TablePrefix?
    /// The tables, other than the subject's, whose rows are deleted without doubt.
    private let owned: [TableName]
    /// The tables whose rows columns of users' rows may name, although no key says so.
    private(set) var namedByPeople: Set<TableName> = []

    init(reach: PlanReach, map: SchemaMap) {
        self.reach = reach
        self.map = map
        targets = LinkTargets(map, reach.root)
        prefix = TablePrefix(map, users: reach.root.table)
        owned = map.listed.map(\.name).filter { table in
            reach.erased.contains(table) && table != reach.root.table && !reach.descendants.contains(table)
        }
        let places = [reach.root.table] + reach.onePerPerson.subtracting([reach.root.table]).sorted()
        staying = StayingColumns(contact: ContactColumns(subject: reach.root, places: places, map))
        for (table, suspects) in reach.suspected where isOfPeople(table) {
            namedByPeople.formUnion(suspects.filter { $0.link.list == nil }.map(\.link.target))
        }
    }

    /// The questions about one table, in the order of its columns.
    func questions(_ table: SchemaTable) -> [PlanQuestion] {
        let links =
            keys(table) + (reach.suspected[table.name] ?? []).flatMap { questions(about: $0, in: table) }
            + (reach.contacts[table.name] ?? []) + (reach.parents[table.name] ?? [])
            + halves(table) + QueuedMessages(root: reach.root, map: map).questions(table)
        let linked = links + stayingColumns(table, links)
        let certain = linked + documents(table, linked)
        let found = (certain + others(table, certain)).map { question in
            namingOthers(withoutOthersRows(Self.withValue(question, in: table, map), in: table), in: table)
        }.filter { !isWithoutAnswer($0, in: table) }
        let places = Dictionary(
            table.columns.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        return found.enumerated().sorted { left, right in
            let (first, second) = (place(left.element, places), place(right.element, places))
            return first == second ? left.offset < right.offset : first < second
        }.map(\.element)
    }

    /// A user's row, or a user's only row of its kind, belongs to no other user. If it refers to shared rows, such as a
    /// team, the answer `owner` would delete other users' rows.
    func withoutOthersRows(_ question: PlanQuestion, in table: SchemaTable) -> PlanQuestion {
        guard let link = question.link, !link.isOwnedParent, question.answers.contains(.owner),
            isSubject(table.name) || hasOneUser(link, in: table)
        else { return question }
        var question = question
        question.answers.removeAll { $0 == .owner }
        if question.answers.isEmpty { question.answers = [.unrelated] }
        question.add("`owner` is no answer, because it would delete other users' rows")
        return question
    }

    /// Whether a key of the database needs no answer. Either it leads from a user's row to another user's and no answer
    /// is right: the check says which change is necessary (`key.unanswerable`). Or it leads to rows that are deleted
    /// with their own user.
    func isWithoutAnswer(_ question: PlanQuestion, in table: SchemaTable) -> Bool {
        guard let link = question.link, link.onDelete != nil, isSubject(table.name) else { return false }
        return question.answers == [.unrelated] || isOwn(link, in: table)
    }

    private func isOwn(_ link: Link, in table: SchemaTable) -> Bool {
        guard reach.erased.contains(link.target), let key = table.foreignKeys.first(where: { $0.isSame(as: link) })
        else { return false }
        guard let owner = OwnRows(map, users: reach.root.table).owner(through: key, of: table) else { return false }
        return owner.onDelete == .cascade
            || (reach.keys[link.target] ?? []).contains { other, ownership in
                guard case .owner = ownership else { return false }
                return other == owner
            }
    }

    func isSubject(_ table: TableName) -> Bool {
        table == reach.root.table || reach.descendants.contains(table)
    }

    /// Whether another key of the row says whose it is, one row for each user, and the row can lose this link's value.
    private func hasOneUser(_ link: Link, in table: SchemaTable) -> Bool {
        guard link.columns.contains(where: { table[$0]?.isNullable == true && !table.primaryKey.contains($0) }) else {
            return false
        }
        return (reach.keys[table.name] ?? []).contains { key, ownership in
            guard case .owner = ownership, Set(key.columns).isDisjoint(with: link.columns) else { return false }
            return reach.onePerPerson.contains(key.target) && map.isUnique(key.columns, in: table.name)
                && !key.columns.contains { table[$0]?.isNullable == true && !table.primaryKey.contains($0) }
        }
    }

    private func place(_ question: PlanQuestion, _ places: [String: Int]) -> Int {
        question.columns.compactMap { places[$0] }.max() ?? 0
    }

    // MARK: Declared keys

    private func keys(_ table: SchemaTable) -> [PlanQuestion] {
        (reach.keys[table.name] ?? []).compactMap { key, ownership in
            reach.erased.contains(key.target)
                ? undecided(key, ownership, in: table) : perhaps(key, ownership, in: table)
        }
    }

    /// Other columns of the rows that stay and only lose a key, or probably do.
    private func stayingColumns(_ table: SchemaTable, _ questions: [PlanQuestion]) -> [PlanQuestion] {
        guard !reach.erased.contains(table.name) else { return [] }
        let links = (reach.keys[table.name] ?? []).filter { key, ownership in
            guard case .reference = ownership else { return false }
            return reach.erased.contains(key.target)
        }
        let isLikely = questions.contains { $0.link != nil && $0.answers.first == .reference }
        // Rows that are probably the subject's own are deleted with all their columns.
        guard !links.isEmpty || isLikely, !questions.contains(where: { $0.answers.first == .owner }) else { return [] }
        let likely = questions.filter { $0.answers.first == .reference }.flatMap(\.links)
        let users = (links.map(\.key.link) + likely).filter { isOfPeople($0.target) }
        return staying.questions(
            table, linking: Set(links.flatMap(\.key.columns) + questions.flatMap(\.columns)),
            RemovedValues(links: users, in: table, map))
    }

    /// Composite keys that lead nowhere when a part of them is null, while the rest alone names a row.
    private func halves(_ table: SchemaTable) -> [PlanQuestion] {
        (reach.keys[table.name] ?? []).flatMap { key, ownership -> [PlanQuestion] in
            guard reach.erased.contains(key.target), key.isPaired, key.columns.count > 1,
                !(key.matchesFull && key.isValidated)
            else { return [] }
            let pairs = Array(zip(key.columns, key.targetColumns))
            return pairs.filter { table[$0.0]?.isNullable == true }.compactMap { empty in
                let rest = pairs.filter { $0.0 != empty.0 }
                guard map.isUnique(rest.map(\.1), in: key.target), !isKey(rest.map(\.0), in: table) else { return nil }
                var answers = Self.likely(key, in: table) + [.unrelated]
                if case .reference = ownership { answers = [.reference, .owner, .unrelated] }
                return PlanQuestion(
                    table: table.name, columns: rest.map(\.0),
                    reason: "Where \(Self.shown(empty.0)) is null, no key of the database refers to a row of "
                        + "\(Self.shown(key.target)), although \(Self.shown(rest.map(\.0).joined(separator: ", "))) "
                        + "alone may refer to one.",
                    link: Link(columns: rest.map(\.0), target: key.target, targetColumns: rest.map(\.1)),
                    answers: answers)
            }
        }
    }

    private func isKey(_ columns: [String], in table: SchemaTable) -> Bool {
        table.foreignKeys.contains { !$0.columns.isEmpty && Set($0.columns).isSubset(of: columns) }
    }

    /// A key to rows that are deleted without doubt.
    private func undecided(_ key: ForeignKey, _ ownership: KeyOwnership, in table: SchemaTable) -> PlanQuestion? {
        guard case .unclear(let reason) = ownership else { return nil }
        // The database empties it in rows that are deleted with a user of another key.
        if reach.erased.contains(table.name), PlanReach.empties(key), !reach.onlyEmpties(key, in: table) { return nil }
        return PlanQuestion(
            table: table.name, columns: key.columns,
            reason:
                "The key leads to \(Self.shown(key.target)), but the schema does not say whose row it is: "
                + "\(reason).",
            link: key.link,
            answers: likely(key, ownership, in: table))
    }

    /// A key to rows that are deleted only if another question is answered so.
    func perhaps(_ key: ForeignKey, _ ownership: KeyOwnership, in table: SchemaTable) -> PlanQuestion? {
        let isEmptied = reach.onlyEmpties(key, in: table)
        if PlanReach.empties(key), reach.erased.contains(table.name) { return nil }
        let target = Self.shown(key.target)
        let reason =
            if case .unclear(let text) = ownership, key.target != table.name {
                "The key leads to \(target), whose rows may belong to a user: see the questions there; and \(text)."
            } else {
                "The key leads to \(target), whose rows may belong to a user: see the questions there."
            }
        return PlanQuestion(
            table: table.name, columns: key.columns, reason: reason, link: key.link,
            answers: isEmptied ? [.reference, .unrelated] : likely(key, ownership, in: table) + [.unrelated])
    }

    /// The answers, the likelier first. A row that is certainly another user's, or a part of a row that several users
    /// have, stays.
    private func likely(
        _ key: ForeignKey, _ ownership: KeyOwnership, in table: SchemaTable
    ) -> [PlanQuestion.Answer] {
        if case .reference = ownership { return [.reference, .owner] }
        if isNamedAfterUsers(key, in: table) { return [.owner, .reference] }
        let isOthers =
            hasCertainUser(besides: key, in: table) || belongsElsewhere(key.columns, in: table)
            || isPointer(key.columns, to: key.target, in: table) || saysLess(key, in: table)
            || isOfApp(key.columns, in: table)
            || isOfPeople(key.target)
                && (reach.groups.contains(table)
                    || KeyOwnership.isAboutAnother(KeyOwnership.Path(key: key, isDirect: true), in: table))
            || !isOfPeople(key.target)
                && KeyOwnership.usesChoice(KeyOwnership.Path(key: key, isDirect: false), in: table)
        return isOthers ? [.reference, .owner] : Self.likely(key, in: table)
    }

    /// The answers, the likelier first.
    private static func likely(_ key: ForeignKey, in table: SchemaTable) -> [PlanQuestion.Answer] {
        let path = KeyOwnership.Path(key: key, isDirect: true)
        let name = path.name(in: table)
        let isShown = name.isDecoration(of: table.name) && path.isClearable(in: table)
        let isHandled = PersonNames.role(name, in: table.name) == .handler
        let isJoint = PersonNoun.isJoint(name.noun) && path.isClearable(in: table)
        let isOther =
            isHandled || name.isPointer || isShown || isJoint || key.target == table.name
            || KeyOwnership.isForATime(path, in: table)
        return isOther ? [.reference, .owner] : [.owner, .reference]
    }

    // MARK: Names

    private func questions(about suspect: SuspectedLink, in table: SchemaTable) -> [PlanQuestion] {
        guard let type = suspect.typeColumn else { return [suspected(suspect, in: table)] }
        let values = PairValues(type, in: table, of: reach.root.table, map)
        if values.listed != nil { return listed(suspect, type, values, in: table) }
        guard type.kind != .integer, type.kind != .number else { return [suspected(suspect, in: table)] }
        return parents(suspect, type, in: table)
    }

    /// The most tables for which a draft asks if rows of a pair lead there: each of them is a question.
    private static let mostParents = 8

    /// A type column without labels names the subject's table, or any other: rows that lead to rows deleted with the
    /// subject would lead nowhere.
    private func parents(_ suspect: SuspectedLink, _ type: SchemaColumn, in table: SchemaTable) -> [PlanQuestion] {
        var first = suspected(suspect, in: table)
        let links = owned.filter { $0 != suspect.link.target }.compactMap { link(of: suspect, in: table, to: $0) }
        guard links.count <= Self.mostParents else {
            first.add(
                "rows may also lead to those of \(links.count) other tables that are deleted with the subject, "
                    + "and then stay: `farewell init --sample` reads the names of tables in \(Self.shown(type.name)), "
                    + "and asks about each")
            return [first]
        }
        let others = links.map { link in
            var link = link
            link.condition = LinkCondition([.init(column: type.name, values: typeNames(of: link.target))])
            return polymorphic(suspect, type, link, Self.correctTheNames, in: table)
        }
        return PairQuestion.together(
            [first] + others, type.name, suspect.column.name, isSampled: false,
            Self.correctTheNames + (suspect.column.isComputed ? Self.computed : ""))
    }

    /// The values of a type column that may mean a table.
    func typeNames(of target: TableName) -> [String] { PolymorphicPair.names(of: target, without: prefix) }

    /// The link of a pair to a table, if the column can hold the table's key.
    func link(of suspect: SuspectedLink, in table: SchemaTable, to target: TableName) -> Link? {
        PairLink.of(suspect.column, in: table, to: target, subject: reach.root, map)
    }

    private func suspected(_ suspect: SuspectedLink, in table: SchemaTable) -> PlanQuestion {
        if let type = suspect.typeColumn { return polymorphic(suspect, type, in: table) }
        let column = Self.shown(suspect.link.columns.joined(separator: ", "))
        let target = Self.shown(ColumnName(suspect.link.target, suspect.link.targetColumns[0]).description)
        var reason = "No key declares the target of \(column); by "
        if suspect.link.columns.count > 1 {
            let key = Self.shown(suspect.link.targetColumns.joined(separator: ", "))
            reason += "their names they are together a link to \(Self.shown(suspect.link.target)) (\(key))"
        } else {
            reason += "its name it \(suspect.link.list == nil ? "is a link to" : "lists values of") \(target)"
        }
        switch suspect.role {
        case .handler: reason += ", to a user that only handled the row"
        case .maker: reason += ", to the user that created the row, which may also serve other users"
        case .otherSide: reason += ", to another user than the owner of the row"
        default: break
        }
        switch suspect.fit {
        case .same: break
        case .asText, .untyped:
            let type = Shown.line(suspect.column.type, limit: 40)
            reason += type.isEmpty ? "; it has no type" : "; its type is \(type)"
            reason += suspect.fit == .asText ? ", so it may contain something else" : ", so check its values"
        }
        let text = suspect.link.list == .json && suspect.column.kind == .text
        if text, map.schema.dialect.failsOnOtherThanJSON {
            return PlanQuestion(
                table: table.name, columns: suspect.columns,
                reason: "\(reason), as JSON in text; make the column jsonb, and add a link.", answers: [.unrelated])
        }
        if suspect.link.list == .comma {
            // `'{}'` or the like: no form that a plan can name finds the members.
            guard LiteralDefault.text(suspect.column.defaultExpression).map(ListText.init) != .other else {
                let remedy = ListProbe.remedy(map.schema.dialect)
                return PlanQuestion(
                    table: table.name, columns: suspect.columns,
                    reason: "\(reason), and its default is no list in which members are found. \(remedy)",
                    link: suspect.link, answers: [.unrelated])
            }
            reason += "; commas between them are assumed, and --sample compares the values"
        }
        if let reading = suspect.reading { reason += "; \(reading)" }
        if let key = map.column(suspect.link.target, suspect.targetColumn), key.looseEquality == nil,
            let equality = suspect.column.looseEquality, suspect.link.list == nil
        {
            reason +=
                "; \(Self.shown(equality)) treats differently written values as equal here, but not there, and the "
                + "link does not find other spellings"
        }
        reason += otherTargets(suspect)
        if let other = suspect.other {
            reason += "; the name may also refer to \(Self.shown(other))"
            if suspect.hasRival { reason += Self.wrongPeople }
            if let teller = suspect.teller {
                let name = Shown.line(TableName.written(teller), limit: 120)
                reason += ", and \(name) may say so: in that case add `where: {\(name): VALUE}` to the link"
            }
        }
        if suspect.column.isComputed { reason += Self.computed }
        return PlanQuestion(
            table: table.name, columns: suspect.columns, reason: reason + ".", link: suspect.link,
            answers: keepingOthers(answers(suspect, in: table), suspect, in: table))
    }

    /// Names the further unique keys of the subject that the values may be instead, the likeliest first.
    private func otherTargets(_ suspect: SuspectedLink) -> String {
        let root = reach.root
        guard suspect.link.target == root.table, suspect.link.list == nil,
            !SubjectTargets.isNamed(suspect.column.name, after: suspect.link.targetColumns[0]), !suspect.isNaturalName
        else { return "" }
        let others = targets.likely(suspect.column, besides: suspect.link.targetColumns[0])
        guard !others.isEmpty else { return "" }
        return "; its values may also be those of \(others.prefix(5).map(Self.shown).joined(separator: ", ")) there: "
            + Self.compareThem
    }

    private func polymorphic(_ suspect: SuspectedLink, _ type: SchemaColumn, in table: SchemaTable) -> PlanQuestion {
        let (id, kind) = (Self.shown(suspect.column.name), Self.shown(type.name))
        let target = suspect.link.target
        if type.kind == .integer || type.kind == .number {
            return PlanQuestion(
                table: table.name, columns: suspect.columns,
                reason:
                    "\(kind) gives the table that \(id) refers to as a number; if it is \(Self.shown(target)), write a "
                    + "link with "
                    + "`where: {\(kind): NUMBER}` into the table's entry\(Self.readTheNumbers).",
                answers: [.unrelated])
        }
        var link = suspect.link
        let values = PairValues(type, in: table, of: reach.root.table, map).expected(for: target)
        link.condition = LinkCondition([.init(column: type.name, values: values)])
        return polymorphic(suspect, type, link, Self.correctTheNames, in: table)
    }

    func polymorphic(
        _ suspect: SuspectedLink, _ type: SchemaColumn, _ link: Link, _ values: String, in table: SchemaTable
    ) -> PlanQuestion {
        let isOther = PersonNames.role(suspect.name) == .handler || suspect.name.isPointer
        let ending = values + (suspect.column.isComputed ? Self.computed : "")
        return PlanQuestion(
            table: table.name, columns: suspect.columns,
            reason: PairQuestion.reason(type.name, suspect.column.name, [link.target], isSampled: false, ending),
            link: link,
            answers: suspect.column.isComputed
                ? [.owner, .unrelated] : isOther ? [.reference, .owner, .unrelated] : [.owner, .reference, .unrelated])
    }

    static let correctTheNames = "; correct the values in `where` if the app writes other names"

    /// The advice about values that may belong to several keys.
    static let compareThem = "correct `to` in that case, or let --sample compare them"

    /// The advice about a name that fits two tables of people.
    static let wrongPeople = ", where equal numbers are other users': compare the values, and correct `to` in that case"

    /// The advice about the numbers of a type column.
    static let readTheNumbers = ", or let `farewell init --sample` read the numbers"

    /// A computed column cannot lose its value.
    static let computed =
        "; the database computes the column, so to keep the row without the value, link the column that it is computed "
        + "from with `role: reference`"

    private static func shown(_ name: String) -> String { Shown.line(name, limit: 120) }
    private static func shown(_ table: TableName) -> String { Shown.line(table.description, limit: 160) }
}

extension PlanQuestion {
    /// Adds words to the end of the reason.
    mutating func add(_ words: String) {
        reason = (reason.hasSuffix(".") ? String(reason.dropLast()) : reason) + "; \(words)."
    }
}
