// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Questions about rows to which rows of the subject refer, if only answers show that they may be owned parents: an
/// answer gave the referring rows to the subject, or removed the other table's own link to a user.
struct SettledParents {
    private let plan: Plan
    private let map: SchemaMap
    private let entries: [TableName: TablePlan]
    private let asked: [TableName: [PlanQuestion]]
    private let stated: StatedColumns
    private let feed: TableName?

    /// - Parameters:
    ///   - plan: With its answers applied.
    ///   - others: Questions that the answers lead to as well.
    init(_ plan: Plan, _ map: SchemaMap, beside others: [PlanQuestion]) {
        self.plan = plan
        self.map = map
        entries = Dictionary(plan.tables.map { ($0.table, $0) }, uniquingKeysWith: { first, _ in first })
        asked = Dictionary(grouping: plan.questions + others, by: \.table)
        stated = StatedColumns(entries, asked: asked)
        feed = RevocationFeedPlan(map)?.name
    }

    /// The questions that the plan does not hold, by the table that refers.
    func questions() -> [PlanQuestion] {
        let owned = OwnedParents(map: map, root: plan.subject, isPossible: mayBeOfSubject, isErased: isErased)
        var found: [PlanQuestion] = []
        for holder in map.listed where isErased(holder.name) {
            for key in map.keys(of: holder.name).map(\.key) where isDue(key, of: holder.name) {
                guard let question = owned.question(key, of: holder) else { continue }
                // Rows that several users may share are asked about once, whatever refers to them.
                let same = found.filter { $0.table == question.table }
                guard !same.contains(where: { $0.link == nil || $0.link == question.link }),
                    owned.adding(question, to: asked[question.table] ?? []).contains(question)
                else { continue }
                found = owned.adding(question, to: found)
            }
        }
        return found
    }

    private func isErased(_ table: TableName) -> Bool { entries[table]?.rule.erasesRows == true }

    /// Whether a link owns rows of the table, or an open question offers that. Rows that are only referred to may still
    /// be those of a user's row.
    private func mayBeOfSubject(_ table: TableName) -> Bool {
        entries[table]?.links.contains { !$0.isReference } == true || isErased(table)
            || asked[table]?.contains { $0.isOpen && $0.link != nil && $0.answers.contains(.owner) } == true
    }

    /// Whether nothing has been said yet about the rows to which a key leads, and an answer is the reason.
    private func isDue(_ key: ForeignKey, of holder: TableName) -> Bool {
        guard key.isPaired, key.target != holder, key.target != feed, entries[key.target] != nil,
            !mayBeOfSubject(key.target), isGiven(holder) || isTaken(key.target), let target = map[key.target],
            plan.vendor(of: target, map.schema.role) == nil
        else { return false }
        let isAsked = (asked[key.target] ?? []).contains { question in
            guard question.columns == key.targetColumns else { return false }
            guard let link = question.link else { return true }
            return link.isOwnedParent && link.target == holder && link.targetColumns == key.columns
        }
        return !isAsked && !stated.contains(key.targetColumns, of: key.target)
            && !stated.contains(key.columns, of: holder)
    }

    /// Whether an answer made rows of the table the subject's.
    private func isGiven(_ table: TableName) -> Bool {
        (asked[table] ?? []).contains { $0.link != nil && $0.answer == .owner }
    }

    /// Whether an answer says that the table has no way of its own to the subject, by which its rows would be owned.
    private func isTaken(_ table: TableName) -> Bool {
        (asked[table] ?? []).contains { question in
            question.link.map { !$0.isOwnedParent } ?? false && !question.isOpen && question.answer != .owner
        }
    }
}
