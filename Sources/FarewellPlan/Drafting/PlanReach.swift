// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Which tables lead to the subject: without doubt, by the keys of the database, or perhaps, by names.
struct PlanReach {
    let root: SubjectRoot
    let suspects: SuspectedLinks
    private let map: SchemaMap
    /// Tables whose rows lead to the subject, if every guess is right.
    private(set) var possible: Set<TableName>
    /// Tables whose rows are deleted with the subject, by declared keys that own them.
    private(set) var erased: Set<TableName>
    /// Tables with one row for each subject.
    private(set) var onePerPerson: Set<TableName>
    /// Links that follow from the structure of tables: accounts with the subject's key, tables that inherit.
    private(set) var declared: [TableName: [Link]] = [:]
    /// Columns that may be links, although no key says so.
    private(set) var suspected: [TableName: [SuspectedLink]] = [:]
    /// Questions about tables that hold addresses of people, or their IP addresses, and lead to no subject.
    private(set) var contacts: [TableName: [PlanQuestion]] = [:]
    /// Questions about tables that rows of the subject name, and that lead to no subject.
    private(set) var parents: [TableName: [PlanQuestion]] = [:]
    /// The meaning of each key to a possible table for its rows.
    private(set) var keys: [TableName: [(key: ForeignKey, ownership: KeyOwnership)]] = [:]

    /// The tables that inherit from the subject's: a subject's row is in one of them, or in the subject's own.
    let descendants: Set<TableName>
    private var columns: [TableName: [SuspectedColumn]] = [:]
    private var feed: TableName?
    /// The tables whose rows several users have.
    private(set) var groups: GroupTables
    /// Links that answers gave to tables: their rows are deleted with the subject as if keys said so.
    private let given: [TableName: [Link]]
    private let persons: PersonRows

    init(root: SubjectRoot, map: SchemaMap, given: [TableName: [Link]] = [:]) {
        self.root = root
        self.given = given
        self.map = map
        suspects = SuspectedLinks(map, subject: root)
        persons = PersonRows(map, of: root)
        possible = [root.table]
        erased = [root.table]
        onePerPerson = [root.table]
        groups = GroupTables(map: map, users: root.table, people: [root.table])
        feed = RevocationFeedPlan(map)?.name
        descendants = Set(TableDescendants(map.schema).of(root.table))
    }

    mutating func follow() {
        inheritSubject()
        account()
        give()
        findColumns()
        reach()
        findOnePerPerson()
        for pass in [Pass.contacts, .people] {
            widen(pass)
            reach()
        }
        findOnePerPerson()
        let accounts = OtherAccounts(map, root: root, besides: Set(declared.keys))
        for (table, columns) in columns {
            let links = columns.compactMap { suspects.link($0, isPersonal: possible.contains) }.map { link in
                map[table].map { accounts.weighed(link, in: $0) } ?? link
            }
            if !links.isEmpty { suspected[table] = links }
            if links.contains(where: { $0.link.list == nil && !$0.isDoubtful }) { contacts[table] = nil }
        }
        judgeKeys()
        findErased()
        findParents()
        findUnlinkedValues()
    }

    /// Rows that nothing links to a user, or may link, and that name one by an IP address or inside a longer value.
    private mutating func findUnlinkedValues() {
        for table in map.listed where !possible.contains(table.name) && table.name != feed && !isEmptied(table.name) {
            let isAsked =
                suspected[table.name] != nil || contacts[table.name] != nil || parents[table.name] != nil
            if !isAsked {
                contacts[table.name] = UnlinkedValues.question(table, users: root.table).map { [$0] }
            }
        }
    }

