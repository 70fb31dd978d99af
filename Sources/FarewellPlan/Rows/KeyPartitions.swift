// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// PostgreSQL: keys of the database that lead to one partition of a table only.
struct KeyPartitions {
    private let map: SchemaMap

    init(_ schema: Schema) { self.init(SchemaMap(schema)) }

    init(_ map: SchemaMap) { self.map = map }

    /// The partition in which a link's values name rows, where the columns linked to are unique in that one only:
    /// elsewhere in the table the same values are other rows'.
    func target(of link: Link, in table: SchemaTable) -> SchemaTable? {
        guard let whole = map[link.target], whole.kind == .partitioned, !whole.isUnique(link.targetColumns) else {
            return nil
        }
        let partitions = map.schema.tables.filter { $0.kind == .partition && map.listedName(of: $0.name) == table.name }
        for key in ([table] + partitions).flatMap(\.foreignKeys) where map.listedName(of: key.target) == whole.name {
            var listed = key
            listed.target = whole.name
            if key.target != whole.name, listed.isSame(as: link) { return map[key.target] }
        }
        return nil
    }
}

extension RowComparison {
    /// A further condition for a row of the parent: it is in the partition to which the key leads.
    ///
    /// - Parameter identity: The values that identify that row.
    func inPartition(_ identity: (Int) -> String, _ build: RowStatementBuilder) -> String {
        guard let partition = edge.partition else { return "" }
        let own = RowSelection(graph: graph).identity(of: edge.parent, build, as: "q")
        let same = own.enumerated().map { "\($1) = \(identity($0))" }.joined(separator: " AND ")
        return " AND EXISTS (SELECT 1 FROM \(build.rows(of: partition)) AS q WHERE \(same))"
    }

    /// A further condition of a row `t` that names a row which is gone: the partition has no such row now.
    func isNowhere(_ build: RowStatementBuilder) -> String {
        guard let partition = edge.partition else { return "" }
        let same = zip(edge.link.columns, edge.link.targetColumns).map { column, target in
            let equality = graph.dialect.equality(of: child[column], with: partition[target])
            return "\(equality.keySide("q.\(build.quoted(target))")) = \(equality.side("t.\(build.quoted(column))"))"
        }
        let rows = "SELECT 1 FROM \(build.rows(of: partition)) AS q WHERE \(same.joined(separator: " AND "))"
        return " AND NOT EXISTS (\(rows))"
    }

    /// The comparison where the row of the parent's is no longer there.
    var withoutPartition: RowComparison {
        var edge = edge
        edge.partition = nil
        return RowComparison(graph: graph, edge: edge, child: child)
    }
}
