// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// A key that leads from a user's row to a row that is deleted with another user: the row stays, so it has to lose the
/// key's value. Where the value can neither be null nor be replaced, no link of the plan is right, and the database
/// would refuse to delete a user to whose row another row refers, or would delete both.
struct KeyOfUsersCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    /// - Parameter key: One that no link of the entry has.
    func finding(_ key: ForeignKey, of entry: TablePlan) -> Finding? {
        guard context.isErased(key.target), let table = context.map[entry.table] else { return nil }
        if let finding = own(key, of: entry, table) { return finding }
        let link = key.link
        let lost = LostValue(link, in: table)
        if key.onDelete == .setNull { return emptied(key, link, lost, of: entry, table) }
        guard key.onDelete != .setDefault, !lost.isPossible, context.isOfUsers(entry.table) else { return nil }
        let isSelf = context.isOfUsers(key.target)
        let target = Shown.name(key.target.description)
        let other = isSelf ? "another user's" : "a row of \(target) that may be another user's"
        let effect =
            key.onDelete == .cascade
            ? "the database would delete a user's row with that of another user"
            : "the database refuses to delete what another user's row refers to"
        return Finding(
            "key.unanswerable", .error, table: entry.table, column: key.columns.first,
            "By this key a user's row refers to \(other), and its value can neither be null nor be replaced: "
                + "\(effect).",
            remedy: "\(lost.remedy). If every row refers to its own user only, add the link with `shared: erase`.")
    }

    /// The key leads to rows that are deleted with their own user, as the plan says, and with the user's row.
    private func own(_ key: ForeignKey, of entry: TablePlan, _ table: SchemaTable) -> Finding? {
        guard context.isOfUsers(entry.table), entry.rule.erasesRows,
            let owner = OwnRows(context.map, users: context.plan.subject.table).owner(through: key, of: table),
            context[key.target]?.links.contains(where: { SubjectPaths.erases($0) && owner.isSame(as: $0) }) == true
        else { return nil }
        let by = Shown.line(owner.columns.joined(separator: ", "), limit: 120)
        return Finding(
            "link.cycle", .note, table: entry.table, column: key.columns.first,
            "By this key a user's row refers to rows of \(Shown.name(key.target.description)) that are deleted with "
                + "their user (\(by)): both are deleted together. While another user's row refers to such a row, the "
                + "database refuses, and the erasure is parked.")
    }

    /// The database sets the value to null, which the column does not take.
    private func emptied(
        _ key: ForeignKey, _ link: Link, _ lost: LostValue, of entry: TablePlan, _ table: SchemaTable
    ) -> Finding? {
        guard entry.rule.erasesRows, let column = key.emptiedColumns.first(where: { table[$0]?.isNullable == false })
        else { return nil }
        let replaced = lost.isReplaceable ? ", add the link with `role: reference` and `set:`" : ""
        // Rows that are deleted with the user whom the key names lose nothing. A user is no other user's row.
        let owned =
            context.isOfUsers(entry.table)
            ? "" : " If each row belongs to the user to whom the key leads, add the link with `role: owner`."
        return Finding(
            "key.blocks", .error, table: entry.table, column: column,
            "The key would set this column to null, but it may not be null: the database would refuse.",
            remedy: "Make the column nullable\(replaced), or change the key's action.\(owned)")
    }
}
