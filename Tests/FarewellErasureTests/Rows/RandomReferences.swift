// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import TestFixtures

/// A random schema with random rows in which links own, refer, list and depend on a second column, and in which rows own their parents. It
/// computes the fate of every cell on its own, without any SQL.
struct RandomReferences {
    struct Column {
        var name: String
        var target: Int
        var isOwner: Bool
        /// How it lists several values; `nil` where it holds one.
        var list: Link.ListForm?
        /// The kinds of rows that the link is about; empty: all.
        var kinds: [String] = []
        var action: DeleteAction?
        var replacement: Int?
        var isNullable = true
    }

    struct Row {
        var id: Int
        var kind: String?
        var note: Int?
        /// The row of another table that it owns or keeps.
        var parent: Int?
        /// One value, or several where the column is a list; `nil` is null.
        var values: [[Int]?]
    }

    struct Table {
        var name: String
        var columns: [Column] = []
        /// The table whose rows this one's `parent` names, and the key's action.
        var names: (table: Int, action: DeleteAction?)?
        /// The table whose rows own the rows here.
        var ownedBy: Int?
        var isAnonymised = false
        /// Rows that stay and keep the rows that they name; they belong to no subject.
        var isKeeper = false
        var rows: [Row] = []

        var isOwned: Bool { ownedBy != nil || columns.contains(where: \.isOwner) }
    }

    /// The expected result of an erasure.
    struct Outcome: Equatable {
        var dump: [String] = []
        var erased: [String: Int] = [:]
        var anonymised: [String: Int] = [:]
        /// Other subjects' rows that lose a value.
        var freed: [String: Int] = [:]
    }

    var tables: [Table]
    let seed: UInt64
    /// A person who stands for those who have gone.
    static let ghost = 99

    init(seed: UInt64) {
        self.seed = seed
        var random = SplitMix(state: seed)
        tables = [Table(name: "people")]
        if random.number(in: 0...1) == 0 {
            let actions: [DeleteAction?] = [.setNull, .noAction, nil]
            tables[0].columns = [Column(name: "r0", target: 0, isOwner: false, action: actions[random.number(in: 0...2)])]
        }
        for index in 1...random.number(in: 2...6) { add(index, &random) }
        for index in tables.indices { fill(index, &random) }
    }

    private mutating func add(_ index: Int, _ random: inout SplitMix) {
        var table = Table(name: "t\(index)")
        let actions: [DeleteAction?] = [.setNull, .noAction, .restrict, .cascade, nil]
        let kind = random.number(in: 0...9)
        let owners = tables.indices.filter { place in
            tables[place].names == nil && !tables[place].isAnonymised && !tables[place].isKeeper
                && tables[place].ownedBy == nil && (place == 0 || tables[place].isOwned)
        }
        let parents = tables.indices.filter { tables[$0].ownedBy != nil }
        if kind < 3, let owner = owners.randomElement(using: &random) {
            table.ownedBy = owner
            tables[owner].names = (index, actions[random.number(in: 0...4)])
        } else if kind == 3, let parent = parents.randomElement(using: &random) {
            table.isKeeper = true
            table.names = (parent, actions[random.number(in: 0...4)])
        } else {
            for place in 0..<random.number(in: 1...3) { table.columns.append(column(place, of: index, table, &random)) }
            let owning = table.columns.filter(\.isOwner)
            let mayStay = owning.count == 1 && owning.allSatisfy { $0.list == nil && $0.kinds.isEmpty && $0.isNullable }
            table.isAnonymised = owning.isEmpty || mayStay && random.number(in: 0...2) == 0
        }
        tables.append(table)
    }

    private func column(_ place: Int, of index: Int, _ table: Table, _ random: inout SplitMix) -> Column {
        let targets = tables.indices.filter { $0 == 0 || tables[$0].isOwned }
        let isSelf = place > 0 && table.isOwned && random.number(in: 0...4) == 0
        let target = isSelf ? index : random.number(in: 0...2) == 0 ? 0 : targets[random.number(in: 0...(targets.count - 1))]
        var column = Column(name: "r\(place)", target: target, isOwner: random.number(in: 0...1) == 0)
        if random.number(in: 0...3) == 0 {
            column.list = [.json, .comma, .array][random.number(in: 0...2)]
        }
        if random.number(in: 0...2) == 0 { column.kinds = random.number(in: 0...1) == 0 ? ["A"] : ["A", "B c'"] }
        guard column.list == nil else { return column }
        let owning: [DeleteAction?] = [.cascade, .cascade, .noAction, .restrict, nil]
        let referring: [DeleteAction?] = [.setNull, .noAction, .restrict, .cascade, nil]
        if column.kinds.isEmpty { column.action = (column.isOwner ? owning : referring)[random.number(in: 0...4)] }
        if isSelf, column.action == .restrict { column.action = .noAction }
        if !column.isOwner, target == 0, random.number(in: 0...2) == 0 {
            column.replacement = Self.ghost
            column.isNullable = false
        } else if column.isOwner, !isSelf, random.number(in: 0...2) == 0 {
            column.isNullable = false
        }
        return column
    }

