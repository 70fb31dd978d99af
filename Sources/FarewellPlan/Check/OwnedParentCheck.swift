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
        return OwnedParentCircle(context).findings(link, of: entry) + stages(link, entry) + kept(link, entry)
    }

    /// Parents of the subject's own row are erased in its stage; parents of other rows earlier, in theirs.
    private func stages(_ link: Link, _ entry: TablePlan) -> [Finding] {
        let order = context.plan.order
        let isOneStage = zip(order, order.dropFirst()).contains { $0 == (.rows, .identity) }
        let others = entry.links.filter { SubjectPaths.erases($0) && $0.target != context.plan.subject.table }
        guard !isOneStage, link.target == context.plan.subject.table, !others.isEmpty else { return [] }
        return [
            finding(
                "link.owned-parent-stages", entry, link,
                "These rows belong to the subject's own row and to other rows, which `order` erases in two stages.",
                "Put `identity` directly after `rows` in `order`.")
        ]
    }

    /// Rows of the subject's own row, such as a profile, stay while rows that no link erases need them. A row to which
    /// several rows may refer, such as a file, stays while it has parts that no link erases.
    private func kept(_ link: Link, _ entry: TablePlan) -> [Finding] {
        let isOfOneRow =
            link.target == context.plan.subject.table || context.map.isUnique(link.targetColumns, in: link.target)
        let needs = context.map.needs(of: entry.table).filter { isOfOneRow || isPart($0) }
        guard let need = needs.first(where: { keeps($0, besides: link.target) }) else { return [] }
        let (table, key) = (context.map.listedName(of: need.table), need.key)
        let columns = Shown.line(key.columns.joined(separator: ", "), limit: 120)
        let message =
            "Rows of \(Shown.name(table.description)) that need rows here (\(columns)) keep them: the plan calls that "
            + "table not personal."
        let remedy =
            "Give that table a rule and a link to this one, or state that the key names no person: "
            + "{\(Shown.line(key.columns[0], limit: 120)): not personal} in its `columns`."
        guard isOfOneRow, context.map[entry.table].map(OwnedParents.describesPerson) ?? true else {
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

    /// Whether rows of a table are parts of the row that a key names, such as the smaller copies of a picture: no other
    /// key says where they belong, and a unique key tells them apart within that row.
    private func isPart(_ need: SchemaMap.Key) -> Bool {
        let name = context.map.listedName(of: need.table)
        guard let table = context.map[name], context.map.keys(of: name).count == 1 else { return false }
        return ([table.primaryKey] + table.uniqueKeys).contains { Set($0).isStrictSuperset(of: need.key.columns) }
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
