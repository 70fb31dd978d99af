// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL

/// The tables that hold a subject's rows and their links to the subject, compared with the live schema.
///
/// Every name in it was found in the catalog, so that text built from it names nothing else.
package struct RowGraph: Sendable {
    /// One table with the subject's rows.
    package struct Node: Sendable {
        package let index: Int
        package let table: SchemaTable
        /// The table's name as receipts and records write it.
        package let place: String
        package let rule: Rule
        package let columns: [TablePlan.PlannedColumn]
        /// The links that make rows the subject's.
        package var links: [Edge]
        /// The links by which rows only name the subject: such rows stay and lose nothing but that value.
        package var references: [Edge] = []
        /// The triggers and rules whose effect is unknown: all but the session authority's own.
        let foreignTriggers: [SchemaTrigger]
        /// If rows of this node are owned parents: the other tables whose rows may name them too, and keep them.
        var holders: [ParentHolder] = []

        /// The place under which other subjects' rows are counted that stay and lose their link to the subject.
        package var linkPlace: String { "\(place) (link only)" }

        /// Where rows are counted that were made anonymous again, and were known by their own key.
        package var againPlace: String { "\(place) (again)" }

        /// Whether a row that stays has another value in this column afterwards.
        func changes(_ column: String) -> Bool {
            columns.contains { $0.name == column && $0.rule?.changesValue == true }
        }

        var isChanged: Bool { columns.contains { $0.rule?.changesValue == true } }

        /// Whether the subject's rows stay, and nothing in them changes.
        package var staysAsItIs: Bool { rule.rowsStay && !isChanged && !losesLinks }

        package var losesLinks: Bool { !references.isEmpty || links.contains { $0.link.shared == .unlink } }
    }

    /// One link of a node, resolved.
    package struct Edge: Sendable {
        package var link: Link
        /// The link as the plan states it: `link` may lead to a table that inherits from the one it names.
        let stated: Link
        /// The node linked to.
        package var parent: Int
        /// Whether the linking column holds the subject's key itself, so that no other table is read.
        package var isDirect: Bool
        /// PostgreSQL: the one partition of the parent that the key of the database leads to, where the columns linked
        /// to are unique in that partition only.
        var partition: SchemaTable?
    }

    package let dialect: SQLDialect
    /// Citus: whether rows are on several servers, which limits a single statement (`RowGraph+Servers`).
    package let isDistributed: Bool
    /// Whether statements are about one subject each. On SQLite they always are; on PostgreSQL a comparison with one
    /// value is planned once for all subjects, while a list is planned anew for each.
    package private(set) var isAboutOne: Bool
    package let nodes: [Node]
    /// For each of their tables its node.
    let places: [TableName: Int]
    /// The subject's own table.
    package let root: Int
    package let keyColumn: SchemaColumn
    /// Groups of nodes that link to each other, children before parents.
    package let groups: [[Int]]
    /// For each node the place of its group among these.
    let groupOfNode: [Int]
    /// Groups of nodes that must be deleted together, children before parents: links and the database's
    /// own restricting keys alike.
    package let deletionGroups: [[Int]]
    /// The nodes whose rows the database itself deletes with the root's row.
    private let cascaded: Set<Int>
    /// The columns of the nodes whose large objects are deleted, and all columns of the schema that may name some.
    let objects: LargeObjectColumns
    /// The columns of each table that other rows refer to by a key or by a link.
    let referredColumns: [TableName: Set<String>]
    /// For each node the nodes with the subject's rows whose tables inherit from its table.
    let descendants: [[Int]]
    /// Whether any table inherits from the subject's.
    let isInherited: Bool

    package init(plan: Plan, schema: Schema) throws {
        var nodes = try Self.tables(of: plan, in: schema)
        let indexes = Dictionary(nodes.map { ($0.table.name, $0.index) }) { _, last in last }
        guard let root = indexes[plan.subject.table] else {
            throw Self.unknown("subject's table", "\(plan.subject.table)")
        }
        let key = try Self.key(of: plan.subject, in: nodes[root].table)
        try Self.link(&nodes, plan, schema, indexes)
        self.dialect = schema.dialect
        self.isDistributed = schema.isDistributed
        self.isAboutOne = !schema.dialect.hasArrays
        self.places = indexes
        self.root = root
        self.keyColumn = key
        let inheritance = TableDescendants(schema)
        let descendants = Self.descendants(of: nodes, indexes, inheritance)
        self.descendants = descendants
        self.isInherited = !inheritance.of(plan.subject.table).isEmpty
        nodes = Self.markDirect(nodes, root: root, key: plan.subject.key)
        nodes = Self.following(descendants, nodes)
        self.nodes = ParentHolder.found(in: nodes, schema)
        self.referredColumns = Self.referredColumns(schema, nodes)
        self.groups = Self.groups(
            self.nodes.map { node in
                node.links.filter { !$0.isDirect }.map(\.parent) + node.holders.compactMap(\.node)
            })
        var groupOfNode = [Int](repeating: 0, count: nodes.count)
        for (place, group) in groups.enumerated() {
            for node in group { groupOfNode[node] = place }
        }
        self.groupOfNode = groupOfNode
        var leading = self.nodes.map { node in
            let restricting = node.table.foreignKeys.filter { $0.onDelete == .noAction || $0.onDelete == .restrict }
            return node.links.map(\.parent) + restricting.compactMap { indexes[$0.target] }
                + Self.holdingSubject(after: node, descendants[root], root: root)
        }
        // An owned parent goes together with the rows that name it.
        for node in self.nodes {
            for edge in node.links where edge.link.isOwnedParent { leading[edge.parent].append(node.index) }
        }
        self.deletionGroups = Self.groups(leading)
        self.cascaded = isDistributed ? [root] : Self.cascaded(self.nodes, with: [root])
        self.objects = LargeObjectColumns(nodes: self.nodes, schema: schema)
        try requirePaths()
    }

    /// The tables with the subject's rows, without their links.
    private static func tables(of plan: Plan, in schema: Schema) throws -> [Node] {
        let tables = Dictionary(schema.tables.map { ($0.name, $0) }) { first, _ in first }
        return try plan.tables.filter(\.rule.isPersonal).enumerated().map { index, entry in
            guard let table = tables[entry.table] else { throw unknown("table", "\(entry.table)") }
            let foreign = table.triggers.filter { !AuthorityDeletionTrigger.isOne($0, of: table, in: schema) }
            return Node(
                index: index, table: table, place: "\(table.name)", rule: entry.rule, columns: entry.columns, links: [],
                foreignTriggers: foreign)
        }
    }

    private static func key(of subject: SubjectRoot, in table: SchemaTable) throws -> SchemaColumn {
        guard let key = table[subject.key] else { throw unknown("subject's key", "\(subject.table).\(subject.key)") }
        guard key.kind != .bytes else {
            throw FarewellError(
                "plan.key-unsupported", .yoursToFix,
                "The subject's key \(ColumnName(subject.table, subject.key)) contains bytes, which have no text form.",
                remedy: "Name another unique column of that table as the subject's key.")
        }
        return key
    }

    private static func link(
        _ nodes: inout [Node], _ plan: Plan, _ schema: Schema, _ indexes: [TableName: Int]
    ) throws {
        let partitions = KeyPartitions(schema)
        for entry in plan.tables {
            guard let child = indexes[entry.table] else { continue }
            let edges = try entry.links.map { link in
                var edge = try Self.edge(link, of: nodes[child].table, nodes: nodes, indexes: indexes)
                edge.partition = partitions.target(of: link, in: nodes[child].table)
                return edge
            }
            nodes[child].links = edges.filter { !$0.link.isReference }
            nodes[child].references = edges.filter(\.link.isReference)
        }
    }

    /// The same for statements about one subject each.
    package var aboutOne: RowGraph {
        var graph = self
        graph.isAboutOne = true
        return graph
    }

    private static func edge(
        _ link: Link, of table: SchemaTable, nodes: [Node], indexes: [TableName: Int]
    ) throws -> Edge {
        guard let parent = indexes[link.target] else {
            throw unknown("linked table", "\(table.name) -> \(link.target)")
        }
        for column in link.columns where table[column] == nil {
            throw unknown("linking column", "\(ColumnName(table.name, column))")
        }
        for column in link.targetColumns where nodes[parent].table[column] == nil {
            throw unknown("linked column", "\(ColumnName(link.target, column))")
        }
        guard !link.columns.isEmpty, link.columns.count == link.targetColumns.count else {
            throw FarewellError(
                "plan.link-shape", .yoursToFix,
                "A link of \(table.name) names \(link.columns.count) columns here "
                    + "and \(link.targetColumns.count) there.",
                remedy: "Name equally many columns on both sides.")
        }
        return Edge(link: link, stated: link, parent: parent, isDirect: false)
    }

    /// A link is direct if it names the subject's key, or a column that can only hold the subject's key because its own
    /// table has that column as its one, direct link (a one-to-one profile).
    private static func markDirect(_ nodes: [Node], root: Int, key: String) -> [Node] {
        var nodes = nodes
        func carriesKey(_ node: Int, _ column: String) -> Bool {
            if node == root { return column == key && nodes[root].links.allSatisfy { $0.link.shared == .unlink } }
            let links = nodes[node].links
            return links.count == 1 && links[0].isDirect && links[0].link.path.isEmpty
                && links[0].link.columns == [column] && links[0].link.onDelete != nil
                && links[0].link.condition.isEmpty && links[0].link.list == nil
        }
        var changed = true
        while changed {
            changed = false
            for child in nodes.indices where child != root {
                for position in nodes[child].links.indices where !nodes[child].links[position].isDirect {
                    let edge = nodes[child].links[position]
                    guard edge.link.targetColumns.count == 1,
                        edge.parent != child,
                        carriesKey(edge.parent, edge.link.targetColumns[0])
                    else { continue }
                    nodes[child].links[position].isDirect = true
                    changed = true
                }
            }
        }
        for child in nodes.indices {
            for position in nodes[child].references.indices {
                let edge = nodes[child].references[position]
                guard edge.link.targetColumns.count == 1, edge.parent != child || child == root else { continue }
                nodes[child].references[position].isDirect = carriesKey(edge.parent, edge.link.targetColumns[0])
            }
        }
        return nodes
    }

    private static func groups(_ parents: [[Int]]) -> [[Int]] {
        var search = ComponentSearch(parents: parents)
        return search.childrenFirst()
    }

    private func requirePaths() throws {
        for node in nodes where node.index != root && node.links.isEmpty && node.references.isEmpty {
            throw FarewellError(
                "plan.no-link", .yoursToFix,
                "The plan has the rule \(node.rule.word) for \(node.table.name) but no link to the subject.",
                remedy: "Add a link, or call the table not personal.")
        }
    }

    private static func unknown(_ what: String, _ name: String) -> FarewellError {
        FarewellError(
            "plan.unknown-name", .yoursToFix, "The plan names a \(what) that the schema does not have: \(name).",
            remedy: "Run farewell check and correct the plan.")
    }
}

