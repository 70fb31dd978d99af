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
    struct Path {
        let key: ForeignKey
        /// Whether it names the subject, not merely something that belongs to the subject.
        let isDirect: Bool

        /// Whether the value can be set to null. A check may demand that a row has one of two parents.
        func isClearable(in table: SchemaTable) -> Bool {
            mayBeNull(in: table) && !ClearableColumns.areRefused(key.link, in: table)
        }

        /// Whether rows may have no value here.
        func mayBeNull(in table: SchemaTable) -> Bool {
            guard key.columns.count > 1 else {
                return key.columns.contains { table[$0]?.isNullable == true && !table.primaryKey.contains($0) }
            }
            return ClearableColumns(key.link, in: table).obstacle == nil
        }

        /// The column by whose name the key is judged: of `(tenant_id, user_id)`, the one that only this key has.
        func name(in table: SchemaTable) -> KeyName { KeyName(own(in: table).last ?? key.columns.last ?? "") }

        /// The columns that no other key has: of `(tenant_id, user_id)`, not the tenant's.
        private func own(in table: SchemaTable) -> [String] {
            let shared = Set(table.foreignKeys.filter { $0.columns != key.columns }.flatMap(\.columns))
            return key.columns.filter { !shared.contains($0) }
        }

        /// Whether the row only continues the row that it names, as the table of a subclass does: the key is all of its
        /// primary key.
        func isContinuation(in table: SchemaTable) -> Bool {
            !table.primaryKey.isEmpty && key.target != table.name && Set(key.columns) == Set(table.primaryKey)
        }

        /// Whether the database itself says that a row cannot outlive the row that it names.
        func isEvident(in table: SchemaTable) -> Bool {
            let own = own(in: table)
            let part = own.isEmpty ? key.columns : own
            if !part.isEmpty, part.allSatisfy(table.primaryKey.contains) { return true }
            return key.onDelete == .cascade && !isClearable(in: table)
        }
    }

    /// - Parameters:
    ///   - paths: All keys of the table that lead to a person and delete or block when what they name is deleted.
    static func of(_ path: Path, in table: SchemaTable, paths: [Path], isSubject: Bool) -> KeyOwnership {
        let isSelf = path.key.target == table.name
        let isClearable = path.isClearable(in: table)
        let cascades = path.key.onDelete == .cascade
        if isSubject {
            return isSelf && isClearable
                ? .reference
                : .unclear("a row of a user refers to \(isSelf ? "another user" : "rows that may be another user's")")
        }
        if isSelf {
            return isClearable && !cascades
                ? .reference : .unclear("a row refers to another row of the same table, which may be another user's")
        }
        let others = paths.filter { $0.key != path.key && $0.key.target != table.name }
        return path.isDirect
            ? direct(path, in: table, others: others) : indirect(path, in: table, others: others)
    }

    private static func direct(_ path: Path, in table: SchemaTable, others: [Path]) -> KeyOwnership {
        let role = PersonNames.role(path.name(in: table))
        let isClearable = path.isClearable(in: table)
        let cascades = path.key.onDelete == .cascade
        let direct = others.filter(\.isDirect)
        if let reason = useByApp(path, in: table) { return .unclear(reason) }
        // The rest of the row may be another user's.
        if !path.isEvident(in: table), others.contains(where: { !$0.isDirect && $0.isContinuation(in: table) }) {
            return isNamedOnly(path, in: table)
                ? .reference : .unclear("the row only continues another row, which may be another user's")
        }
        guard !direct.isEmpty else {
            if path.isEvident(in: table) { return .owner }
            // `created_by` in a row that cannot outlive the row of another table: it belongs there.
            if isNamedOnly(path, in: table), others.contains(where: { $0.isEvident(in: table) }) { return .reference }
            switch role {
            case .handler where !isClearable && LinkTable.isBare(table): return .owner
            case .handler: return .unclear(handled(path, in: table))
            case .maker where !cascades: return .unclear("a user created the row, which may also serve other users")
            case .owner where others.isEmpty && AppSettings.mayBe(table, namingUsersBy: path.key.columns):
                return .unclear("the rows may be settings of the app, which a user only changed last")
            case .owner: return doubt(path, in: table).map { KeyOwnership.unclear($0) } ?? .owner
            case .otherSide where !cascades && OwnerName.namesAnother(table),
                .doer where !cascades && OwnerName.namesAnother(table):
                return .unclear("the row names another person as well")
            case _ where isAboutAnother(path, in: table):
                return .unclear("the row is about a person of another table, for whom this user did something")
            default:
                return !isClearable || cascades
                    ? .owner : .unclear("the key is nullable, so the row may not be the user's")
            }
        }
        let hasOwner = direct.contains { owns($0, in: table) }
        if role == .handler {
            return isClearable && hasOwner
                ? .reference : .unclear(handled(path, in: table))
        }
        if path.isEvident(in: table) { return .owner }
        if isSymmetric(path, direct, in: table) { return .owner }
        // `user_id` and `uploader_id`: the row may be either user's. `user1_id` and `user2_id` are no such pair.
        let name = path.name(in: table)
        if role == .owner,
            direct.contains(where: { other in
                let rival = other.name(in: table)
                return PersonNames.role(rival) == .owner && rival.words != name.words
                    && (isClearable || !other.isClearable(in: table)
                        || OwnerName.tellsDeed(name) && !OwnerName.tellsDeed(rival))
            })
        {
            return .unclear("several keys of the row name a user whose row it may be")
        }
        if role == .owner, let reason = doubt(path, in: table) { return .unclear(reason) }
        if isClearable, direct.contains(where: { isCertain($0, in: table) }) {
            let isOwners = hasOwner && !cascades && role != .otherSide && role != .owner
            return isOwners ? .reference : .unclear("another key of the row, which is never null, leads to a user too")
        }
        if role == .maker, hasOwner { return .unclear("another key of the row names its user") }
        if role == .owner, !isClearable || cascades && !hasOwner { return .owner }
        if isClearable, hasOwner, !cascades, role != .otherSide, role != .owner { return .reference }
        if role == .owner, !hasOwner { return .owner }
        return .unclear("several keys of the row lead to users")
    }

    /// The reason why a row may be the app's own, although it cannot be without the row that a key names; `nil` for
    /// none.
    private static func useByApp(_ path: Path, in table: SchemaTable) -> String? {
        if AppSettings.isOne(table), !table.isUnique(path.key.columns) {
            return "the table has one row for all users"
        }
        return AppSettings.usesAccount(path.key.columns, in: table)
            ? "by its name, it refers to an account that the app itself uses" : nil
    }

    /// Words about a key that names a person under a noun for one that handles rows, which may be that of all users.
    private static func handled(_ path: Path, in table: SchemaTable) -> String {
        let isOfAll = path.name(in: table).words == [PersonNames.noun(of: path.key.target)]
        return isOfAll
            ? "by its name, it refers to any user, also to one that only handled the row"
            : "by its name, it refers to a person that only handled the row"
    }

    /// The reason why a row may be another user's although a key is named like one for the owner; `nil` for none.
    private static func doubt(_ path: Path, in table: SchemaTable) -> String? {
        guard path.key.onDelete != .cascade else { return nil }
        if isOnlyDeed(path, in: table) { return "by its name, it tells only what a user did with the row" }
        if isForATime(path, in: table) {
            return "the key is nullable, and by its name the user has the row only for a time"
        }
        if path.isClearable(in: table), RowVersions.areIn(table, besides: path.key.columns) {
            return "the rows are versions of rows that may be another user's"
        }
        if isOfNamedGroup(path, in: table) {
            return "the key is nullable, and several users may have such a row together"
        }
        return isOfGroup(path, in: table)
            ? "the key is nullable, and the row belongs to what several users may have together" : nil
    }

    /// Whether the name of an owner only tells a deed: `requested_by`. A row between two others belongs to both.
    private static func isOnlyDeed(_ path: Path, in table: SchemaTable) -> Bool {
        OwnerName.isOpen(path.name(in: table), in: table)
            && (path.isClearable(in: table) || !LinkTable.isBare(table))
    }

    /// Whether a nullable key names a user who has the row only for a time, such as the occupant of a bed.
    static func isForATime(_ path: Path, in table: SchemaTable) -> Bool {
        path.isClearable(in: table) && PersonNoun.hasForATime(path.name(in: table).noun, table.name)
    }

    /// Whether a nullable key names a user of a row that several users have by its table's name, such as the principal
    /// of a school. The users' own noun says that the row is the user's: `projects.user_id`.
    static func isOfNamedGroup(_ path: Path, in table: SchemaTable) -> Bool {
        let noun = path.name(in: table).noun
        return path.isClearable(in: table) && GroupTables.isGroup(table.name)
            && noun != "user" && noun != PersonNames.noun(of: path.key.target)
    }

    /// Whether a nullable key names a user of a row that cannot be without a row that several users have together: the
    /// task of a project. The user's texts there, the user's photo and a row for each member are the user's.
    static func isOfGroup(_ path: Path, in table: SchemaTable) -> Bool {
        let isDeed = OwnerName.tellsDeed(path.name(in: table))
        guard path.isClearable(in: table), PersonNoun.role(PersonNames.noun(of: table.name)) == nil,
            isDeed || !PersonNoun.isWriting(table.name) && !OwnedParents.isThing(table)
        else { return false }
        return table.foreignKeys.contains { key in
            key.target != path.key.target && key.target != table.name && GroupTables.isGroup(key.target)
                && key.columns.allSatisfy { table[$0]?.isNullable == false }
                && Set(key.columns).isDisjoint(with: path.key.columns)
                && !LinkTable.connectsMembers(table.name, with: key.target, users: path.key.target)
        }
    }

    /// Whether a column that no key binds, and that may be empty, may name another user whose row it is.
    ///
    /// - Parameter guesses: Such columns, as keys.
    static func isOpen(_ path: Path, in table: SchemaTable, beside guesses: [Path]) -> Bool {
        guard !path.isEvident(in: table) else { return false }
        guard path.isDirect else { return !guesses.isEmpty }
        let name = path.name(in: table)
        return guesses.contains { guess in
            let rival = guess.name(in: table)
            return rival.words != name.words
                && (path.isClearable(in: table) || OwnerName.tellsDeed(name) && !OwnerName.tellsDeed(rival))
        }
    }

    /// Whether a row cannot be without a person of another table: the visit of a patient to a doctor. The user's own
    /// word is none for an owner.
    static func isAboutAnother(_ path: Path, in table: SchemaTable) -> Bool {
        PersonNames.role(path.name(in: table), in: table.name) != .owner
            && table.foreignKeys.contains { key in
                key.target != path.key.target && key.target != table.name
                    && key.columns.allSatisfy { table[$0]?.isNullable == false }
                    && PersonNoun.tables.contains(PersonNames.noun(of: key.target))
            }
    }

    /// Whether a nullable key only names who made or handled the row.
    private static func isNamedOnly(_ path: Path, in table: SchemaTable) -> Bool {
        let role = PersonNames.role(path.name(in: table))
        return (role == .maker || role == .handler) && path.isClearable(in: table) && path.key.onDelete != .cascade
    }

    /// Whether another key owns the row without doubt.
    private static func owns(_ path: Path, in table: SchemaTable) -> Bool {
        let role = PersonNames.role(path.name(in: table))
        return role != .handler && (path.isEvident(in: table) || role == .owner && !path.isClearable(in: table))
    }

    /// Whether the row cannot be without the user whom a key names, and this user did more than handle it.
    static func isCertain(_ path: Path, in table: SchemaTable) -> Bool {
        !path.mayBeNull(in: table) && PersonNames.role(path.name(in: table), in: table.name) != .handler
    }

    /// `user1_id` and `user2_id`: neither can own the row without the other.
    private static func isSymmetric(_ path: Path, _ others: [Path], in table: SchemaTable) -> Bool {
        let name = path.name(in: table)
        return !path.isClearable(in: table)
            && others.contains { !$0.isClearable(in: table) && $0.name(in: table).words == name.words }
    }

    /// Whether a row only uses one of a user's choices, such as a type: a further key, which is never null, says where
    /// the row belongs.
    static func usesChoice(_ path: Path, in table: SchemaTable) -> Bool {
        guard LinkTable.isList(PersonNames.noun(of: path.key.target)) else { return false }
        return table.foreignKeys.contains { key in
            key.target != path.key.target && key.target != table.name
                && key.columns.allSatisfy { table[$0]?.isNullable == false }
        }
    }

    private static func indirect(_ path: Path, in table: SchemaTable, others: [Path]) -> KeyOwnership {
        let isClearable = path.isClearable(in: table)
        let cascades = path.key.onDelete == .cascade
        if others.contains(where: { $0.isDirect && !(path.isEvident(in: table) && isNamedOnly($0, in: table)) }) {
            return isClearable && !cascades
                ? .reference
                : .unclear(
                    "the row also has its own user, who may differ from the user of this key, and owner deletes the "
                        + "row with either")
        }
        guard others.allSatisfy(\.isDirect) else {
            return .unclear("several keys of the row lead to users, each through another table")
        }
        if let reason = useByApp(path, in: table) { return .unclear(reason) }
        if usesChoice(path, in: table) {
            return .unclear("the row belongs to a row of another table, and only uses one of a user's choices")
        }
        return !isClearable || cascades || path.isEvident(in: table)
            ? .owner : .unclear("the key is nullable, so the row may not be the user's")
    }
}
