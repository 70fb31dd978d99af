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
    /// Whether one other value can replace it in every row.
    let isReplaceable: Bool

    init(_ link: Link, in table: SchemaTable) {
        self.link = link
        isComputed = link.columns.contains { table[$0]?.isGenerated == true }
        isClearable = !isComputed && Self.isClearable(link, in: table)
        isReplaceable =
            !isComputed && link.columns.count == 1 && !table.holdsEachOnce(link.columns[0])
            && table.columnsUnique(with: link.columns[0]) == nil
    }

    var isPossible: Bool { isClearable || isReplaceable }

    private static func isClearable(_ link: Link, in table: SchemaTable) -> Bool {
        let open = link.columns.filter { table[$0]?.isNullable == true && !table.primaryKey.contains($0) }
        guard link.columns.count > 1 else { return !open.isEmpty }
        let own = table.foreignKeys.filter { Set($0.columns) == Set(link.columns) }
        if own.contains(where: { !$0.setColumns.isEmpty }) { return !open.isEmpty }
        let others = table.foreignKeys.filter { Set($0.columns) != Set(link.columns) }.flatMap(\.columns)
        let possible = open.filter { !others.contains($0) }
        return own.contains(where: \.matchesFull) ? possible.count == link.columns.count : !possible.isEmpty
    }

    /// The changes of the schema after which rows that stay can lose the value; without a full stop.
    var remedy: String {
        guard link.columns.count == 1, let column = link.columns.first.map({ Shown.name($0) }) else {
            return "Make one of the columns nullable that no other key needs, and add the link with `role: reference`"
        }
        guard !isComputed else {
            return "Make \(column) an ordinary column that may be null, and add the link with `role: reference`"
        }
        return "Make \(column) nullable, and add the link with `role: reference`; or drop its unique key, and add the "
            + "link with `role: reference` and `set:`, the key of a user that represents deleted users"
    }
}
