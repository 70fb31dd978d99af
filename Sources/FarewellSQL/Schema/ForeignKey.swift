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
    /// The database's action when the referenced key changes.
    public var onUpdate: DeleteAction
    /// The columns that `SET NULL` and `SET DEFAULT` change where the key names them (`ON DELETE SET NULL (user_id)`);
    /// empty if they change all.
    public var setColumns: [String]
    /// Whether a key with some nulls is refused (`MATCH FULL`). Elsewhere such a key leads nowhere.
    public var matchesFull: Bool
    /// Whether its check can wait until commit (`SET CONSTRAINTS ALL DEFERRED`; on SQLite always, by
    /// `PRAGMA defer_foreign_keys`).
    public var isDeferrable: Bool
    /// Whether its check is deferred to the commit by default (`INITIALLY DEFERRED`).
    public var isDeferred: Bool
    /// Whether the database vouches for existing rows (`NOT VALID` keys and unenforced SQLite keys are false).
    public var isValidated: Bool
    /// Whether the triggers that enforce the key are disabled (`ALTER TABLE … DISABLE TRIGGER ALL`); then it is not
    /// validated either. `nil` if not. Not part of the fingerprint.
    package var areTriggersDisabled: Bool?

    public init(
        name: String = "", columns: [String], target: TableName, targetColumns: [String],
        onDelete: DeleteAction = .noAction, onUpdate: DeleteAction = .noAction, setColumns: [String] = [],
        matchesFull: Bool = false, isDeferrable: Bool = false, isDeferred: Bool = false, isValidated: Bool = true
    ) {
        self.name = name
        self.columns = columns
        self.target = target
        self.targetColumns = targetColumns
        self.onDelete = onDelete
        self.onUpdate = onUpdate
        self.setColumns = setColumns
        self.matchesFull = matchesFull
        self.isDeferrable = isDeferrable
        self.isDeferred = isDeferred
        self.isValidated = isValidated
    }

    /// Whether each column leads to one of the target's. Not so of SQLite's `REFERENCES t` where `t` has no primary
    /// key, or one of more columns.
    package var isPaired: Bool { !columns.isEmpty && columns.count == targetColumns.count }

    /// The columns that the database changes when the referenced row is deleted; none for other actions.
    package var emptiedColumns: [String] {
        guard onDelete == .setNull || onDelete == .setDefault else { return [] }
        return setColumns.isEmpty ? columns : setColumns
    }
}
