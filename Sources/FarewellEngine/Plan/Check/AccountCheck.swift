// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Nobody who is erased can sign in afterwards: their account, its identities, sessions and codes go with them.
struct AccountCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        guard let accounts = AccountTables(context.map), !isErasedBySystem(accounts) else { return [] }
        return ([accounts.users] + accounts.parts).compactMap { stays($0, accounts) }
    }

    /// Whether the vendor erases its accounts itself, as a system of the plan.
    private func isErasedBySystem(_ accounts: AccountTables) -> Bool {
        !accounts.areOwn && context.plan.systems.contains { $0.kind == "supabase-auth" }
    }

    private func stays(_ table: TableName, _ accounts: AccountTables) -> Finding? {
        // A table that the plan does not name is found already.
        guard let rule = context.rule(table), rule != .erase else { return nil }
        let message =
            table == accounts.users
            ? "People sign in by this table, and the plan keeps their accounts (\(rule.word)): "
                + "a person who is erased could still sign in."
            : "These rows let people sign in, and the plan keeps them (\(rule.word)) when a person is erased."
        return Finding("account.stays", .error, table: table, message, remedy: remedy(table, accounts))
    }

    private func remedy(_ table: TableName, _ accounts: AccountTables) -> String {
        let subject = context.plan.subject
        let account = Shown.line(accounts.account.description, limit: 160)
        let vendor = accounts.areOwn ? "" : " Or name a system of the kind supabase-auth."
        guard table == accounts.users else { return "Give it the rule erase and its link to \(account).\(vendor)" }
        if subject.table == accounts.users { return "Give it the rule erase.\(vendor)" }
        guard accounts.link(to: subject, context.map) != nil else {
            return "Let the plan begin there: `farewell init --subject \(account)`.\(vendor)"
        }
        let key = Shown.line(ColumnName(subject.table, subject.key).description, limit: 160)
        return "Where both have the same key, give it the rule erase and the link "
            + "{from: \(AccountTables.key), to: \(key)}; else let the plan begin there: "
            + "`farewell init --subject \(account)`.\(vendor)"
    }
}