extension RowGraph {
    /// Whether the database itself deletes this node's rows with the root's row, by every link.
    package func isCascaded(_ node: Int) -> Bool { cascaded.contains(node) }

    /// The nodes whose rows the database itself deletes with the root's row, or with one of this table.
    package func cascaded(with table: TableName?) -> Set<Int> {
        guard let start = nodes.first(where: { $0.table.name == table })?.index, start != root else { return cascaded }
        return Self.cascaded(nodes, with: [root, start])
    }

    /// Found from the root outwards, so that a chain of ten thousand tables needs no deep recursion.
    private static func cascaded(_ nodes: [Node], with starts: Set<Int>) -> Set<Int> {
        let tables = Set(nodes.map(\.table.name))
        let namers = Set(nodes.flatMap { $0.links.filter(\.link.isOwnedParent).map(\.parent) })
        var followers = Array(repeating: [Int](), count: nodes.count)
        for node in nodes where !starts.contains(node.index) && mayBeCascaded(node, nodes, tables) {
            // Its owned parents are found by its rows, and erased together with them.
            if namers.contains(node.index) { continue }
            for edge in node.links { followers[edge.parent].append(node.index) }
        }
        // How many links of each are not known to cascade.
        var open = nodes.map(\.links.count)
        var found = starts
        var queue = Array(starts)
        while let parent = queue.popLast() {
            for follower in followers[parent] {
                open[follower] -= 1
                if open[follower] == 0, found.insert(follower).inserted { queue.append(follower) }
            }
        }
        return found
    }

