// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The meaning of a foreign key for its rows: the subject owns them, or is only mentioned in them.
enum KeyOwnership {
    /// The rows are the subject's.
    case owner
    /// The rows stay and lose the value.
    case reference
    /// The schema does not say; the text is the reason for the question.
    case unclear(String)

    /// A key of a table that leads to a subject in the end.
    struct Road {
        let key: ForeignKey
        /// Whether it names the subject, not merely something that belongs to the subject.
        let isDirect: Bool

        /// Whether the value can be set to null.
        func isClearable(in table: SchemaTable) -> Bool {
            key.columns.contains { table[$0]?.isNullable == true && !table.primaryKey.contains($0) }
        }

        /// The column by whose name the key is judged: of `(tenant_id, user_id)`, the one that only this key has.
        func name(in table: SchemaTable) -> KeyName {
            let shared = Set(table.foreignKeys.filter { $0.columns != key.columns }.flatMap(\.columns))
            let own = key.columns.last { !shared.contains($0) } ?? key.columns.last ?? ""
            return KeyName(own)
        }

        /// Whether the database itself says that a row cannot outlive the row that it names.
        func isEvident(in table: SchemaTable) -> Bool {
            if key.columns.contains(where: table.primaryKey.contains), !key.columns.isEmpty { return true }
            return key.onDelete == .cascade && !isClearable(in: table)
        }
    }

    /// - Parameters:
    ///   - roads: All keys of the table that lead to a person and delete or block when what they name is deleted.
    static func of(_ road: Road, in table: SchemaTable, roads: [Road], isSubject: Bool) -> KeyOwnership {
        let isSelf = road.key.target == table.name
        let isClearable = road.isClearable(in: table)
        let cascades = road.key.onDelete == .cascade
        if isSubject {
            return isSelf && isClearable
                ? .reference
                : .unclear("a row of a user refers to \(isSelf ? "another user" : "rows that may be another user's")")
        }
        if isSelf {
            return isClearable && !cascades
                ? .reference : .unclear("a row refers to another row of the same table, which may be another user's")
        }
        let others = roads.filter { $0.key != road.key && $0.key.target != table.name }
        return road.isDirect
            ? direct(road, in: table, others: others) : indirect(road, in: table, others: others)
    }

    private static func direct(_ road: Road, in table: SchemaTable, others: [Road]) -> KeyOwnership {
        let role = PersonNames.role(road.name(in: table))
        let isClearable = road.isClearable(in: table)
        let cascades = road.key.onDelete == .cascade
        let direct = others.filter(\.isDirect)
        guard !direct.isEmpty else {
            if road.isEvident(in: table) { return .owner }
            // `created_by` in a row that cannot outlive the row of another table: it belongs there.
            if isNamedOnly(road, in: table), others.contains(where: { $0.isEvident(in: table) }) { return .reference }
            switch role {
            case .handler: return .unclear("by its name, it refers to a person that only handled the row")
            case .maker where !cascades: return .unclear("a user created the row, which may also serve other users")
            case .owner: return .owner
            default:
                return !isClearable || cascades
                    ? .owner : .unclear("the key is nullable, so the row may not be the user's")
            }
        }
        let hasOwner = direct.contains { owns($0, in: table) }
        if role == .handler {
            return isClearable && hasOwner
                ? .reference : .unclear("by its name, it refers to a person that only handled the row")
        }
        if road.isEvident(in: table) { return .owner }
        if isSymmetric(road, direct, in: table) { return .owner }
        // `user_id` and `uploader_id`: the row may be either user's. `user1_id` and `user2_id` are no such pair.
        let name = road.name(in: table)
        if role == .owner,
            direct.contains(where: { other in
                let rival = other.name(in: table)
                return PersonNames.role(rival) == .owner && rival.words != name.words
            })
        {
            return .unclear("several keys of the row name a user whose row it may be")
        }
        if role == .owner, !isClearable || cascades && !hasOwner { return .owner }
        if isClearable, hasOwner, !cascades, role != .otherSide, role != .owner { return .reference }
        if role == .owner, !hasOwner { return .owner }
        return .unclear("several keys of the row lead to users")
    }

    /// Whether a nullable key only names who made or handled the row.
    private static func isNamedOnly(_ road: Road, in table: SchemaTable) -> Bool {
        let role = PersonNames.role(road.name(in: table))
        return (role == .maker || role == .handler) && road.isClearable(in: table) && road.key.onDelete != .cascade
    }

    /// Whether another key owns the row without doubt.
    private static func owns(_ road: Road, in table: SchemaTable) -> Bool {
        let role = PersonNames.role(road.name(in: table))
        return role != .handler && (road.isEvident(in: table) || role == .owner && !road.isClearable(in: table))
    }

    /// `user1_id` and `user2_id`: neither can own the row without the other.
    private static func isSymmetric(_ road: Road, _ others: [Road], in table: SchemaTable) -> Bool {
        let name = road.name(in: table)
        return !road.isClearable(in: table)
            && others.contains { !$0.isClearable(in: table) && $0.name(in: table).words == name.words }
    }

    private static func indirect(_ road: Road, in table: SchemaTable, others: [Road]) -> KeyOwnership {
        let isClearable = road.isClearable(in: table)
        let cascades = road.key.onDelete == .cascade
        if others.contains(where: { $0.isDirect && !(road.isEvident(in: table) && isNamedOnly($0, in: table)) }) {
            return isClearable && !cascades
                ? .reference
                : .unclear("the row also has its own user, who may differ from the user of this key")
        }
        guard others.allSatisfy(\.isDirect) else {
            return .unclear("several keys of the row lead to users, each through another table")
        }
        return !isClearable || cascades || road.isEvident(in: table)
            ? .owner : .unclear("the key is nullable, so the row may not be the user's")
    }
}
