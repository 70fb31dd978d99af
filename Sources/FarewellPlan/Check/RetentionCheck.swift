// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The consistency of each table's rule: retained data has a reason and an end; an anonymising rule changes something.
struct RetentionCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        context.entries.flatMap { $0.plan.rule.kind.findings($0.plan, $0.table, context) }
    }
}