    /// Whether the database deletes this node's rows as soon as it does those that each of its links leads to.
    private static func mayBeCascaded(_ node: Node, _ nodes: [Node], _ tables: Set<TableName>) -> Bool {
        let mayStop = node.table.foreignKeys.contains { key in
            (key.onDelete == .noAction || key.onDelete == .restrict) && tables.contains(key.target)
        }
        // PostgreSQL sets a key to null, or to its default, before it deletes the row by another key.
        let isEmptiedFirst = node.table.foreignKeys.contains { key in
            (key.onDelete == .setNull || key.onDelete == .setDefault) && tables.contains(key.target)
                && key.columns.contains { node.table[$0]?.isNullable == false }
        }
        guard node.rule.erasesRows, !mayStop, !isEmptiedFirst else { return false }
        return node.links.allSatisfy { edge in
            edge.link.onDelete == .cascade && edge.link.path.isEmpty && edge.link.shared != .unlink
                && edge.link.condition.isEmpty && nodes[edge.parent].rule.erasesRows
                && hasKey(edge.link, on: node.table)
        }
    }

    /// Whether one row may belong to several subjects: it links to them in several ways, or by a value that several
    /// rows may share.
    package var hasSharedRows: Bool {
        nodes.contains { node in
            !node.references.isEmpty || node.links.count > (node.index == root ? 0 : 1)
                || node.links.contains { edge in
                    !edge.link.path.isEmpty || !nodes[edge.parent].table.isUnique(edge.link.targetColumns)
                }
        }
    }

