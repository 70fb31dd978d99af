// SPDX-License-Identifier: Apache-2.0

/// How rows of a table lead to a person: columns here that name a row there.
///
/// A link is followed from the subject outwards: the rows of `messages` linked to a person's
/// `conversations` are that person's messages. It may be a foreign key of the database, or only declared
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
    /// The foreign key's action when the target is deleted; `nil` where the database knows of no key.
    public var onDelete: DeleteAction?
    /// What the plan's author says about rows that belong to somebody else as well; `nil` while unsaid.
    public var shared: Shared?

    /// A decision about rows that lead to two people, one by this link and another by a different one.
    public enum Shared: String, Sendable, Hashable, CaseIterable {
        /// The row goes with either person.
        case erase
        /// The row stays as long as another person's link holds it; only this link is set to null.
        case unlink
    }

    public init(
        columns: [String], path: [String] = [], target: TableName, targetColumns: [String],
        onDelete: DeleteAction? = nil, shared: Shared? = nil
    ) {
        self.columns = columns
        self.path = path
        self.target = target
        self.targetColumns = targetColumns
        self.onDelete = onDelete
        self.shared = shared
    }
}