    private mutating func findParents() {
        let owned = OwnedParents(map: map, root: root, isPossible: possible.contains, isErased: erased.contains)
        for holder in erased.sorted().compactMap({ map[$0] }) {
            for key in map.keys(of: holder.name).map(\.key) where !possible.contains(key.target) && key.target != feed {
                guard let question = owned.question(key, of: holder) else { continue }
                // Rows that several users may share are asked about once, whatever refers to them.
                let isAsked = question.link == nil && parents[key.target]?.contains { $0.link == nil } == true
                guard !isAsked else { continue }
                parents[key.target] = owned.adding(question, to: parents[key.target] ?? [])
            }
        }
    }

    /// The accounts by which users sign in, if no key leads from them to the subject: those of the same key.
    private mutating func account() {
        guard let accounts = AccountTables(map), accounts.users != root.table,
            !reachesByKeys(accounts.users), let link = accounts.link(to: root, map)
        else { return }
        declared[accounts.users] = [link]
        possible.insert(accounts.users)
        erased.insert(accounts.users)
    }

    private mutating func give() {
        for (table, links) in given {
            possible.insert(table)
            erased.insert(table)
            declared[table, default: []] += links.filter { $0.onDelete == nil && $0.condition.isEmpty }
        }
    }

    private func isGiven(_ key: ForeignKey, in table: TableName) -> Bool {
        given[table]?.contains { $0.columns == key.columns && $0.target == key.target } ?? false
    }

    /// A table that inherits from the subject's holds subjects too, under the same key.
    private mutating func inheritSubject() {
        let key = Link(columns: [root.key], target: root.table, targetColumns: [root.key])
        for table in descendants where map[table] != nil {
            declared[table] = [key]
            possible.insert(table)
            erased.insert(table)
        }
    }

    private func reachesByKeys(_ table: TableName) -> Bool {
        var passed: Set<TableName> = []
        var queue = [table]
        while let table = queue.popLast() {
            if table == root.table { return true }
            guard passed.insert(table).inserted else { continue }
            queue += map.keys(of: table).filter { !Self.empties($0.key) }.map(\.key.target)
        }
        return false
    }

    /// Whether the database empties the key when what it names is deleted.
    static func empties(_ key: ForeignKey) -> Bool { key.onDelete == .setNull || key.onDelete == .setDefault }

    /// Whether the database empties the key, and nothing suggests that the row is the user's own.
    func onlyEmpties(_ key: ForeignKey, in table: SchemaTable) -> Bool {
        Self.empties(key) && !persons.areNamed(by: key, in: table)
    }

    private mutating func findColumns() {
        for table in map.listed where table.name != feed && table.kind != .materializedView {
            var bound = Set(map.keys(of: table.name).flatMap(\.key.columns))
            if table.name == root.table { bound.insert(root.key) }
            bound.formUnion((declared[table.name] ?? []).flatMap(\.columns))
            let found = suspects.columns(in: table, bound: bound)
            if !found.isEmpty { columns[table.name] = found }
        }
    }

    // MARK: Possible

    private enum Pass { case contacts, people }

    /// Follows keys, inheritance and names outwards until nothing new is found.
    private mutating func reach() {
        var followers: [TableName: Set<TableName>] = [:]
        for table in map.listed {
            for target in targets(of: table) { followers[target, default: []].insert(table.name) }
        }
        var queue = Array(possible)
        while let target = queue.popLast() {
            for table in followers[target] ?? [] where possible.insert(table).inserted { queue.append(table) }
        }
    }

    private func targets(of table: SchemaTable) -> [TableName] {
        let keys = map.keys(of: table.name).map(\.key).filter { !onlyEmpties($0, in: table) && $0.isPaired }
            .map(\.target)
        let names = (columns[table.name] ?? []).filter { $0.list == nil }.flatMap { suspected -> [TableName] in
            if suspected.typeColumn != nil { return [root.table] }
            if suspected.isOutside || suspected.guess != nil { return [] }
            if !suspected.tables.isEmpty { return suspected.tables }
            if suspected.isPersonRatherThanTable { return [root.table] }
            return suspected.nearTable.map { [$0] } ?? []
        }
        return keys + names + table.parents
    }

