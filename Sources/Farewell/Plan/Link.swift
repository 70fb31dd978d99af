// SPDX-License-Identifier: Apache-2.0

/// How rows of a table lead to the subject: columns here that name a row there.
///
/// A link is followed from the subject outwards: the rows of `messages` linked to the subject's
/// `conversations` are the subject's messages. It may be a foreign key of the database, or only declared
/// (`events.user_ref`, a text key, a value inside JSON).
public struct Link: Sendable, Hashable {
    /// The linking columns, in the order of `targetColumns`; one, unless the key is composite.
    public var columns: [String]
    /// For a link inside a JSON column: the member names leading to the value, e.g. `["user", "id"]`.
    public var path: [String]
    /// The table linked to.
    public var target: TableName
    /// The columns linked to, as many as `columns`.
    public var targetColumns: [String]
    /// The foreign key's action when the target is deleted; `nil` if the database has no key.
    public var onDelete: DeleteAction?
    /// The treatment of rows that belong to another subject as well; `nil` while the plan does not say.
    public var shared: Shared?
    /// Whether the link owns its rows or only names the subject in them; `nil` while the plan does not say, which
    /// counts as owning.
    public var role: Role?
    /// The rows that the link is about; empty: all.
    public var condition: LinkCondition
    /// How the column lists several values; `nil` if it holds one.
    public var list: ListForm?
    /// For a reference whose column may not be null: the text that replaces its value, such as the key of a user that
    /// stands for deleted users. The database casts it to the column's type.
    public var replacement: String?
    /// Whether the rows here are parents that the linked rows own: `avatars`, by `users.avatar_id`. They are deleted
    /// with the rows that name them, unless a row that stays names them too.
    public var isOwnedParent: Bool
    /// Whether texts are compared without regard to letter case, as e-mail addresses are. A row with a value in another
    /// case is found only if no other row there has the value in any case.
    public var ignoresCase: Bool

    /// A decision about rows that lead to two subjects, one by this link and another by a different one.
    public enum Shared: String, Sendable, Hashable, CaseIterable {
        /// The row is deleted with either subject.
        case erase
        /// The row stays as long as another subject's link holds it; only this link is set to null.
        case unlink
    }

    /// The role of a link for the rows that it finds.
    public enum Role: String, Sendable, Hashable, CaseIterable {
        /// The rows are the subject's: the table's rule applies to them.
        case owner
        /// The rows belong to others and name the subject (as approver, granter, editor): they stay, and lose nothing
        /// but this value.
        case reference
    }

    /// How one column holds several values.
    public enum ListForm: String, Sendable, Hashable, CaseIterable {
        /// An array of the database (PostgreSQL).
        case array
        /// An array in JSON; with a path, the array is at its end.
        case json
        /// Text, separated by commas.
        case comma
        /// Every UUID anywhere in text, bytes or JSON (PostgreSQL): unstructured data that a service stored.
        case uuids
    }

    public init(
        columns: [String], path: [String] = [], target: TableName, targetColumns: [String],
        onDelete: DeleteAction? = nil, shared: Shared? = nil, role: Role? = nil,
        condition: LinkCondition = LinkCondition(), list: ListForm? = nil, replacement: String? = nil,
        isOwnedParent: Bool = false, ignoresCase: Bool = false
    ) {
        self.columns = columns
        self.path = path
        self.target = target
        self.targetColumns = targetColumns
        self.onDelete = onDelete
        self.shared = shared
        self.role = role
        self.condition = condition
        self.list = list
        self.replacement = replacement
        self.isOwnedParent = isOwnedParent
        self.ignoresCase = ignoresCase
    }

    /// Whether no row is ever deleted through this link: a reference, or a list that does not own its rows.
    public var isReference: Bool { role == .reference || list != nil && role != .owner }
}
