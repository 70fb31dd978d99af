// SPDX-License-Identifier: Apache-2.0

/// How many rows of one table were inserted, updated and deleted.
public struct RowChanges: Sendable, Hashable, Codable {
    public var inserted: Int
    public var updated: Int
    public var deleted: Int

    public init(inserted: Int = 0, updated: Int = 0, deleted: Int = 0) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
    }

    public var isNothing: Bool { inserted == 0 && updated == 0 && deleted == 0 }

    /// Both together.
    public static func + (one: RowChanges, other: RowChanges) -> RowChanges {
        RowChanges(
            inserted: one.inserted + other.inserted, updated: one.updated + other.updated,
            deleted: one.deleted + other.deleted)
    }

    /// What one has more than the other; less than nothing where it has fewer.
    public static func - (one: RowChanges, other: RowChanges) -> RowChanges {
        RowChanges(
            inserted: one.inserted - other.inserted, updated: one.updated - other.updated,
            deleted: one.deleted - other.deleted)
    }
}
