// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The effect of the database's own keys on remaining rows when the rows that they refer to are erased.
struct KeyCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        context.entries.filter { $0.plan.rule.erasesRows }.flatMap { entry in
            context.map.keys(to: entry.plan.table).compactMap { key in
                guard let holder = context[key.table], !holder.rule.erasesRows, !context.keepsParent(key.key) else {
                    return nil
                }
                return finding(key.key, of: holder, erased: entry.plan.table)
            }
        } + context.entries.flatMap(leadsToRetained)
    }

    private func finding(_ key: ForeignKey, of holder: TablePlan, erased: TableName) -> Finding? {
        switch key.onDelete {
        case .cascade: cascade(key, of: holder, erased: erased)
        case .noAction, .restrict: restriction(key, of: holder, erased: erased)
        case .setNull, .setDefault: emptied(key, of: holder, erased: erased)
        }
    }

    private func cascade(_ key: ForeignKey, of holder: TablePlan, erased: TableName) -> Finding? {
        guard !isMoved(key, of: holder) else { return nil }
        let word = !holder.rule.isPersonal ? "calls not personal" : "says to \(holder.rule.word)"
        return finding(
            "key.cascades-into", key, holder,
            "Erasing rows of \(Shown.name(erased.description)) would delete rows here by cascade, "
                + "although the plan \(word) them.",
            !holder.rule.isPersonal
                ? "Give this table the rule erase with this link, or change the key's action."
                : "\(clearing(key, in: holder))\(owned(key, in: holder)), or change the key's action.")
    }

    private func restriction(_ key: ForeignKey, of holder: TablePlan, erased: TableName) -> Finding? {
        guard !isMoved(key, of: holder) else { return nil }
        return finding(
            "key.blocks", key, holder,
            "Rows here are kept (\(holder.rule.word)) and refer by a \(key.onDelete.rawValue) key to rows of "
                + "\(Shown.name(erased.description)) that are erased: the database would refuse.",
            !holder.rule.isPersonal
                ? "Give this table a rule and this link."
                : "\(clearing(key, in: holder))\(owned(key, in: holder)), or anonymise "
                    + "\(Shown.name(erased.description)) instead.")
    }

    /// How the plan may move the value of a key away.
    private func clearing(_ key: ForeignKey, in holder: TablePlan) -> String {
        let mayBeNull = key.columns.contains { context.map.column(holder.table, $0)?.isNullable == true }
        return mayBeNull
            ? "Set this column to null by its rule" : "Make this column nullable and set it to null by its rule"
    }

    /// Rows of the subject that stay may be erased instead. A user's row is no other user's.
    private func owned(_ key: ForeignKey, in holder: TablePlan) -> String {
        let isOwned =
            holder.rule.rowsStay && !context.isOfUsers(holder.table)
            && holder.links.contains { !$0.isReference && key.isSame(as: $0) }
        return isOwned ? ", give this table the rule erase, because this link has `role: owner`" : ""
    }

    private func emptied(_ key: ForeignKey, of holder: TablePlan, erased: TableName) -> Finding? {
        if key.onDelete == .setNull, !isCleared(key, in: holder),
            let column = key.emptiedColumns.first(where: { context.map.column(holder.table, $0)?.isNullable == false })
        {
            return Finding(
                "key.blocks", .error, table: holder.table, column: column,
                "The key would set this column to null, but it may not be null: the database would refuse.",
                remedy: "Make the column nullable\(owned(key, in: holder)), or change the key's action.")
        }
        guard !holder.rule.isPersonal else { return nil }
        return finding(
            "key.leads-to-person", key, holder,
            "A key leads from here to \(Shown.name(erased.description)), so these rows identify a person "
                + "although the plan calls them not personal.",
            "Use the rule anonymise with this link and this column null.")
    }

    /// Whether the plan itself moves the key's column away before the rows it names go.
    private func isMoved(_ key: ForeignKey, of holder: TablePlan) -> Bool {
        guard holder.rule.isPersonal else { return false }
        if isCleared(key, in: holder) { return true }
        return key.columns.contains { context.columnRule(holder.table, $0)?.movesKey($0) == true }
    }

    /// Whether a reference has this key: it is cleared in every row before the rows that it names are deleted.
    private func isCleared(_ key: ForeignKey, in holder: TablePlan) -> Bool {
        holder.rule.isPersonal
            && holder.links.contains { $0.isReference && $0.condition.isEmpty && key.isSame(as: $0) }
    }

    /// Rows declared not personal that refer to a retained row lead to the subject as long as it is retained.
    private func leadsToRetained(_ entry: TablePlan, _ table: SchemaTable) -> [Finding] {
        guard !entry.rule.isPersonal else { return [] }
        return context.map.keys(of: entry.table).compactMap { key in
            guard context.rule(key.key.target)?.retention != nil, let column = key.key.columns.first,
                !key.key.columns.contains(where: { context.columnRule(entry.table, $0)?.isNotPersonal == true })
            else { return nil }
            return Finding(
                "key.leads-to-retained", .warning, table: entry.table, column: column,
                "These rows refer to retained rows of \(Shown.name(key.key.target.description)) and identify the "
                    + "person as long as those are kept.",
                remedy: "Retain this table too with this link, or list the column as "
                    + "{\(Shown.line(column, limit: 120)): not personal}.")
        }
    }

    private func finding(
        _ code: Finding.Code, _ key: ForeignKey, _ holder: TablePlan, _ message: String, _ remedy: String
    ) -> Finding {
        Finding(code, .error, table: holder.table, column: key.columns.first, message, remedy: remedy)
    }
}
