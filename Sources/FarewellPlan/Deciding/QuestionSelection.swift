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

    /// - Parameter all: The plan's questions. A name that is all of one question's columns does not also choose
    ///   another question of that table, of which it is a part: `tenant_id` beside `post_id, tenant_id`.
    package func contains(_ question: PlanQuestion, among all: [PlanQuestion]) -> Bool {
        guard tables.isEmpty || tables.contains(where: { $0.matches(question.table) }) else { return false }
        guard !columns.isEmpty, !isWhole(question) else { return true }
        let parts = columns.filter { pattern in question.columns.contains { pattern.matches($0) } }
        return parts.contains { pattern in
            !all.contains { other in
                other.table == question.table && other.columns != question.columns
                    && other.columns.allSatisfy(pattern.matches)
            }
        }
    }

    /// Whether all columns of a question are chosen, each by its name or together: `post_id, tenant_id`.
    private func isWhole(_ question: PlanQuestion) -> Bool {
        let together = [", ", ","].map { question.columns.joined(separator: $0) }
        return question.columns.allSatisfy { column in columns.contains { $0.matches(column) } }
            || columns.contains { pattern in together.contains(where: pattern.matches) }
    }
}
