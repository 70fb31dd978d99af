// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Third-party systems have distinct names and existing columns.
struct SystemCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        var seen: Set<String> = []
        return context.plan.systems.compactMap { system in
            let name = Shown.name(system.name)
            if !seen.insert(system.name).inserted || system.name.isEmpty {
                return Finding(
                    "system.twice", .error, "The system \(name) is in the plan twice or has no name.",
                    remedy: "Give each system its own name.")
            }
            guard case .column(let column) = system.person else { return nil }
            let isPlanned = context.plan[column.table].map { $0.rule.isPersonal } ?? false
            guard context.map.column(column.table, column.column) == nil || !isPlanned else { return nil }
            return Finding(
                "system.unknown", .error, table: column.table, column: column.column,
                "The system \(name) uses a column of a table without rows of the subject.",
                remedy: "Name a column of a table that leads to the person.")
        }
    }
}