    private mutating func fill(_ index: Int, _ random: inout SplitMix) {
        let ids = index == 0 ? [1, 2, 3, 4, Self.ghost] : Array(1...random.number(in: 2...12))
        for id in ids {
            let kinds = ["A", "A", "B c'", "a", nil]
            var row = Row(id: id, kind: kinds[random.number(in: 0...4)], note: random.number(in: 0...3), values: [])
            for column in tables[index].columns {
                let others = (column.target == index ? tables[index].rows : tables[column.target].rows).map(\.id)
                row.values.append(value(column, others, &random))
            }
            let isPossible = zip(tables[index].columns, row.values).allSatisfy { $0.isNullable || $1 != nil }
            if isPossible { tables[index].rows.append(row) }
        }
        // The rows that name parents come before these, in tables before this one.
        for namer in tables.indices where tables[namer].names?.table == index {
            name(index, from: namer, &random)
        }
        if let parents = tables[index].names?.table, parents < index { name(parents, from: index, &random) }
    }

    private mutating func name(_ parents: Int, from namer: Int, _ random: inout SplitMix) {
        let ids = tables[parents].rows.map(\.id)
        for place in tables[namer].rows.indices where random.number(in: 0...3) > 0 {
            tables[namer].rows[place].parent = ids.randomElement(using: &random)
        }
    }

    private func value(_ column: Column, _ others: [Int], _ random: inout SplitMix) -> [Int]? {
        if column.isNullable, random.number(in: 0...5) == 0 { return nil }
        let all = others + (column.action == nil ? [50, 11] : [])
        guard column.list != nil else { return all.randomElement(using: &random).map { [$0] } }
        return (0..<random.number(in: 0...4)).compactMap { _ in all.randomElement(using: &random) }
    }
}

// MARK: Expectations

extension RandomReferences {
    func outcome(without subjects: Set<Int>, _ dialect: SQLDialect) -> Outcome {
        let own = owned(by: subjects)
        var outcome = Outcome()
        for (index, table) in tables.enumerated() {
            var lines: [String] = []
            for row in table.rows {
                let isOwn = own[index].contains(row.id)
                let goes = isOwn && !table.isAnonymised
                if goes { outcome.erased[table.name, default: 0] += 1 }
                guard !goes else { continue }
                if isOwn { outcome.anonymised[table.name, default: 0] += 1 }
                let left = freed(row, of: table, own, isOwn: isOwn)
                if !isOwn, left.isFreed { outcome.freed[table.name, default: 0] += 1 }
                lines.append(line(left.row, of: table, dialect))
            }
            outcome.dump += lines.sorted()
        }
        return outcome
    }

    /// The rows of each table that are the subjects', by their keys.
    private func owned(by subjects: Set<Int>) -> [Set<Int>] {
        var own = [Set<Int>](repeating: [], count: tables.count)
        own[0] = subjects
        for (index, table) in tables.enumerated() where index > 0 {
            if let owner = table.ownedBy {
                let named = Set(tables[owner].rows.filter { own[owner].contains($0.id) }.compactMap(\.parent))
                // Of rows that stay, only a key says that they name a parent.
                let namers = tables.indices.filter { namer in
                    tables[namer].names.map { $0.table == index && (!tables[namer].isKeeper || $0.action != nil) } == true
                }
                let kept = namers.flatMap { namer in
                    tables[namer].rows.filter { tables[namer].isKeeper || !own[namer].contains($0.id) }.compactMap(\.parent)
                }
                // A reference loses its value, and keeps no parent.
                own[index] = named.subtracting(kept)
                continue
            }
            var grew = true
            while grew {
                let before = own[index].count
                let found = table.rows.filter { row in
                    zip(table.columns, row.values).contains { $0.isOwner && names(row, $0, $1, own) }
                }
                own[index].formUnion(found.map(\.id))
                grew = own[index].count > before
            }
        }
        return own
    }

    private func names(_ row: Row, _ column: Column, _ values: [Int]?, _ own: [Set<Int>]) -> Bool {
        guard column.kinds.isEmpty || row.kind.map({ column.kinds.contains($0) }) == true else { return false }
        return values?.contains { own[column.target].contains($0) } == true
    }

    private func freed(_ row: Row, of table: Table, _ own: [Set<Int>], isOwn: Bool) -> (row: Row, isFreed: Bool) {
        var (row, isFreed) = (row, false)
        for (place, column) in table.columns.enumerated() where !column.isOwner {
            guard names(row, column, row.values[place], own) else { continue }
            isFreed = true
            row.values[place] =
                column.list != nil
                ? row.values[place]?.filter { !own[column.target].contains($0) } : column.replacement.map { [$0] }
        }
        guard isOwn, table.isAnonymised else { return (row, isFreed) }
        row.note = 7
        for (place, column) in table.columns.enumerated() where column.isOwner { row.values[place] = nil }
        return (row, isFreed)
    }
}