    /// Adds the tables to which only weaker signs lead.
    private mutating func widen(_ pass: Pass) {
        switch pass {
        case .contacts:
            let places = [root.table] + onePerPerson.subtracting([root.table]).sorted()
            let contact = ContactColumns(subject: root, places: places, map)
            let shared = sharedTables()
            for table in map.listed where !possible.contains(table.name) && table.name != feed && !isEmptied(table.name)
            {
                let isShared = shared.contains(table.name)
                let shared = isShared ? contact.question(ofShared: table).map { [$0] } ?? [] : nil
                let questions = shared ?? contact.questions(table)
                guard table.kind != .materializedView, let first = questions.first else { continue }
                contacts[table.name] = questions
                if first.answers.contains(.owner) { possible.insert(table.name) }
            }
        case .people:
            for (table, columns) in columns where !possible.contains(table) {
                let names = columns.contains { $0.list == nil && $0.mayBeUser }
                if names { possible.insert(table) }
            }
        }
    }

    /// Whether the database empties a key of the table when a row of a subject is deleted.
    private func isEmptied(_ table: TableName) -> Bool {
        map.keys(of: table).contains { Self.empties($0.key) && possible.contains($0.key.target) }
    }

    /// The tables whose rows several users' rows may name, by a key or by the name of a column. Rows of which a user
    /// has several, such as orders, may name a person, whose row is not shared.
    private func sharedTables() -> Set<TableName> {
        let people = onePerPerson.union(descendants)
        var shared: Set<TableName> = []
        for table in possible {
            let keys = map.keys(of: table).map { (from: $0.key.columns, to: $0.key.target) }
            // A version of a row names no other row.
            let names = (columns[table] ?? [])
                .filter { $0.list == nil && $0.typeColumn == nil && ($0.guess == nil || $0.role != nil) }
                .flatMap { suspected in suspected.tables.map { (from: [suspected.column.name], to: $0) } }
            for (from, target) in keys + names where !map.isUnique(from, in: table) {
                if people.contains(table) || !isOfPeople(target) { shared.insert(target) }
            }
        }
        return shared
    }

    private func isOfPeople(_ table: TableName) -> Bool {
        PersonNames.words(table.name).last.map { PersonNoun.role(EnglishNoun.singular($0)) != nil } ?? false
    }

    // MARK: Keys

    private mutating func findOnePerPerson() {
        onePerPerson = descendants.filter { map.isUnique([root.key], in: $0) }.union([root.table])
        for (table, links) in given {
            let isOne = links.contains { link in
                link.target == root.table && link.condition.isEmpty && map.isUnique(link.columns, in: table)
            }
            if isOne { onePerPerson.insert(table) }
        }
        var queue = onePerPerson.sorted()
        while let target = queue.popLast() {
            for key in map.keys(to: target) where !Self.empties(key.key) && map.isUnique(key.key.columns, in: key.table)
            {
                let paths = map.keys(of: key.table).filter { !Self.empties($0.key) && possible.contains($0.key.target) }
                guard paths.count == 1, onePerPerson.insert(key.table).inserted else { continue }
                queue.append(key.table)
            }
        }
    }

