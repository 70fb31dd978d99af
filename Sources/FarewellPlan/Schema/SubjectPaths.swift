// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The paths by which rows lead to the subject, and the places where a path also reaches other subjects' rows.
///
/// A link is *direct* if it names the subject: it leads to the subject's own row, to a row that exists once for each
/// subject (a profile), or to a column with the subject's key. A row with two direct links (sender and receiver) has
/// two sides and is erased with either. A row that has a direct link and an indirect one (a comment's author, and its
/// post) may be a neighbour's: the author of the plan decides.
package struct SubjectPaths: Sendable {
    private let subject: SubjectRoot
    private let map: SchemaMap
    private let tables: [TableName: TablePlan]
    /// Tables with one row for each subject at most, the subject's own among them.
    package let onePerPerson: Set<TableName>
    /// Columns whose value is the subject's key.
    private let identityColumns: Set<ColumnName>
    /// Tables whose links lead to the subject in the end.
    package let reaching: Set<TableName>

    package init(subject: SubjectRoot, tables: [TableName: TablePlan], map: SchemaMap) {
        self.subject = subject
        self.map = map
        self.tables = tables
        var one: Set<TableName> = [subject.table]
        var identity: Set<ColumnName> = [ColumnName(subject.table, subject.key)]
        let followers = Self.followers(tables)
        var queue = [subject.table]
        while let target = queue.popLast() {
            for table in followers[target] ?? [] {
                var changed = false
                for link in table.links where Self.isPlain(link) && Self.isDirect(link, one, identity) {
                    if link.columns.count == 1, Self.isIdentity(link, identity) {
                        changed = identity.insert(ColumnName(table.table, link.columns[0])).inserted || changed
                    }
                    let isAlone = Self.erases(link) && table.links.count(where: Self.erases) == 1
                    if isAlone, map.isUnique(link.columns, in: table.table) {
                        changed = one.insert(table.table).inserted || changed
                    }
                }
                if changed { queue.append(table.table) }
            }
        }
        onePerPerson = one
        identityColumns = identity
        reaching = Self.reaching(subject.table, followers)
    }

    /// Whether rows found by this link share the fate of the row they lead to.
    package static func erases(_ link: Link) -> Bool { link.shared != .unlink && !link.isReference }

    /// Whether the link is a column's whole value, in every row.
    static func isPlain(_ link: Link) -> Bool {
        link.path.isEmpty && link.condition.isEmpty && link.list == nil && !link.isOwnedParent
    }

    /// Whether the link names the subject, not merely something that belongs to the subject.
    package func isDirect(_ link: Link) -> Bool { Self.isDirect(link, onePerPerson, identityColumns) }

    /// Whether the link's value is the subject's key itself.
    package func holdsSubjectKey(_ link: Link) -> Bool { Self.isIdentity(link, identityColumns) }

    /// The links of an erased table that need a decision, because they may reach a neighbour's row.
    package func undecided(_ table: TablePlan) -> [Link] {
        guard table.rule.erasesRows else { return [] }
        let paths = table.links.filter(Self.erases)
        let own = paths.first { isDirect($0) && $0.path.isEmpty && map.isUnique($0.columns, in: table.table) }
        return paths.filter { link in
            // An owned parent that a neighbour's row names stays.
            guard link.shared == nil, link.role == nil, !link.isOwnedParent else { return false }
            if link.onDelete == .setNull || link.onDelete == .setDefault { return true }
            if table.table == subject.table { return true }
            let others = paths.filter { $0 != link && !Self.areAlternatives($0, link) }
            if let own { return others.contains(own) }
            return !others.isEmpty && !isDirect(link)
        }
    }

    /// Whether no row can be found by both links, because their conditions require different values of one column.
    static func areAlternatives(_ one: Link, _ other: Link) -> Bool {
        one.condition.parts.contains { part in
            other.condition.parts.contains {
                $0.column == part.column && Set($0.values).isDisjoint(with: part.values) && !($0.isNull && part.isNull)
            }
        }
    }

    private static func isDirect(_ link: Link, _ one: Set<TableName>, _ identity: Set<ColumnName>) -> Bool {
        one.contains(link.target) || isIdentity(link, identity)
    }

    private static func isIdentity(_ link: Link, _ identity: Set<ColumnName>) -> Bool {
        link.targetColumns.count == 1 && identity.contains(ColumnName(link.target, link.targetColumns[0]))
    }

    /// For each table, the personal tables that link to it, in name order.
    private static func followers(_ tables: [TableName: TablePlan]) -> [TableName: [TablePlan]] {
        var followers: [TableName: [TablePlan]] = [:]
        for table in tables.values.sorted(by: { $0.table < $1.table }) where table.rule.isPersonal {
            for target in Set(table.links.map(\.target)) { followers[target, default: []].append(table) }
        }
        return followers
    }

    private static func reaching(_ root: TableName, _ followers: [TableName: [TablePlan]]) -> Set<TableName> {
        var reached: Set<TableName> = [root]
        var queue = [root]
        while let table = queue.popLast() {
            for follower in followers[table] ?? [] where reached.insert(follower.table).inserted {
                queue.append(follower.table)
            }
        }
        return reached
    }
}
