// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// The treatment of one column of the subject's rows in an export.
package enum ExportedColumn: Sendable {
    /// The value is read.
    case whole
    /// The value is read where it names the subject.
    case whereNaming([RowGraph.Edge])
    /// A row that is erased: the value is read unless it names another user, or unless another user wrote the row.
    case inPart(Part)
    case omitted(RowExport.OmittedColumn.Reason)

    /// The part of a column that is read in rows that may name other users, or be theirs.
    package struct Part: Sendable {
        /// The links of the column to users. A value that names another user is not read.
        var users: [RowGraph.Edge] = []
        /// Its links to other rows, and the links that name the author of a row: in a row of another author, only a
        /// value that names a row of the subject's is read. Empty if no row is another user's.
        var others: [RowGraph.Edge] = []
        var authors: [RowGraph.Edge] = []

        var edges: [RowGraph.Edge] { users + others + authors }
    }

    /// An erasure deletes every value of a deleted row and the changed ones of a row that stays: these are the
    /// subject's unless the plan says otherwise. Keys of other users are not, nor is a deleted row that another user
    /// wrote. A value that stays may be any user's. Both are read where the plan says `export: yes`. So is a secret of
    /// the tables by which users sign in.
    package init(_ column: SchemaColumn, of node: RowGraph.Node, in graph: RowGraph) {
        let planned = node.columns.first { $0.name == column.name }
        if planned?.export == false {
            self = .omitted(.refused)
        } else if planned?.export == nil, SecretColumns.isKept(column, in: node.table.name) {
            self = .omitted(.secret)
        } else if planned?.export == true || planned?.rule.map({ $0.changesValue || $0.isRetained }) == true
            || Self.isKey(column, of: node, in: graph)
        {
            self = .whole
        } else if node.rule.erasesRows {
            self = Self.erased(column.name, of: node, in: graph)
        } else {
            let edges = (node.links + node.references).filter { $0.link.columns.contains(column.name) }
            self = edges.isEmpty ? .omitted(.undecided) : .whereNaming(edges)
        }
    }

    private static func erased(_ column: String, of node: RowGraph.Node, in graph: RowGraph) -> ExportedColumn {
        let linked = (node.links + node.references).filter { edge in
            // UUIDs anywhere in a text are no key.
            edge.link.columns.contains(column) && edge.link.list != .uuids
        }
        var part = Part()
        part.users = linked.filter { graph.isOfUsers($0) && graph.namingColumns(of: $0).contains(column) }
        let keys = graph.unlinkedKeys(of: node, by: column)
        guard keys.allSatisfy(\.isDirect) else { return .omitted(.undecided) }
        if graph.areFound(of: node, by: part.users) { part.users = [] } else { part.users += keys }
        part.authors = graph.authors(of: node)
        if !part.authors.isEmpty {
            part.others = linked.filter { edge in
                edge.link.path.isEmpty && edge.link.list == nil && !part.users.contains { $0.stated == edge.stated }
            }
        }
        return part.users.isEmpty && part.authors.isEmpty ? .whole : .inPart(part)
    }

    /// Whether the column tells only which row of the subject's this is: the subject's key, or a key that numbers rows.
    private static func isKey(_ column: SchemaColumn, of node: RowGraph.Node, in graph: RowGraph) -> Bool {
        if node.index == graph.root, column.name == graph.keyColumn.name { return true }
        let isNumber = column.kind == .integer || column.kind == .uuid
        let names =
            node.table.foreignKeys.contains { $0.columns.contains(column.name) }
            || (node.links + node.references).contains { $0.link.columns.contains(column.name) }
        return node.table.primaryKey == [column.name] && isNumber && !names
    }
}

extension RowGraph {
    /// Whether all rows of a node are found by one link, and these are no others: each of its values names the subject.
    fileprivate func areFound(of node: Node, by edges: [Edge]) -> Bool {
        guard node.index != root, let first = edges.first, first.link.list == nil else { return false }
        return (edges + node.links).allSatisfy { $0.stated == first.stated } && !first.link.isReference
    }

    /// The keys of the database by which a column names users, where the plan has no link for that.
    fileprivate func unlinkedKeys(of node: Node, by column: String) -> [Edge] {
        let linked = node.links + node.references
        return node.table.foreignKeys.compactMap { key in
            // A link by the same columns names the same user.
            let isLinked = linked.contains { edge in
                key.isSame(as: edge.stated)
                    || edge.link.columns == key.columns && SubjectPaths.isPlain(edge.link) && isOfUsers(edge)
            }
            guard key.columns.contains(column), !isLinked, let target = places[key.target], isOfUsers(target) else {
                return nil
            }
            let link = key.link
            return Edge(link: link, stated: link, parent: target, isDirect: isSubjectKey(key))
        }
    }

    /// Whether the values of a key are the subject's key.
    private func isSubjectKey(_ key: ForeignKey) -> Bool {
        guard key.targetColumns.count == 1 else { return false }
        if key.target == nodes[root].table.name, key.targetColumns == [keyColumn.name] {
            return nodes[root].links.allSatisfy { $0.link.shared == .unlink }
        }
        return nodes.contains { node in
            (node.links + node.references).contains { edge in
                edge.isDirect && edge.link.target == key.target && edge.link.targetColumns == key.targetColumns
            }
        }
    }
}
