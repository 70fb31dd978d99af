// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// A random schema with random rows: cycles, self references, composite and nullable keys, tables without a
/// primary key, links that the database knows nothing of. The same seed always gives the same one.
package struct RandomDatabase {
    package struct Table {
        package var name: String
        /// Columns of the key that others may refer to; empty: no reference.
        package var key: [String]
        package var hasPrimaryKey: Bool
        package var references: [Reference] = []
        package var rows: [[String: Int?]] = []
        package var constraints: Set<Constraint> = []

        package var columns: [String] {
            references.reduce(into: key) { columns, reference in
                let own = reference.columns + [reference.condition?.column].compactMap(\.self)
                columns += own.filter { !columns.contains($0) }
            } + ["note"]
        }
    }

    /// The database's other constraints; none of them prevents the deletion of a row or the emptying of a nullable link.
    package enum Constraint: CaseIterable { case check, exclude, generated, trigger }

    package struct Reference {
        package var columns: [String]
        package var target: Int
        package var isNullable: Bool
        /// The knowledge of the database under test: a key with an action, or nothing at all.
        package var action: DeleteAction?
        /// Whether the row belongs to another subject and only loses this value.
        package var isReference = false
        /// Only where this column has this value: the others of these columns' values name rows of another table.
        package var condition: Condition?
    }

    package struct Condition: Hashable {
        package var column: String
        package var value: Int
    }

    package var tables: [Table]
    package let seed: UInt64

    package init(seed: UInt64) {
        var random = SplitMix(state: seed)
        self.seed = seed
        tables = Self.shapes(&random)
        for index in tables.indices { Self.refer(from: index, &tables, &random) }
        for index in tables.indices { Self.fill(index, &tables, &random) }
        Self.tieLoops(&tables, &random)
    }

    /// The tables whose rows lead to a person: those with a path to the first table.
    package var personal: Set<Int> {
        var found: Set<Int> = [0]
        var grew = true
        while grew {
            grew = false
            for (index, table) in tables.enumerated() where !found.contains(index) {
                if table.references.contains(where: { !$0.isReference && found.contains($0.target) }) {
                    found.insert(index)
                    grew = true
                }
            }
        }
        return found
    }

    private static func shapes(_ random: inout SplitMix) -> [Table] {
        var tables = [Table(name: "people", key: ["id"], hasPrimaryKey: true)]
        for index in 1...random.number(in: 1...6) {
            let kind = random.number(in: 0...9)
            let key = kind < 6 ? ["id"] : kind < 8 ? ["a", "b"] : []
            let name = random.number(in: 0...7) == 0 ? "odd \"name\" \(index)" : "t\(index)"
            tables.append(Table(name: name, key: key, hasPrimaryKey: !key.isEmpty && random.number(in: 0...4) > 0))
        }
        return tables
    }

    private static func refer(from index: Int, _ tables: inout [Table], _ random: inout SplitMix) {
        let count = index == 0 ? (random.number(in: 0...9) == 0 ? 1 : 0) : random.number(in: index == 1 ? 1...2 : 0...3)
        for place in 0..<count {
            let targets = tables.indices.filter { !tables[$0].key.isEmpty }
            let target = index == 1 && place == 0 ? 0 : targets[random.number(in: 0...(targets.count - 1))]
            let isForward = target >= index
            let actions: [DeleteAction?] = [.cascade, .cascade, .noAction, .noAction, .restrict, nil]
            tables[index].references.append(
                Reference(
                    columns: tables[target].key.indices.map { "r\(place)_\($0)" }, target: target,
                    isNullable: isForward || random.number(in: 0...1) == 0,
                    action: actions[random.number(in: 0...(actions.count - 1))]))
        }
    }

    private static func fill(_ index: Int, _ tables: inout [Table], _ random: inout SplitMix) {
        let count = index == 0 ? 4 : random.number(in: 0...14)
        for number in 0..<count {
            var row: [String: Int?] = ["note": random.number(in: 0...3)]
            for (place, column) in tables[index].key.enumerated() { row[column] = place == 0 ? number + 1 : number % 3 }
            var isPossible = true
            for reference in tables[index].references {
                let others = tables[reference.target].rows
                let isEmpty = reference.target >= index || others.isEmpty
                if isEmpty && !reference.isNullable { isPossible = false }
                let isNull = isEmpty || (reference.isNullable && random.number(in: 0...3) == 0)
                let other = isNull ? nil : others[random.number(in: 0...(others.count - 1))]
                for (column, key) in zip(reference.columns, tables[reference.target].key) {
                    row[column] = .some(other?[key] ?? nil)
                }
            }
            if isPossible { tables[index].rows.append(row) }
        }
    }

    /// Fills references to the own table and to later ones, now that all rows are there.
    private static func tieLoops(_ tables: inout [Table], _ random: inout SplitMix) {
        for index in tables.indices {
            for reference in tables[index].references where reference.target >= index {
                let others = tables[reference.target].rows
                guard !others.isEmpty else { continue }
                for row in tables[index].rows.indices where random.number(in: 0...2) > 0 {
                    let other = others[random.number(in: 0...(others.count - 1))]
                    for (column, key) in zip(reference.columns, tables[reference.target].key) {
                        tables[index].rows[row][column] = .some(other[key] ?? nil)
                    }
                }
            }
        }
    }
}

/// A small generator with a seed (SplitMix64, Steele, Lea and Flood 2014).
package struct SplitMix: RandomNumberGenerator {
    package var state: UInt64

    package init(state: UInt64) { self.state = state }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    package mutating func number(in range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
}
