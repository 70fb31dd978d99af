// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// An erased subject cannot sign in afterwards: the account, its identities, sessions and codes are erased as well.
///
/// The rule `erase` is not enough: the links must find the rows of the subject's own account. A link by an e-mail
/// address, or from a column that merely resembles the key, finds none if the two are written differently.
struct AccountCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        guard let accounts = AccountTables(context.map), !isErasedBySystem(accounts) else { return [] }
        return ([accounts.users] + accounts.parts).compactMap { stays($0, accounts) ?? misses($0, accounts) }
    }

    /// Whether the vendor erases its accounts itself, as a system of the plan.
    private func isErasedBySystem(_ accounts: AccountTables) -> Bool {
        !accounts.areOwn && context.plan.systems.contains { $0.kind == "supabase-auth" }
    }

    private func stays(_ table: TableName, _ accounts: AccountTables) -> Finding? {
        // A table that the plan does not name is found already.
        guard let rule = context.rule(table), !rule.erasesRows else { return nil }
        let message =
            table == accounts.users
            ? "Users sign in with this table, and the plan keeps their accounts (\(rule.word)): "
                + "an erased user could still sign in."
            : "These rows let users sign in, and the plan keeps them (\(rule.word)) when a user is erased."
        return Finding("account.stays", .error, table: table, message, remedy: remedy(table, accounts))
    }

    /// A table that the plan erases, by links that may miss the subject's own rows.
    private func misses(_ table: TableName, _ accounts: AccountTables) -> Finding? {
        guard let entry = context[table], entry.rule.erasesRows, !finds(entry, accounts) else { return nil }
        let message =
            table == accounts.users
            ? "Users sign in with this table, and no link finds the account by its key: an erased user could "
                + "still sign in."
            : "These rows let users sign in, and no link finds them by the account's key: they may stay when a user "
                + "is erased."
        return Finding("account.stays", .error, table: table, message, remedy: remedy(table, accounts))
    }

    private func finds(_ entry: TablePlan, _ accounts: AccountTables) -> Bool {
        let links = entry.links.filter { SubjectPaths.erases($0) && $0.path.isEmpty }
        guard entry.table != accounts.users else {
            if context.plan.subject.table == accounts.users { return true }
            return links.contains { $0.columns == [AccountTables.key] && leadsToKey($0, of: entry.table) }
        }
        return links.contains { link in
            let isKey = context.map.keys(of: entry.table).contains { $0.key.isSame(as: link) }
            if isKey, link.target == accounts.users || accounts.parts.contains(link.target) { return true }
            guard link.columns == [AccountTables.reference] else { return false }
            return link.target == accounts.users && link.targetColumns == [AccountTables.key]
                || leadsToKey(link, of: entry.table)
        }
    }

    /// Whether a link's value is the subject's own key: it names that key, or a column that holds it by a link of its
    /// own and in which the database's keys require it.
    private func leadsToKey(_ link: Link, of table: TableName) -> Bool {
        let subject = ColumnName(context.plan.subject.table, context.plan.subject.key)
        var pending = [(link: link, table: table)]
        var passed: Set<ColumnName> = []
        while let next = pending.popLast() {
            guard next.link.columns.count == 1, next.link.targetColumns.count == 1 else { continue }
            let target = ColumnName(next.link.target, next.link.targetColumns[0])
            if target == subject { return true }
            let isRequired =
                context.map.keys(of: next.table).contains { $0.key.isSame(as: next.link) }
                || requires(target, of: subject)
            guard isRequired, passed.insert(target).inserted, let entry = context[target.table] else { continue }
            guard entry.rule.isPersonal else { continue }
            for link in entry.links where link.path.isEmpty && link.columns == [target.column] {
                pending.append((link, target.table))
            }
        }
        return false
    }

    /// Whether the database's keys require each value of the subject's key in a column, directly or by other columns.
    private func requires(_ column: ColumnName, of subject: ColumnName) -> Bool {
        var pending = [subject]
        var passed: Set<ColumnName> = []
        while let next = pending.popLast() {
            if next == column { return true }
            guard passed.insert(next).inserted else { continue }
            for key in context.map.keys(of: next.table)
            where key.key.columns == [next.column] && key.key.targetColumns.count == 1 {
                pending.append(ColumnName(key.key.target, key.key.targetColumns[0]))
            }
        }
        return false
    }

    private func remedy(_ table: TableName, _ accounts: AccountTables) -> String {
        let subject = context.plan.subject
        let account = Shown.line(accounts.account.description, limit: 160)
        let argument = ShellArgument.option("--subject", accounts.account.description)
        let vendor = accounts.areOwn ? "" : " Or name a system of the kind supabase-auth."
        guard table == accounts.users else {
            return "Give it the rule erase and the link {from: \(AccountTables.reference), to: \(account)}.\(vendor)"
        }
        if subject.table == accounts.users { return "Give it the rule erase.\(vendor)" }
        let key = Shown.line(ColumnName(subject.table, subject.key).description, limit: 160)
        guard accounts.link(to: subject, context.map) != nil else {
            let use = "se it as the subject's table: `farewell init \(argument)`."
            let namesAccount = context.map.keys(of: subject.table).contains { $0.key.target == accounts.users }
            guard accounts.areOwn, !namesAccount else { return "U\(use)\(vendor)" }
            return "If these accounts are the app's users, u\(use) Otherwise \(key) cannot hold an account's "
                + "identifier: give the server another database (`database.url`), with `erasures.database-url` for "
                + "this one, and drop its tables here."
        }
        return "If both have the same key, give it the rule erase and the link "
            + "{from: \(AccountTables.key), to: \(key)}; otherwise use it as the subject's table: "
            + "`farewell init \(argument)`.\(vendor)"
    }
}
