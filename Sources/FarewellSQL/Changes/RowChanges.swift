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

    /// The difference of the counts; negative if the first has fewer.
    public static func - (one: RowChanges, other: RowChanges) -> RowChanges {
        RowChanges(
            inserted: one.inserted - other.inserted, updated: one.updated - other.updated,
            deleted: one.deleted - other.deleted)
    }
}
