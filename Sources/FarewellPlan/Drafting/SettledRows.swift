// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Questions that the draft would have asked, had a key said what an answer says: that rows of a table are deleted with
/// the subject. Rows of other tables that lead there, such as those of a polymorphic pair, are then asked about.
struct SettledRows {
    private let plan: Plan
    private let map: SchemaMap
    private let entries: [TableName: TablePlan]
    private let asked: [TableName: [PlanQuestion]]

    /// - Parameters:
    ///   - plan: With its answers applied.
    ///   - others: Questions that the answers lead to as well.
    init(_ plan: Plan, _ map: SchemaMap, beside others: [PlanQuestion]) {
        self.plan = plan
        self.map = map
        entries = Dictionary(plan.tables.map { ($0.table, $0) }, uniquingKeysWith: { first, _ in first })
        asked = Dictionary(grouping: plan.questions + others, by: \.table)
    }

    /// The questions that the plan does not hold, in the order of tables.
    func questions() -> [PlanQuestion] {
        let (given, parents) = answered()
        guard !given.isEmpty || !parents.isEmpty else { return [] }
        var before = PlanReach(root: plan.subject, map: map)
        before.follow()
        var after = PlanReach(root: plan.subject, map: map, given: given)
        after.follow()
        let fresh = map.listed.map(\.name).filter { table in
            guard !before.erased.contains(table), isErased(table) else { return false }
            return after.erased.contains(table) || parents.contains(table)
        }
        let (first, second) = (DraftedQuestions(reach: before, map: map), DraftedQuestions(reach: after, map: map))
        return map.listed.filter { entries[$0.name] != nil }.flatMap { table -> [PlanQuestion] in
            let pairs = second.pairs(table) { columns in fresh.filter { isDue(columns, in: table.name, to: $0) } }
            let drafted = Set(first.questions(table).map(Place.init))
            let parents = after.parents[table.name] ?? []
            // What leads to rows that other answers keep is not asked.
            let others = second.questions(table).filter { question in
                !drafted.contains(Place(question)) && !parents.contains(question) && isPlain(question)
                    && question.links.allSatisfy { $0.target == plan.subject.table || isErased($0.target) }
                    && !isKnown(question)
            }
            return others + pairs
        }
    }

    /// The links by which answers gave rows to the subject, and the tables of which they gave owned parents.
    private func answered() -> (links: [TableName: [Link]], parents: Set<TableName>) {
        var links: [TableName: [Link]] = [:]
        var parents: Set<TableName> = []
        for question in plan.questions where question.answer == .owner && isErased(question.table) {
            for link in question.links {
                if link.isOwnedParent {
                    parents.insert(question.table)
                } else {
                    links[question.table, default: []].append(link)
                }
            }
        }
        return (links, parents)
    }

    private func isErased(_ table: TableName) -> Bool {
        table != plan.subject.table && entries[table]?.rule.erasesRows == true
    }

    /// Whether a question is about a link by itself, not about one of a pair of columns.
    private func isPlain(_ question: PlanQuestion) -> Bool { question.links.allSatisfy(\.condition.isEmpty) }

    private func isKnown(_ question: PlanQuestion) -> Bool {
        let isAsked = (asked[question.table] ?? []).contains {
            $0.columns == question.columns && ($0.link != nil || question.link == nil)
        }
        let isLinked = entries[question.table]?.links.contains { $0.columns == question.columns } ?? false
        return isAsked || isLinked || isStated(question.columns, of: question.table)
    }

    /// Whether nothing says yet what the rows of a pair are that lead to a table.
    private func isDue(_ columns: [String], in table: TableName, to target: TableName) -> Bool {
        let questions = (asked[table] ?? []).filter { $0.columns == columns }
        // Where rows were read, the tables that they name have been asked about.
        guard !questions.contains(where: { PairQuestion.isSampled($0) || $0.links.contains { $0.target == target } })
        else { return false }
        let isLinked = entries[table]?.links.contains { link in
            link.target == target && link.columns.contains(where: columns.contains)
        }
        return isLinked != true && !isStated(columns, of: table)
    }

    /// Whether the author has written that these columns lead to no person, and not as the answer of a question.
    private func isStated(_ columns: [String], of table: TableName) -> Bool {
        guard let entry = entries[table], !(asked[table] ?? []).contains(where: { $0.columns == columns }) else {
            return false
        }
        let settled = Set(entry.columns.filter { $0.rule?.isNotPersonal == true }.map(\.name))
        return !settled.isDisjoint(with: columns)
    }

    private struct Place: Hashable {
        let columns: [String]
        let target: TableName?

        init(_ question: PlanQuestion) {
            columns = question.columns
            target = question.link?.target
        }
    }
}
