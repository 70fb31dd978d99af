// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// No path reaches a neighbour's row unnoticed, and loops of links are named.
struct SubjectPathCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        context.entries.flatMap { entry in
            undecided(entry.plan) + rolesUndecided(entry.plan, entry.table) + otherSides(entry.plan)
                + otherValues(entry.plan)
        } + cycles()
    }

    private func undecided(_ entry: TablePlan) -> [Finding] {
        context.paths.undecided(entry).map { link in
            let columns = Shown.line(link.columns.joined(separator: ", "), limit: 120)
            let isEmptied = link.onDelete == .setNull || link.onDelete == .setDefault
            let message =
                isEmptied
                ? "The database would only set this link to null (\(link.onDelete?.rawValue ?? "")); "
                    + "the plan would delete the row."
                : "Rows found by this link may also belong to another user, and would be deleted."
            return Finding(
                "rule.touches-neighbour", .error, table: entry.table, column: link.columns.first, message,
                remedy: "Decide, and add to the link from \(columns): `shared: erase` (deletes the row with either) or "
                    + "`shared: unlink` (keeps the row without this link).")
        }
    }

    /// Several links that name subjects, of which one neither says that it owns the row nor is a key that shows it.
    private func rolesUndecided(_ entry: TablePlan, _ table: SchemaTable) -> [Finding] {
        guard entry.rule.erasesRows, entry.table != context.plan.subject.table else { return [] }
        let links = entry.links.filter { SubjectPaths.erases($0) && context.paths.isDirect($0) }
        let undecided = context.paths.undecided(entry)
        guard links.count > 1 else { return [] }
        return links.filter { link in
            link.role == nil && link.shared == nil && !undecided.contains(link) && !isEvident(link, table)
        }.map { link in
            let columns = Shown.line(link.columns.joined(separator: ", "), limit: 120)
            return Finding(
                "link.role-undecided", .error, table: entry.table, column: link.columns.first,
                "Several links of this table lead to users, and the plan does not say if a row belongs to the user "
                    + "of this link: it would be deleted with each of them.",
                remedy:
                    "Add to the link from \(columns): `role: owner` (the row is theirs) or `role: reference` (the row "
                    + "is kept without this value).")
        }
    }

    private func isEvident(_ link: Link, _ table: SchemaTable) -> Bool {
        context.map.keys(of: table.name).contains { key in
            key.key.isSame(as: link) && KeyOwnership.Path(key: key.key, isDirect: true).isEvident(in: table)
        }
    }

    /// In a row that stays and has two links, one may name a neighbour; a column's rule would change both.
    private func otherSides(_ entry: TablePlan) -> [Finding] {
        // The rules are for rows that a link makes the subject's; a reference does not.
        let links = entry.links.filter { !$0.isReference }
        guard entry.rule.rowsStay, links.count > 1 else { return [] }
        return links.compactMap { link in
            let changed = link.columns.first { column in
                context.columnRule(entry.table, column)?.changesValue == true && link.path.isEmpty
            }
            guard let changed else { return nil }
            let isEmptied = link.onDelete == .setNull || link.onDelete == .setDefault
            return Finding(
                "column.touches-neighbour", .error, table: entry.table, column: changed,
                "These rows have several links, and this column may refer to a person other than the subject; "
                    + "its rule would change that reference too.",
                remedy: isEmptied
                    ? "Call the column not personal: the database sets it to null where it refers to the subject."
                    : "Give it a key that sets null and call it not personal, or keep only one link.")
        }
    }

    /// In a row that stays and belongs to two people, such as an invoice, each has values of their own: a rule changes
    /// all of them when one of the two leaves.
    private func otherValues(_ entry: TablePlan) -> [Finding] {
        guard entry.rule.rowsStay else { return [] }
        let links = entry.links.filter { SubjectPaths.erases($0) && context.paths.isDirect($0) }
        let undecided = links.filter { link in
            link.shared == nil
                && links.contains { $0.columns != link.columns && !SubjectPaths.areAlternatives($0, link) }
        }
        let linking = Set(entry.links.flatMap(\.columns))
        let changed = entry.columns.filter { $0.rule?.changesValue == true && !linking.contains($0.name) }.map(\.name)
        guard !undecided.isEmpty, let first = changed.first else { return [] }
        let others = changed.dropFirst().prefix(5).map { Shown.line($0, limit: 80) }.joined(separator: ", ")
        let by = undecided.map { Shown.line($0.columns.joined(separator: ", "), limit: 120) }
        let also = others.isEmpty ? "" : " (the same holds for \(others)\(changed.count > 6 ? " and others" : ""))"
        let unchanged = entry.rule.retention == nil ? "call the column not personal." : "call the column retain."
        return [
            Finding(
                "column.touches-neighbour", .error, table: entry.table, column: first,
                "Several links make these rows a person's (\(by.joined(separator: "; "))), and the value of this "
                    + "column may be another person's: its rule would change it when either of them leaves\(also).",
                remedy: "If a row is one person's, write `role: reference` for the links to the others. If each rule "
                    + "is right when either person leaves, write `shared: erase` for each of these links. Otherwise "
                    + "\(unchanged)")
        ]
    }

    /// Tables that lead to each other in a circle, and what breaks it.
    private func cycles() -> [Finding] {
        let personal = context.entries.filter { $0.plan.rule.isPersonal }
        let numbers = Dictionary(
            personal.enumerated().map { ($1.plan.table, $0) }, uniquingKeysWith: { first, _ in first })
        let parents = personal.map { entry in
            // No row is found through a reference.
            Set(entry.plan.links.filter { !$0.isReference }.map(\.target)).compactMap { numbers[$0] }.sorted()
        }
        var search = ComponentSearch(parents: parents)
        let circles = search.childrenFirst().filter { group in
            group.count > 1 || group.contains { parents[$0].contains($0) }
        }
        return circles.map { group in
            let names = group.map { personal[$0].plan.table }.sorted()
            let shown = names.prefix(6).map { Shown.name($0.description) }.joined(separator: " → ")
            return Finding(
                "link.cycle", .note, table: names[0],
                "\(names.count == 1 ? "Rows of this table lead to each other" : "These tables lead to each other"): "
                    + "\(shown)\(names.count > 6 ? " …" : ""). \(breaker(group.map { personal[$0] }))")
        }
    }

    private func breaker(_ group: [(plan: TablePlan, table: SchemaTable)]) -> String {
        let names = Set(group.map(\.plan.table))
        let inner = group.flatMap { member in
            member.plan.links.filter { names.contains($0.target) }.map { (member.table, $0) }
        }
        let deferrable = group.flatMap { context.map.keys(of: $0.plan.table) }
            .filter { names.contains($0.key.target) }
        if !deferrable.isEmpty, deferrable.allSatisfy({ $0.key.onDelete == .cascade }) {
            return "The database's cascade follows it."
        }
        if let (table, link) = inner.first(where: { table, link in
            !link.columns.isEmpty && link.columns.allSatisfy { table[$0]?.isNullable == true }
        }) {
            let column = ColumnName(table.name, link.columns[0]).description
            return "It can be broken at \(Shown.name(column)), which may be null."
        }
        if deferrable.contains(where: \.key.isDeferrable) {
            return "It can be broken by a key that is checked only at commit."
        }
        return "One statement deletes it, and the database checks the keys at its end."
    }
}
