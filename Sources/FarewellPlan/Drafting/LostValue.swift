// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Whether rows that stay can lose the value of a link: it becomes null, or another value replaces it.
struct LostValue {
    let link: Link
    /// Whether the database computes the value.
    let isComputed: Bool
    /// Whether it can be set to null, as the check of references sees it.
    let isClearable: Bool
    /// Whether null would be possible, but for a check that refuses it in every row with a value.
    let isRefused: Bool
    /// The check that refuses null in the column of a link.
    let check: SchemaCheck?
    /// Whether one other value can replace it in every row.
    let isReplaceable: Bool
    /// Why no column of a composite link can be set to null.
    let obstacle: ClearableColumns.Obstacle?
    /// The other keys that have the column of a link: what replaces its value has to lead to a row by each of them.
    let otherKeys: [ForeignKey]

    init(_ link: Link, in table: SchemaTable) {
        self.link = link
        isComputed = link.columns.contains { table[$0]?.isGenerated == true }
        guard link.columns.count == 1, let column = link.columns.first else {
            let clearable = ClearableColumns(link, in: table)
            isRefused = ClearableColumns.areRefused(link, in: table)
            isClearable = !isComputed && clearable.obstacle == nil && !isRefused
            (check, obstacle) = (nil, clearable.obstacle)
            let replaced = Self.replaceable(link, in: table)
            isReplaceable = !isComputed && !replaced.isEmpty && replaced.allSatisfy { Self.mayRepeat($0, in: table) }
            otherKeys = table.foreignKeys.filter { key in
                !key.isSame(as: link) && replaced.contains(where: key.columns.contains)
            }
            return
        }
        let mayBeNull = !isComputed && table[column]?.isNullable == true && !table.primaryKey.contains(column)
        check = mayBeNull ? table.checkRefusingNull(in: [column]) : nil
        isRefused = check != nil
        isClearable = mayBeNull && !isRefused
        isReplaceable = !isComputed && Self.mayRepeat(column, in: table)
        obstacle = nil
        otherKeys = table.foreignKeys.filter { $0.columns.contains(column) && !$0.isSame(as: link) }
    }

    var isPossible: Bool { isClearable || isReplaceable }

    /// Whether rows may have equal values in a column.
    private static func mayRepeat(_ column: String, in table: SchemaTable) -> Bool {
        !table.holdsEachOnce(column) && table.columnsUnique(with: column) == nil
    }

    /// The columns of a composite link of which one is replaced: those that no other key has, and of these the ones
    /// with another name than their target. The plan, which says more about the target, is not known here.
    private static func replaceable(_ link: Link, in table: SchemaTable) -> [String] {
        let others = Set(table.foreignKeys.filter { !$0.isSame(as: link) }.flatMap(\.columns))
        let own = link.columns.filter { !others.contains($0) }
        let possible = own.isEmpty ? link.columns : own
        let renamed = zip(link.columns, link.targetColumns).filter { $0 != $1 && possible.contains($0) }.map(\.0)
        return renamed.isEmpty ? possible : renamed
    }

    /// The changes of the schema after which rows that stay can lose the value; without a full stop.
    var remedy: String {
        guard link.columns.count == 1, let column = link.columns.first.map({ Shown.name($0) }) else {
            let change = obstacle?.remedy ?? "Make its columns ordinary ones that may be null"
            return "\(change), and add the link with `role: reference`"
        }
        guard !isComputed else {
            return "Make \(column) an ordinary column that may be null, and add the link with `role: reference`"
        }
        return "Make \(column) nullable, and add the link with `role: reference`; or drop its unique key, and add the "
            + "link with `role: reference` and `set:`, the key of a user that represents deleted users"
    }
}
