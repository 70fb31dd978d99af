// SPDX-License-Identifier: Apache-2.0
public import Farewell

/// A foreign key of the table it is listed under.
public struct ForeignKey: Sendable, Hashable, Codable {
    /// The constraint's name; empty on SQLite, where keys may have none.
    public var name: String
    public var columns: [String]
    public var target: TableName
    public var targetColumns: [String]
    public var onDelete: DeleteAction
    /// Whether its check can wait until commit (`SET CONSTRAINTS ALL DEFERRED`; on SQLite always, by
    /// `PRAGMA defer_foreign_keys`).
    public var isDeferrable: Bool
    /// Whether the database vouches for existing rows (`NOT VALID` keys and unenforced SQLite keys are false).
    public var isValidated: Bool

    public init(
        name: String = "", columns: [String], target: TableName, targetColumns: [String],
        onDelete: DeleteAction = .noAction, isDeferrable: Bool = false, isValidated: Bool = true
    ) {
        self.name = name
        self.columns = columns
        self.target = target
        self.targetColumns = targetColumns
        self.onDelete = onDelete
        self.isDeferrable = isDeferrable
        self.isValidated = isValidated
    }

    /// Whether each column leads to one of the target's. Not so of SQLite's `REFERENCES t` where `t` has no primary
    /// key, or one of more columns.
    package var isPaired: Bool { !columns.isEmpty && columns.count == targetColumns.count }
}