    private mutating func judgeKeys() {
        let named = columns.filter { onePerPerson.contains($0.key) }.flatMap { $0.value }.flatMap(\.tables)
        groups = GroupTables(map: map, users: root.table, people: onePerPerson, named: Set(named))
        for table in map.listed {
            let all = map.keys(of: table.name).map(\.key).filter { $0.isPaired && possible.contains($0.target) }
            let paths = all.filter { !Self.empties($0) }.map { KeyOwnership.Path(key: $0, isDirect: isDirect($0)) }
            let guessed = guessedOwners(of: table)
            let certain = guessed.filter { !$0.isClearable(in: table) }
            let open = guessed.filter { $0.isClearable(in: table) }
            let isSubject = table.name == root.table || descendants.contains(table.name)
            let judged = all.map { key -> (key: ForeignKey, ownership: KeyOwnership) in
                if isGiven(key, in: table.name) { return (key, .owner) }
                guard let path = paths.first(where: { $0.key == key }) else {
                    let isOwn = !isSubject && persons.areNamed(by: key, in: table)
                    if isOwn { return (key, .unclear(PersonRows.reason)) }
                    return (key, isSubject ? .reference : Self.emptied(key, in: table))
                }
                let ownership = KeyOwnership.of(path, in: table, paths: paths + certain, isSubject: isSubject)
                guard case .owner = ownership else { return (key, ownership) }
                // The other members keep the team of an owner who leaves, and the room about the owner's listing.
                if path.isDirect || !path.isEvident(in: table), groups.contains(table) {
                    return (key, .unclear("other users have these rows too"))
                }
                if KeyOwnership.isOpen(path, in: table, beside: open) {
                    return (key, .unclear("a column without a key may name another user whose row it is"))
                }
                return (key, ownership)
            }
            if !judged.isEmpty { keys[table.name] = judged }
        }
    }

    /// A key that the database empties: a check may refuse that, and with it the deletion of the row that is named.
    private static func emptied(_ key: ForeignKey, in table: SchemaTable) -> KeyOwnership {
        guard key.onDelete == .setNull, table.alwaysRefusesNull(in: key.emptiedColumns) else { return .reference }
        return .unclear("the database sets the key to null, which a check refuses in every row that has a value here")
    }

    /// The columns that no key binds and that probably name the user of a row, as keys. Those that are never null say
    /// the same as keys of the database; others leave open whose the row is.
    func guessedOwners(of table: SchemaTable) -> [KeyOwnership.Path] {
        (suspected[table.name] ?? []).filter { link in
            link.role == .owner && !link.isDoubtful && !link.isGuess && !link.hasRival && link.typeColumn == nil
                && link.link.list == nil
                && link.fit == .same && !link.isFar(from: root) && onePerPerson.contains(link.link.target)
        }.map { link in
            let key = ForeignKey(
                columns: link.link.columns, target: link.link.target, targetColumns: link.link.targetColumns)
            return KeyOwnership.Path(key: key, isDirect: true)
        }
    }

    private func isDirect(_ key: ForeignKey) -> Bool { onePerPerson.contains(key.target) }

    private mutating func findErased() {
        var heirs: [TableName: [SchemaTable]] = [:]
        for table in map.listed {
            for parent in table.parents { heirs[parent, default: []].append(table) }
        }
        var queue = Array(erased)
        while let target = queue.popLast() {
            for key in map.keys(to: target) where !erased.contains(key.table) && owns(key) {
                erased.insert(key.table)
                queue.append(key.table)
            }
            for table in heirs[target] ?? [] where !erased.contains(table.name) {
                guard inherit(table, from: target) else { continue }
                erased.insert(table.name)
                queue.append(table.name)
            }
        }
    }

    private func owns(_ key: SchemaMap.Key) -> Bool {
        guard !key.key.isPaired else {
            let found = keys[key.table]?.first { $0.key == key.key }
            if case .owner = found?.ownership { return true }
            return false
        }
        // It is no link, but the database deletes by it, or refuses: the note says so.
        return !Self.empties(key.key)
    }

    /// Tables that inherit from an erased one hold the same columns but not its keys.
    private mutating func inherit(_ table: SchemaTable, from parent: TableName) -> Bool {
        let links = map.keys(of: parent).filter { erased.contains($0.key.target) && owns($0) }.map { key in
            Link(columns: key.key.columns, target: key.key.target, targetColumns: key.key.targetColumns)
        }
        let own = links + (declared[parent] ?? [])
        guard !own.isEmpty else { return false }
        declared[table.name] = own
        return true
    }
}
