// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Whether answers to open questions may still give rows of a table to the subject, or take them away.
struct OpenAnswers {
    private let plan: Plan
    private let map: SchemaMap
    private let entries: [TableName: TablePlan]
    private let open: [Int]

    /// - Parameters:
    ///   - plan: With its answers applied.
    ///   - reopening: The numbers of answered questions that count as open, too.
    init(_ plan: Plan, _ map: SchemaMap, reopening: Set<Int> = []) {
        self.plan = plan
        self.map = map
        entries = Dictionary(plan.tables.map { ($0.table, $0) }, uniquingKeysWith: { first, _ in first })
        open = plan.questions.indices.filter { plan.questions[$0].isOpen || reopening.contains($0) }
    }

    /// Whether the answer to another question may end what the check says against the answer to this one.
    func maySettle(_ number: Int) -> Bool {
        let question = plan.questions[number]
        let others = open.filter { $0 != number }.map { plan.questions[$0] }
        guard question.answer == .unrelated else {
            return question.links.contains { !hasRows($0.target) && mayGain($0.target, others) }
        }
        guard let link = question.link else { return false }
        // The database empties such a key of rows that are deleted, too, and the check accepts that.
        let isEmptied = link.onDelete == .setNull || link.onDelete == .setDefault
        if isEmptied, others.contains(where: { $0.table == question.table && mayGive($0) }) { return true }
        var seen: Set<TableName> = []
        return mayLose(link.target, others, &seen)
    }

    /// Whether an answer may give rows of the table to the subject: one about them, or one about rows from which keys
    /// or links lead there, through rows that are not the subject's yet.
    private func mayGain(_ table: TableName, _ others: [PlanQuestion]) -> Bool {
        let given = Set(others.filter(mayGive).map(\.table))
        guard !given.isEmpty else { return false }
        let asked = plan.questions.flatMap { question in question.links.map { (question.table, $0.target) } }
        let from = Dictionary(grouping: asked, by: \.0).mapValues { $0.map(\.1) }
        let to = Dictionary(grouping: asked, by: \.1).mapValues { $0.map(\.0) }
        var seen: Set<TableName> = [table]
        var left = [table]
        while let next = left.popLast() {
            if given.contains(next) { return true }
            let keys = map.keys(of: next).map(\.key.target) + map.keys(to: next).map(\.table)
            for other in keys + (from[next] ?? []) + (to[next] ?? [])
            where !hasRows(other) && seen.insert(other).inserted {
                left.append(other)
            }
        }
        return false
    }

    private func mayGive(_ question: PlanQuestion) -> Bool {
        question.answers.contains(.owner) && !question.links.isEmpty && !hasRows(question.table)
    }

    /// Whether answers may leave no row of the table to the subject: each of its links is open to another answer than
    /// `owner`, or leads to rows of which this is true.
    private func mayLose(_ table: TableName, _ others: [PlanQuestion], _ seen: inout Set<TableName>) -> Bool {
        guard table != plan.subject.table, let entry = entries[table] else { return false }
        guard seen.insert(table).inserted else { return true }
        let owning = entry.links.filter { !$0.isReference }
        guard !owning.isEmpty else { return false }
        for link in owning {
            let isOpen = others.contains { question in
                question.table == table && question.answers.contains { $0 != .owner }
                    && question.links.contains { Self.areSame($0, link) }
            }
            guard isOpen || mayLose(link.target, others, &seen) else { return false }
        }
        return true
    }

    private static func areSame(_ first: Link, _ second: Link) -> Bool {
        first.columns == second.columns && first.path == second.path && first.target == second.target
            && first.targetColumns == second.targetColumns && first.condition == second.condition
    }

    /// Whether rows of the table may be the subject's as the plan is.
    private func hasRows(_ table: TableName) -> Bool {
        guard let entry = entries[table] else { return false }
        return !ImpliedAnswers.isWithoutRows(entry, plan)
    }
}
