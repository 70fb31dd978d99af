// SPDX-License-Identifier: Apache-2.0
package import Farewell
package import FarewellSQL

extension ForeignKey {
    /// The link of a plan that follows the key.
    var link: Link { Link(columns: columns, target: target, targetColumns: targetColumns, onDelete: onDelete) }

    /// Whether a link has the same table and the same pairs of columns, in whatever order.
    package func isSame(as link: Link) -> Bool {
        guard target == link.target, columns.count == link.columns.count, link.path.isEmpty,
            targetColumns.count == link.targetColumns.count
        else { return false }
        if columns == link.columns { return targetColumns == link.targetColumns }
        let pairs = zip(columns, targetColumns).map { [$0, $1] }
        return Set(pairs) == Set(zip(link.columns, link.targetColumns).map { [$0, $1] })
    }
}
