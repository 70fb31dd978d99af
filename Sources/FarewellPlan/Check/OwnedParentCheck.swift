// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Parents owned by their rows (`parent: owned`) can be deleted with them.
struct OwnedParentCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings(_ link: Link, of entry: TablePlan) -> [Finding] {
        guard link.isOwnedParent else { return [] }
        if entry.table == context.plan.subject.table || link.target == entry.table {
            return [
                finding(
                    "link.owned-parent-unfit", entry, link,
                    "An owned parent must be a row of another table, deleted with the rows that own it.",
                    "Remove `parent: owned`.")
            ]
        }
        guard entry.rule.erasesRows else {
            return [
                finding(
                    "link.owned-parent-unfit", entry, link,
                    "Owned parents are deleted with the rows that own them, but the rule here is \(entry.rule.word).",
                    "Use the rule erase, or remove `parent: owned`.")
            ]
        }
        guard link.path.isEmpty else {
            return [
                finding(
                    "link.owned-parent-unfit", entry, link, "Columns must refer to an owned parent, not JSON.",
                    "Link a column.")
            ]
        }
        return circle(link, entry) + stages(link, entry) + kept(link, entry)
    }

    /// A row that is found through its parent cannot at the same time decide whether the parent stays. A row that loses
    /// its value (`role: reference`) decides nothing.
    private func circle(_ link: Link, _ entry: TablePlan) -> [Finding] {
        if let way = way(from: link.target, to: entry.table) {
            return [
                finding(
                    "link.owned-parent-circle", entry, link,
                    "Rows of \(Shown.name(link.target.description)) own these rows, and are also found through them: "
                        + "the order of deletion is undefined.",
                    "Write `role: reference` for the link by \(Self.shown(way)) there, or remove `parent: owned`.")
            ]
        }
        let keys = context.map.keys(to: entry.table).filter { key in
            key.key.isPaired
                && !(context[key.table]?.links ?? []).contains { ParentHolder.letsGo(of: key.key, by: $0) }
        }
        guard let key = keys.first(where: { way(from: $0.table, to: entry.table) != nil }) else { return [] }
        return [
            finding(
                "link.owned-parent-circle", entry, link,
                "Rows of \(Shown.name(key.table.description)) refer to these rows by "
                    + "\(Self.shown(key.key.columns)), and are also found through them: the order of deletion is "
                    + "undefined.",
                remedy(key))
        ]
    }

    /// With the key as a link, its rows keep no parent: they are deleted with it, or lose the value before.
    private func remedy(_ key: SchemaMap.Key) -> String {
        var link = Link(
            columns: key.key.columns, target: key.key.target, targetColumns: key.key.targetColumns,
            onDelete: key.key.onDelete)
        let lost = context.map[key.table].map { LostValue(link, in: $0) }
        link.role = lost?.isPossible == true ? .reference : .owner
        let written = PlanFile.text(of: link)
        let value = link.role == .reference && lost?.isClearable == false ? " and `set:`" : ""
        let kept =
            link.role == .reference
            ? " (rows of other users lose the value; `role: owner` deletes them with the row that they name)" : ""
        return "Add {\(Shown.line(written, limit: 300))}\(value) to the links of "
            + "\(Shown.name(key.table.description))\(kept), or remove `parent: owned`."
    }

    private static func shown(_ columns: [String]) -> String { Shown.line(columns.joined(separator: ", "), limit: 120) }

    /// The columns of the first of the links that lead from a table to another; `nil` if none do.
    private func way(from start: TableName, to table: TableName) -> [String]? {
        for link in owning(start) where link.target == table || leads(from: link.target, to: table) {
            return link.columns
        }
        return nil
    }

    private func owning(_ table: TableName) -> [Link] { (context[table]?.links ?? []).filter { !$0.isReference } }

    private func leads(from start: TableName, to table: TableName) -> Bool {
        var (open, seen) = ([start], Set<TableName>())
        while let next = open.popLast() {
            guard seen.insert(next).inserted else { continue }
            let targets = owning(next).map(\.target)
            if targets.contains(table) { return true }
            open += targets
        }
        return false
    }

    /// Parents of the subject's own row are erased in its stage; parents of other rows earlier, in theirs.
    private func stages(_ link: Link, _ entry: TablePlan) -> [Finding] {
        let order = context.plan.order
        let isOneStage = zip(order, order.dropFirst()).contains { $0 == (.rows, .identity) }
        let others = entry.links.filter { PlanRoads.erases($0) && $0.target != context.plan.subject.table }
        guard !isOneStage, link.target == context.plan.subject.table, !others.isEmpty else { return [] }
        return [
            finding(
                "link.owned-parent-stages", entry, link,
                "These rows belong to the subject's own row and to other rows, which `order` erases in two stages.",
                "Put `identity` directly after `rows` in `order`.")
        ]
    }

    /// Rows of the subject's own row, such as a profile, stay while rows that no link erases need them.
    private func kept(_ link: Link, _ entry: TablePlan) -> [Finding] {
        guard link.target == context.plan.subject.table || context.map.isUnique(link.targetColumns, in: link.target),
            let need = context.map.needs(of: entry.table).first(where: { keeps($0, besides: link.target) })
        else { return [] }
        let (table, key) = (context.map.listedName(of: need.table), need.key)
        let columns = Shown.line(key.columns.joined(separator: ", "), limit: 120)
        let message =
            "Rows of \(Shown.name(table.description)) that need rows here (\(columns)) keep them: the plan calls that "
            + "table not personal."
        let remedy =
            "Give that table a rule and a link to this one, or state that the key names no person: "
            + "{\(Shown.line(key.columns[0], limit: 120)): not personal} in its `columns`."
        guard context.map[entry.table].map(OwnedParents.describesPerson) ?? true else {
            return [finding("link.owned-parent-kept", entry, link, message, remedy, as: .warning)]
        }
        return [
            finding(
                "link.owned-parent-kept", entry, link, message,
                "\(remedy) If each row here is one user's profile, write a plan with this table as the subject: "
                    + "farewell init --force --subject "
                    + Shown.line(ColumnName(entry.table, link.columns[0]).description, limit: 160))
        ]
    }

    /// Whether rows of a table that the plan calls not personal keep the rows that the key names, unless the plan says
    /// that the key names no person.
    private func keeps(_ need: SchemaMap.Key, besides holder: TableName) -> Bool {
        let table = context.map.listedName(of: need.table)
        return table != holder && context.keepsParent(need.key) && context[table]?.rule.isPersonal == false
            && !need.key.columns.contains { context.columnRule(table, $0)?.isNotPersonal == true }
    }

    private func finding(
        _ code: Finding.Code, _ entry: TablePlan, _ link: Link, _ message: String, _ remedy: String,
        as severity: Finding.Severity = .error
    ) -> Finding {
        Finding(code, severity, table: entry.table, column: link.columns.first, message, remedy: remedy)
    }
}
