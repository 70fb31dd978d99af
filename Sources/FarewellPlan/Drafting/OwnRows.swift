// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Keys by which a user's row refers to rows that are deleted with their user anyway, such as
/// `users.primary_address_id` beside `addresses.user_id`. Both rows are deleted together, so the key needs no answer
/// and no link.
///
/// While the row of another user refers to such a row, the database refuses to delete it: that erasure is parked.
struct OwnRows {
    private let map: SchemaMap
    private let users: TableName

    /// - Parameter users: The subject's table.
    init(_ map: SchemaMap, users: TableName) {
        self.map = map
        self.users = users
    }

    /// The key by which rows that a user's row refers to are deleted with their user; `nil` if the user's row can lose
    /// its value, or if the rows may be several users'.
    ///
    /// - Parameter key: A key of a table of users.
    func owner(through key: ForeignKey, of table: SchemaTable) -> ForeignKey? {
        guard mayWait(key), key.target != table.name, isNamed(key),
            !KeyOwnership.Path(key: key, isDirect: false).isClearable(in: table)
        else { return nil }
        let own = map.keys(of: key.target).map(\.key).filter { $0.target == users }
        guard own.count == 1, let owner = own.first, owner.isPaired, owner.onDelete == .cascade || mayWait(owner),
            owner.columns.allSatisfy({ map.column(key.target, $0)?.isNullable == false })
        else { return nil }
        return owner
    }

    /// Whether the database looks for the referring rows only when both rows are deleted: SQLite's `RESTRICT` does not
    /// wait for that.
    private func mayWait(_ key: ForeignKey) -> Bool {
        key.onDelete == .noAction || key.onDelete == .restrict && !map.schema.dialect.defersEveryKey
    }

    /// Whether the key's name means a row of its target, such as `primary_address_id`, and not another user by their
    /// row, such as `next_id` or `friend_id`.
    private func isNamed(_ key: ForeignKey) -> Bool {
        guard key.columns.count == 1, let noun = PersonNames.words(key.target.name).last else { return false }
        return EnglishNoun.singular(KeyName(key.columns[0]).noun) == EnglishNoun.singular(noun)
    }
}
