// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The deletion graph of a plan: the content of a drawing, in any format.
public struct PlanPicture: Sendable, Hashable, Codable {
    /// A table or a folder.
    public struct Node: Sendable, Hashable, Codable {
        /// A node: the table at which a subject begins, another table, or a folder of files.
        public enum Kind: String, Sendable, Hashable, Codable { case subject, table, folder }

        /// The table's name as the plan writes it, or the folder's.
        public var name: String
        public var kind: Kind
        /// `erase`, `anonymise`, `retain`, `not personal`, or `unaccounted` when the plan does not name it.
        public var rule: String
        /// The subject's rows, if they were counted.
        public var rows: Int?
        /// Why and how long rows are retained.
        public var note: String?
        /// How many links away from the subject; `nil` for tables that nothing leads to.
        public var distance: Int?
        /// Columns that the plan does not name.
        public var unaccountedColumns: [String]
    }

    /// A link: when the row that it leads to is erased, the row from which it starts is erased too, or loses the link.
    public struct Edge: Sendable, Hashable, Codable {
        /// The node whose rows are linked to.
        public var from: String
        /// The node whose rows follow.
        public var to: String
        /// The linking columns of the node that follows.
        public var by: String
        /// The key's action; `nil` if the link is only declared.
        public var key: String?
        /// Whether the row stays: anonymised, retained, or only unlinked.
        public var isUnlinked: Bool
    }

    public var nodes: [Node]
    public var edges: [Edge]

    /// - Parameters:
    ///   - schema: the live schema, to show unaccounted tables and columns; `nil` draws the plan alone.
    ///   - rows: the subject's rows by table, if they were counted.
    public init(_ plan: Plan, schema: Schema? = nil, rows: [TableName: Int] = [:]) {
        let map = schema.map(SchemaMap.init)
        let plan = schema.map(plan.completed) ?? plan
        let distances = Self.distances(plan)
        var nodes = plan.tables.map { table in
            let planned = Set(table.columns.map(\.name))
            let live = map?[table.table]?.columns.map(\.name) ?? []
            return Node(
                name: table.table.description, kind: table.table == plan.subject.table ? .subject : .table,
                rule: table.rule.word, rows: rows[table.table], note: table.rule.kind.note,
                distance: distances[table.table], unaccountedColumns: live.filter { !planned.contains($0) })
        }
        let named = Set(plan.tables.map(\.table))
        for table in map?.listed ?? [] where !named.contains(table.name) {
            nodes.append(
                Node(
                    name: table.name.description, kind: .table, rule: "unaccounted", rows: rows[table.name], note: nil,
                    distance: nil, unaccountedColumns: table.columns.map(\.name)))
        }
        for folder in plan.folders {
            nodes.append(
                Node(
                    name: folder.name, kind: .folder, rule: Rule.erase.word, rows: nil, note: folder.root, distance: 1,
                    unaccountedColumns: []))
        }
        self.nodes = nodes
        edges = Self.edges(plan)
    }

    private static func edges(_ plan: Plan) -> [Edge] {
        let personal = Set(plan.tables.filter { $0.rule.isPersonal }.map(\.table))
        var edges = plan.tables.filter { personal.contains($0.table) }.flatMap { table in
            table.links.filter { personal.contains($0.target) }.map { link in
                let path = link.path.isEmpty ? "" : " → " + link.path.joined(separator: ".")
                return Edge(
                    from: link.target.description, to: table.table.description,
                    by: link.columns.joined(separator: ", ") + path, key: link.onDelete?.rawValue,
                    isUnlinked: !SubjectPaths.erases(link) || !table.rule.erasesRows)
            }
        }
        for folder in plan.folders {
            switch folder.location {
            case .folder(let template):
                edges.append(
                    Edge(
                        from: plan.subject.table.description, to: folder.name, by: template, key: nil,
                        isUnlinked: false))
            case .column(let column):
                edges.append(
                    Edge(
                        from: column.table.description, to: folder.name, by: column.column, key: nil,
                        isUnlinked: false))
            }
        }
        return edges
    }

    private static func distances(_ plan: Plan) -> [TableName: Int] {
        var followers: [TableName: [TableName]] = [:]
        for table in plan.tables where table.rule.isPersonal {
            for link in table.links { followers[link.target, default: []].append(table.table) }
        }
        var distances = [plan.subject.table: 0]
        var queue = [plan.subject.table]
        var next = 0
        while next < queue.count {
            let table = queue[next]
            next += 1
            for follower in followers[table] ?? [] where distances[follower] == nil {
                distances[follower] = (distances[table] ?? 0) + 1
                queue.append(follower)
            }
        }
        return distances
    }
}
