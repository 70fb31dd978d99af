// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// A key that an answer settled, although the plan later gave the rows that it refers to a rule.
enum SettledKey {
    /// Whether the author answered `not personal` about a key to rows that stay. No erasure deletes those rows, so
    /// nothing about the rows here depends on them. Rows that are only retained are deleted later.
    static func isAnswered(_ key: ForeignKey, of entry: TablePlan, _ context: CheckContext) -> Bool {
        guard let rule = context.rule(key.target), rule.rowsStay, rule.retention == nil else { return false }
        return context.questions(of: entry.table).contains { question in
            question.answer == .unrelated && question.links.contains { key.isSame(as: $0) }
        }
    }
}
