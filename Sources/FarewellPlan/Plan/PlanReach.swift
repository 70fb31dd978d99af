// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Follows keys and suspected links outwards from the subject until nothing new is found.
struct PlanReach {
    let root: SubjectRoot
    private let map: SchemaMap
    /// Tables whose rows go with the person.
    private(set) var erased: Set<TableName>
    /// Tables whose rows stay and lose their link.
    private(set) var emptied: Set<TableName> = []
    /// Links that no key of the database vouches for.
    private(set) var declared: [TableName: [Link]] = [:]

    init(root: SubjectRoot, map: SchemaMap) {
        self.root = root
        self.map = map
        erased = [root.table]
    }

    mutating func follow() {
        followKeys(from: [root.table])
        var fresh = account()
        repeat {
            followKeys(from: fresh)
            fresh = inherit() + suspect()
        } while !fresh.isEmpty
    }

    /// The accounts by which people sign in, where no key leads from them to the person: those of the same key.
    private mutating func account() -> [TableName] {
        guard let accounts = AccountTables(map), !erased.contains(accounts.users),
            let link = accounts.link(to: root, map)
        else { return [] }
        declared[accounts.users] = [link]
        emptied.remove(accounts.users)
        erased.insert(accounts.users)
        return [accounts.users]
    }

    private mutating func followKeys(from start: [TableName]) {
        var queue = start
        while let table = queue.popLast() {
            for key in map.keys(to: table) {
                switch key.key.onDelete {
                case .cascade, .noAction, .restrict:
                    emptied.remove(key.table)
                    if erased.insert(key.table).inserted { queue.append(key.table) }
                case .setNull, .setDefault:
                    if !erased.contains(key.table) { emptied.insert(key.table) }
                }
            }
        }
    }

    /// Tables that inherit from an erased one hold the same columns but not its keys.
    private mutating func inherit() -> [TableName] {
        var fresh: [TableName] = []
        for table in map.listed where !erased.contains(table.name) {
            guard let parent = table.parents.first(where: erased.contains) else { continue }
            let links = map.keys(of: parent).filter { erased.contains($0.key.target) }.map { key in
                Link(columns: key.key.columns, target: key.key.target, targetColumns: key.key.targetColumns)
            }
            let own = links + (declared[parent] ?? [])
            guard !own.isEmpty else { continue }
            declared[table.name] = own
            emptied.remove(table.name)
            erased.insert(table.name)
            fresh.append(table.name)
        }
        return fresh
    }

    private mutating func suspect() -> [TableName] {
        var fresh: [TableName] = []
        let reached = stems()
        let feed = RevocationFeedPlan(map)?.name
        for table in map.listed where !erased.contains(table.name) && !emptied.contains(table.name) {
            guard table.name != feed, table.kind != .materializedView else { continue }
            let bound = Set(map.keys(of: table.name).flatMap(\.key.columns))
            let suspects = SuspectedLink.all(
                in: table, bound: bound, subject: root, reached: reached, map: map
            ).filter(\.typeFits)
            let owners = suspects.filter { $0.role != .handler }
            guard !owners.isEmpty else {
                guard !suspects.isEmpty else { continue }
                declared[table.name] = suspects.map(\.link)
                emptied.insert(table.name)
                continue
            }
            let handlers = suspects.filter { $0.role == .handler && $0.column.isNullable }
            declared[table.name] =
                owners.map(\.link)
                + handlers.map { suspect in
                    var link = suspect.link
                    link.shared = .unlink
                    return link
                }
            erased.insert(table.name)
            fresh.append(table.name)
        }
        return fresh
    }

    /// Reached tables with a key of one column, by the stem of their name; none where a stem is taken twice.
    func stems() -> [String: TableName] {
        var stems: [String: TableName] = [:]
        var twice: Set<String> = []
        for name in erased where map[name]?.primaryKey.count == 1 {
            let stem = PersonNames.stem(ofTable: name.name)
            if stems.updateValue(name, forKey: stem) != nil { twice.insert(stem) }
        }
        return stems.filter { !twice.contains($0.key) }
    }
}
