// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Columns that lose their values together in rows that stay.
struct Emptying {
    enum Cause {
        /// The database's own key (`ON DELETE SET NULL`, `SET DEFAULT`).
        case key(ForeignKey)
        /// A link with `shared: unlink`, or one that only names the subject in other subjects' rows.
        case unlink(Link)
        /// The rule `null` of each column.
        case rules
    }

    let table: SchemaTable
    let columns: [String]
    let cause: Cause

    /// Whether the columns take their defaults; otherwise they become null.
    var takesDefaults: Bool {
        guard case .key(let key) = cause else { return false }
        return key.onDelete == .setDefault
    }

    /// The link, or the key as a link; `nil` for rules.
    var link: Link? {
        switch cause {
        case .key(let key): key.link
        case .unlink(let link): link
        case .rules: nil
        }
    }

    /// The key, link or rule that empties them, as the subject of a sentence.
    var actor: String {
        switch cause {
        case .key: "The database's key"
        case .unlink(let link): link.isReference ? "The link's role reference" : "`shared: unlink`"
        case .rules: "The rule null"
        }
    }

    /// Other entries of the plan, and a change of the schema, as a remedy.
    ///
    /// - Parameters:
    ///   - change: The change, in the imperative.
    ///   - canReplace: Whether the database would accept another value in place of null.
    func remedy(_ context: CheckContext, or change: String, canReplace: Bool = false) -> String {
        let ways = (answers(context, canReplace) + [change]).joined(separator: "; or ")
        return "\(ways.prefix(1).uppercased())\(ways.dropFirst())."
    }

    /// The other entries of the plan: a user's row is deleted with its own user only.
    private func answers(_ context: CheckContext, _ canReplace: Bool) -> [String] {
        let isOfUser = context.isOfUsers(table.name)
        func isReplaceable(_ link: Link) -> Bool { canReplace && LostValue(link, in: table).isReplaceable }
        switch cause {
        case .rules: return ["give the column another rule", "give the table the rule erase"]
        case .unlink(let link) where !link.isReference: return ["write `shared: erase`, which deletes these rows"]
        case .unlink(let link):
            let value = isReplaceable(link) ? ["write `set:` with another value into the link"] : []
            return value + (isOfUser ? [] : ["write `role: owner` into the link, which deletes these rows"])
        case .key(let key):
            let value = isReplaceable(key.link) ? ["add a link by this key with `role: reference` and `set:`"] : []
            return value + (isOfUser ? [] : ["add a link by this key with `role: owner`, which deletes these rows"])
        }
    }

    /// All that a plan leads to.
    static func all(_ context: CheckContext) -> [Emptying] {
        context.entries.flatMap { entry, table -> [Emptying] in
            let links = entry.links.filter {
                entry.rule.isPersonal && $0.path.isEmpty && !$0.columns.isEmpty && !$0.isOwnedParent && $0.list == nil
            }
            let keys = context.map.keys(of: entry.table).map(\.key).filter { key in
                context.isErased(key.target) && !key.emptiedColumns.isEmpty
                    && !links.contains {
                        key.isSame(as: $0) && ($0.isReference || entry.rule.erasesRows && SubjectPaths.erases($0))
                    }
            }
            var found = keys.map { Emptying(table: table, columns: $0.emptiedColumns, cause: .key($0)) }
            guard entry.rule.isPersonal else { return found }
            found += links.filter { ($0.shared == .unlink || $0.isReference) && $0.replacement == nil }.map {
                Emptying(
                    table: table, columns: ReferenceChange.columns(of: $0, in: table, to: context.referenceTarget($0)),
                    cause: .unlink($0))
            }
            let nulls = entry.columns.filter { $0.rule?.givesNull == true }.map(\.name)
            if entry.rule.rowsStay, !nulls.isEmpty {
                found.append(Emptying(table: table, columns: nulls, cause: .rules))
            }
            return found
        }
    }
}
