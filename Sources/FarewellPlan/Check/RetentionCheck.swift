// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// What each table's rule says about itself: what is retained says why and until when; what is anonymised changes
/// something.
struct RetentionCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        context.entries.flatMap { $0.plan.rule.kind.findings($0.plan, $0.table, context) }
    }
}
