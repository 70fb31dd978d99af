// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// The columns of a table that decide which columns of a composite link to it name the subject.
struct ReferenceTarget {
    /// The columns by which the plan finds rows of the table: the subject's key, or the columns of the table's links.
    let naming: Set<String>
    /// The columns, of these, that hold the subject's key itself.
    let person: Set<String>
    /// The columns by which its rows refer to tables without personal data, such as a tenant.
    let shared: Set<String>

    init(_ table: SchemaTable?, naming: Set<String>, person: Set<String>, isPersonal: (TableName) -> Bool) {
        let keys = table?.foreignKeys ?? []
        self.naming = naming
        self.person = person
        shared = Set(keys.filter { !isPersonal($0.target) }.flatMap(\.columns))
    }

    /// The columns of links to the subject's table that hold the subject's key, not the tenant's beside it; all columns
    /// of a link that does not have the key.
    static func person(_ links: [Link], key: String) -> Set<String> {
        Set(
            links.flatMap { link -> [String] in
                let holding = holding(link, key: key)
                return holding.isEmpty ? link.columns : holding
            })
    }

    /// The columns of a link to the subject's table that hold the subject's key.
    static func holding(_ link: Link, key: String) -> [String] {
        zip(link.columns, link.targetColumns).filter { $0.1 == key }.map(\.0)
    }

    /// Whether one of these columns of a link may hold a key of the subject.
    func names(_ link: Link, by columns: [String]) -> Bool {
        zip(link.columns, link.targetColumns).contains { columns.contains($0) && naming.contains($1) }
    }

    /// The best choice among the columns of a link that can be emptied.
    func own(_ link: Link, among possible: [String]) -> [String] {
        let pairs = zip(link.columns, link.targetColumns).filter { possible.contains($0.0) && !shared.contains($0.1) }
        let named = pairs.filter { naming.contains($0.1) }
        let own = (named.isEmpty ? pairs : named).map { $0.0 }
        return own.isEmpty ? possible : own
    }

    /// The column of a link that says most about the subject, among those that can be emptied. Of two, the later one,
    /// and one that has another name than its target.
    func best(_ link: Link, among possible: [String]) -> String? {
        let pairs = zip(link.columns, link.targetColumns).filter { possible.contains($0.0) }
        let ranks: [(String) -> Bool] = [
            { person.contains($0) }, { naming.contains($0) && !shared.contains($0) }, { !shared.contains($0) },
            { _ in true },
        ]
        for isMeant in ranks {
            let found = pairs.filter { isMeant($0.1) }
            if let best = found.last(where: { $0.0 != $0.1 }) ?? found.last { return best.0 }
        }
        return nil
    }
}

extension RowGraph {
    func referenceTarget(_ index: Int) -> ReferenceTarget {
        let node = nodes[index]
        let naming = index == root ? [keyColumn.name] : Set(node.links.flatMap(\.link.columns))
        let person = ReferenceTarget.person(node.links.filter { $0.parent == root }.map(\.link), key: keyColumn.name)
        return ReferenceTarget(
            node.table, naming: naming, person: index == root ? naming : person, isPersonal: { places[$0] != nil })
    }

    /// The values that replace references to subjects (`set`): the keys of rows that stand for deleted ones.
    package var standIns: [String] {
        nodes.flatMap(\.references).compactMap { edge -> String? in
            guard let text = edge.link.replacement, !edge.isDirect else { return edge.link.replacement }
            let name = ReferenceChange.replaced(by: edge.link, to: referenceTarget(edge.parent))
            let holding = nodes[edge.parent].links.filter { $0.parent == root }.flatMap { owner in
                ReferenceTarget.holding(owner.link, key: keyColumn.name)
            }
            let keys = edge.parent == root ? [keyColumn.name] : holding
            let isKey = zip(edge.link.columns, edge.link.targetColumns).contains { column, target in
                column == name && keys.contains(target)
            }
            return isKey ? text : nil
        }
    }
}

extension CheckContext {
    func referenceTarget(_ link: Link) -> ReferenceTarget {
        let isRoot = link.target == plan.subject.table
        let links = self[link.target]?.links.filter { !$0.isReference } ?? []
        let naming = isRoot ? [plan.subject.key] : Set(links.flatMap(\.columns))
        let person = ReferenceTarget.person(
            links.filter { $0.target == plan.subject.table }, key: plan.subject.key)
        return ReferenceTarget(
            map[link.target], naming: naming, person: isRoot ? naming : person, isPersonal: isPersonal)
    }
}
