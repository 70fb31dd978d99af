// SPDX-License-Identifier: Apache-2.0
import Farewell

/// Rows that are found only through retained rows, and are deleted at once although those are kept: the lines of a
/// retained invoice.
struct RetainedParentCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        context.entries.compactMap { entry, _ in
            let links = entry.links.filter(SubjectPaths.erases)
            guard entry.rule.erasesRows, entry.table != context.plan.subject.table, let link = links.first,
                links.allSatisfy({ context.rule($0.target)?.retention != nil && $0.target != entry.table })
            else { return nil }
            return Finding(
                "retain.parts-erased", .warning, table: entry.table, column: link.columns.first,
                "These rows are part of retained rows of \(Shown.name(link.target.description)), and the erasure "
                    + "deletes them at once.",
                remedy: "If they must be kept as long, give this table the rule retain with the same time.")
        }
    }
}
