// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// A link leads to one row, or to rows of one subject: otherwise it finds values that several subjects share, such as
/// an empty text.
struct SharedTargetCheck {
    private let context: CheckContext

    /// A key into one partition is followed there, where its columns are unique.
    private let partitions: KeyPartitions

    init(_ context: CheckContext) {
        self.context = context
        partitions = KeyPartitions(context.map.schema)
    }

    func findings() -> [Finding] {
        context.entries.filter { $0.plan.rule.isPersonal }.flatMap { entry, table in
            entry.links.compactMap { finding($0, of: entry, table) }
        }
    }

    private func finding(_ link: Link, of entry: TablePlan, _ table: SchemaTable) -> Finding? {
        // Rows that own a parent may share it: it is deleted with the last of them.
        guard !link.isOwnedParent, let target = context.map[link.target], context.isPersonal(link.target),
            !link.targetColumns.isEmpty,
            link.targetColumns.allSatisfy({ target[$0] != nil }),
            !context.map.isUnique(link.targetColumns, in: link.target),
            !namesSubject(link), partitions.target(of: link, in: table) == nil, !isUniqueByVendor(link)
        else { return nil }
        let columns = Shown.line(link.targetColumns.joined(separator: ", "), limit: 120)
        let name = Shown.name(link.target.description)
        return Finding(
            "link.shared-target", .error, table: entry.table, column: link.columns.first,
            "This link leads to \(columns) of \(name), which is not unique there: other users' rows would be "
                + "erased as the subject's.",
            remedy: "Link by a column that is unique in \(name), or "
                + (target.canBeUnique(link.targetColumns)
                    ? "give \(columns) a unique key."
                    : "make that a reference or local table with a unique key: Citus keeps a key unique only if the "
                        + "distribution column is part of it."))
    }

    /// Whether a vendor sees to it that the value names one user, although no key of the database requires it.
    private func isUniqueByVendor(_ link: Link) -> Bool {
        context.plan.vendors.contains { coverage in
            guard let users = VendorProfile.named(coverage.vendor)?.users, users.table == link.target else {
                return false
            }
            return link.targetColumns.contains(where: users.unique.contains)
        }
    }

    /// Whether a column linked to holds the subject's own key: all rows with one value are then one subject's.
    private func namesSubject(_ link: Link) -> Bool {
        guard link.columns.count == link.targetColumns.count else { return false }
        return zip(link.columns, link.targetColumns).contains { column, target in
            context.paths.holdsSubjectKey(Link(columns: [column], target: link.target, targetColumns: [target]))
        }
    }
}
