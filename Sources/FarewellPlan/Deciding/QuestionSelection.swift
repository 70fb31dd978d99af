// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The questions of a plan that one decision is about.
package struct QuestionSelection: Sendable {
    /// Empty: every table.
    private let tables: [NamePattern]
    /// Empty: every column.
    private let columns: [NamePattern]

    package init(tables: [String] = [], columns: [String] = []) {
        self.tables = tables.map { NamePattern($0) }
        self.columns = columns.map { NamePattern($0) }
    }

    package func contains(_ question: PlanQuestion) -> Bool {
        (tables.isEmpty || tables.contains { $0.matches(question.table) })
            && (columns.isEmpty || columns.contains { pattern in question.columns.contains { pattern.matches($0) } })
    }
}