    /// Whether one row names two subjects: the writer and the recipient.
    package var hasRowsOfTwo: Bool { nodes.contains { $0.links.count(where: \.isDirect) > 1 } }

    /// Whether the database itself ensures that no row is left which links to an erased parent in this way.
    ///
    /// - Parameter trustsCascades: Whether to assume this, too, if the database would delete or change the row itself
    ///   and no trigger exists that could prevent it, which PostgreSQL would permit.
    package func isVouchedFor(_ edge: Edge, of node: Int, trustsCascades: Bool = true) -> Bool {
        let table = nodes[node].table
        guard edge.link.path.isEmpty, nodes[edge.parent].rule.erasesRows, Self.hasKey(edge.link, on: table) else {
            return false
        }
        if edge.link.onDelete == .noAction || edge.link.onDelete == .restrict { return true }
        return trustsCascades && !table.triggers.contains { !Set($0.events).isDisjoint(with: ["delete", "update"]) }
    }

    /// Whether a trigger or a rule of the database may keep rows that are to be deleted, or restore changed values.
    var mayBeResisted: Bool {
        nodes.contains { node in
            let event = node.rule.erasesRows ? "delete" : "update"
            return node.foreignTriggers.contains { $0.events.contains(event) }
        }
    }

    /// Whether the subject's own row is erased, and others are erased or stay as they are: none is changed.
    package var isOnlyErasing: Bool {
        nodes[root].rule.erasesRows && nodes.allSatisfy { $0.rule.erasesRows || $0.staysAsItIs }
    }

    /// Whether the live schema has the foreign key a link speaks of, with its action, vouched for.
    private static func hasKey(_ link: Link, on table: SchemaTable) -> Bool {
        table.foreignKeys.contains {
            $0.columns == link.columns && $0.target == link.target && $0.targetColumns == link.targetColumns
                && $0.onDelete == link.onDelete && $0.isValidated
        }
    }
}
