// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// A schema with its look-ups ready: everything by name, keys from both ends, partitions under their parent.
package struct SchemaMap: Sendable {
    /// A foreign key together with its table (for a partition: the partitioned parent).
    package struct Key: Sendable, Hashable {
        package let table: TableName
        package let key: ForeignKey
    }

    package let schema: Schema
    /// The tables that a plan must name: all but partitions, which belong to their parent.
    package let listed: [SchemaTable]
    private let tables: [TableName: SchemaTable]
    private let columnsByTable: [TableName: [String: SchemaColumn]]
    private let partitionParents: [TableName: TableName]
    private let outgoingKeys: [TableName: [Key]]
    private let incomingKeys: [TableName: [Key]]
    /// The listed tables by each form of the last word of their names.
    private let nouns: [String: Set<TableName>]

    package init(_ schema: Schema) {
        self.schema = schema
        let tables = Dictionary(schema.tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let parents = Self.partitionParents(tables)
        self.tables = tables
        partitionParents = parents
        listed = schema.tables.filter { parents[$0.name] == nil }
        columnsByTable = tables.mapValues { table in
            Dictionary(table.columns.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        }
        var outgoing: [TableName: [Key]] = [:]
        var incoming: [TableName: [Key]] = [:]
        // Parents first, so that a key repeated on each partition counts once.
        let parentsFirst =
            schema.tables.filter { parents[$0.name] == nil }
            + schema.tables.filter { parents[$0.name] != nil }
        for table in parentsFirst {
            let owner = parents[table.name] ?? table.name
            for key in table.foreignKeys {
                var key = key
                key.target = parents[key.target] ?? key.target
                if key.targetColumns.isEmpty { key.targetColumns = tables[key.target]?.primaryKey ?? [] }
                let isKnown = outgoing[owner, default: []].contains { other in
                    other.key.columns == key.columns && other.key.target == key.target
                        && other.key.targetColumns == key.targetColumns && other.key.onDelete == key.onDelete
                        && other.key.onUpdate == key.onUpdate
                }
                guard !isKnown else { continue }
                outgoing[owner, default: []].append(Key(table: owner, key: key))
                incoming[key.target, default: []].append(Key(table: owner, key: key))
            }
        }
        outgoingKeys = outgoing
        incomingKeys = incoming
        var nouns: [String: Set<TableName>] = [:]
        for table in listed {
            guard let last = NameWords.of(table.name.name).last else { continue }
            for form in EnglishNoun.forms(last) { nouns[form, default: []].insert(table.name) }
        }
        self.nouns = nouns
    }

    /// The listed tables whose names end in a noun, in any of its forms; in the order of their names.
    func tables(ofNoun noun: String) -> [SchemaTable] {
        let names = EnglishNoun.forms(noun).reduce(into: Set<TableName>()) { $0.formUnion(nouns[$1] ?? []) }
        return names.sorted().compactMap { tables[$0] }
    }

    package subscript(table: TableName) -> SchemaTable? { tables[table] }

    package func column(_ table: TableName, _ column: String) -> SchemaColumn? {
        columnsByTable[table]?[column]
    }

    /// The table whose plan entry accounts for this one: itself, or the parent of a partition.
    package func listedName(of table: TableName) -> TableName { partitionParents[table] ?? table }

    /// The keys by which a table refers to others.
    package func keys(of table: TableName) -> [Key] { outgoingKeys[table] ?? [] }

    /// The keys by which others refer to a table.
    package func keys(to table: TableName) -> [Key] { incomingKeys[table] ?? [] }

    /// Whether no two rows share the values of these columns.
    package func isUnique(_ columns: [String], in table: TableName) -> Bool {
        tables[table]?.isUnique(columns) ?? false
    }

    /// The keys by which many rows of another table may need one row here: `posts.profile_id`, not null.
    func needs(of table: TableName) -> [Key] {
        keys(to: table).filter { key in
            let columns = key.key.columns.compactMap { column(key.table, $0) }
            return key.table != table && key.key.isPaired && !columns.contains(where: \.isNullable)
                && !isUnique(key.key.columns, in: key.table)
        }
    }

    private static func partitionParents(_ tables: [TableName: SchemaTable]) -> [TableName: TableName] {
        var parents: [TableName: TableName] = [:]
        for table in tables.values where table.isPartition {
            var top = table
            var steps = 0
            while top.isPartition, let parent = top.parents.first.flatMap({ tables[$0] }), steps < 100 {
                top = parent
                steps += 1
            }
            if top.name != table.name { parents[table.name] = top.name }
        }
        return parents
    }
}

extension SchemaTable {
    /// Whether its rows are rows of a partitioned table; a partition may be partitioned itself.
    package var isPartition: Bool { kind == .partition || kind == .partitioned && !parents.isEmpty }

    /// Whether no two rows share the values of these columns.
    func isUnique(_ columns: [String]) -> Bool {
        func isCovered(_ key: [String]) -> Bool { !key.isEmpty && key.allSatisfy { columns.contains($0) } }
        if isCovered(primaryKey) || uniqueKeys.contains(where: isCovered) { return true }
        return indexes.contains { index in columns.contains(where: index.isUniqueForm) }
    }

    /// Whether no two rows share the value of this column, whatever is in others.
    func holdsEachOnce(_ column: String) -> Bool {
        ([primaryKey] + uniqueKeys).contains([column]) || indexes.contains { $0.isUniqueForm(of: column) }
    }

    /// The other columns of a unique key of which this column is a part, if rows may be equal there: the key then
    /// refuses the second row with the same value here. `nil` if there is no such key.
    func columnsUnique(with column: String) -> [String]? {
        let keys = [primaryKey] + uniqueKeys + indexes.compactMap { $0.columns(uniqueWith: column) }
        return keys.lazy.filter { $0.contains(column) }.map { $0.filter { $0 != column } }
            .first { !$0.isEmpty && !$0.contains("") && !isUnique($0) }
    }
}
