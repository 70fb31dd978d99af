// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Which of the rows that refer to a row of another table stay when the erasure deletes that row: the plan deletes the
/// others at the same time, through links that own them.
struct OwnRowConditions {
    /// For each owning link, a condition on a row `t`: it is not deleted together with the row that it refers to.
    private(set) var kept: [(owner: Link, isKept: String)] = []
    /// Whether there is an owning link of which the rows do not show that.
    private(set) var areUnknown = false
    private let plan: Plan
    private let schema: Schema

    /// - Parameter link: A reference with a declared key.
    init(_ link: Link, of entry: TablePlan, _ plan: Plan, _ schema: Schema) {
        (self.plan, self.schema) = (plan, schema)
        guard entry.rule.erasesRows else { return }
        for owner in entry.links where !owner.isReference {
            if let same = Self.isPlain(owner) ? sameRow(link, owner, entry.table) : nil {
                kept.append((owner, "NOT EXISTS (\(same))"))
            } else {
                areUnknown = true
            }
        }
    }

    private static func isPlain(_ link: Link) -> Bool {
        link.path.isEmpty && link.list == nil && !link.isOwnedParent && !link.ignoresCase && link.shared != .unlink
            && !link.columns.isEmpty && link.columns.count == link.targetColumns.count
    }

    /// The rows `r` that a row `t` refers to, if their deletion deletes the row as well; `nil` if the columns of the
    /// two rows, and of one more at most, do not show that.
    private func sameRow(_ link: Link, _ owner: Link, _ table: TableName) -> String? {
        let (dialect, target) = (schema.dialect, link.target)
        let referred = "SELECT 1 FROM \(dialect.qualified(target)) AS r"
        let isReferred = equal(link, table, "t", "r")
        func condition(_ equal: [String]) -> String { " WHERE \((isReferred + equal).joined(separator: " AND "))" }
        guard isComparable(owner, table) else { return nil }
        guard owner.target != target else {
            // Both lead to one row.
            return referred + condition(equal(owner, table, "t", "r"))
        }
        let others = owners(of: target)
        // The row has an owner only, which is the other's as well. A user's own row is also deleted without an owner.
        if target != plan.subject.table, others.count == 1, let other = others.first, other.condition.isEmpty,
            other.target == owner.target, isComparable(other, target)
        {
            let users = ", \(dialect.qualified(owner.target)) AS o"
            return referred + users + condition(equal(owner, table, "t", "o") + equal(other, target, "r", "o"))
        }
        // The row's owner belongs to the row that it refers to.
        let between = owners(of: owner.target).first { $0.target == target && $0.condition.isEmpty }
        guard let between, isComparable(between, owner.target) else { return nil }
        let rows = ", \(dialect.qualified(owner.target)) AS o"
        return referred + rows + condition(equal(owner, table, "t", "o") + equal(between, owner.target, "o", "r"))
    }

    /// The links through which an erasure deletes rows of a table, if all of them are plain.
    private func owners(of table: TableName) -> [Link] {
        guard let entry = plan.tables.first(where: { $0.table == table }), entry.rule.erasesRows else { return [] }
        let owners = entry.links.filter { !$0.isReference }
        return owners.allSatisfy(Self.isPlain) ? owners : []
    }

    /// The comparisons of a link's columns in a row with those that it leads to in another.
    private func equal(_ link: Link, _ table: TableName, _ row: String, _ other: String) -> [String] {
        let dialect = schema.dialect
        return zip(link.columns, link.targetColumns).map { column, key in
            let equality = dialect.equality(of: schema[table]?[column], with: schema[link.target]?[key])
            return "\(equality.keySide("\(other).\(dialect.quoted(key))")) "
                + "= \(equality.side("\(row).\(dialect.quoted(column))"))"
        }
    }

    /// Whether the database compares a link's columns with those that it leads to, and calls only equal values equal.
    private func isComparable(_ link: Link, _ table: TableName) -> Bool {
        guard let own = schema[table], let target = schema[link.target], own.isReadable, target.isReadable,
            !own.missingRights.contains("usage"), !target.missingRights.contains("usage")
        else { return false }
        return link.onDelete != nil
            || zip(link.columns, link.targetColumns).allSatisfy { column, key in
                guard let first = own[column], let second = target[key] else { return false }
                let isOfOneType = first.type == second.type || [.integer, .text].contains(first.kind)
                return first.kind == second.kind && isOfOneType && first.labels == nil && second.labels == nil
                    && first.looseEquality == nil && second.looseEquality == nil
            }
    }
}
