// SPDX-License-Identifier: Apache-2.0

/// A table that lists items of a system with their owners, such as the files of an object store: the subject's items
/// are read there and erased by the system.
public struct OwnedItems: Sendable, Hashable {
    /// The column with the item's name in the system.
    public var column: ColumnName
    /// The columns of the same table that name the owner by the subject's key; one of them is enough.
    public var owners: [String]
    /// Which rows are about this system.
    public var condition: LinkCondition

    public init(column: ColumnName, owners: [String], condition: LinkCondition = LinkCondition()) {
        self.column = column
        self.owners = owners
        self.condition = condition
    }
}
