// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Questions about personal columns of rows that stay because of answers: only an answer of `reference` shows that the
/// rows stay, so the draft could not ask.
struct SettledColumns {
    private let plan: Plan
    private let map: SchemaMap
    private let staying: StayingColumns

    /// - Parameter plan: With its answers applied.
    init(_ plan: Plan, _ map: SchemaMap) {
        let entries = Dictionary(plan.tables.map { ($0.table, $0) }, uniquingKeysWith: { first, _ in first })
        self.init(plan, map, PlanRoads(subject: plan.subject, tables: entries, map: map))
    }

    init(_ plan: Plan, _ map: SchemaMap, _ roads: PlanRoads) {
        self.plan = plan
        self.map = map
        let root = plan.subject.table
        let places = [root] + roads.onePerPerson.subtracting([root]).sorted()
        staying = StayingColumns(contact: ContactColumns(subject: plan.subject, places: places, map))
    }

    /// Whether rows of a table stay because of an answer, and none is the subject's.
    static func stay(_ entry: TablePlan, _ questions: [PlanQuestion], _ subject: SubjectRoot) -> Bool {
        questions.contains(where: keepsRows) && entry.table != subject.table && !entry.links.isEmpty
            && entry.rule.isMadeAnonymous
            && !entry.links.contains { !$0.isReference && $0.shared != .unlink }
    }

    /// Whether an answer may be the reason that rows stay: `owner` would have deleted them, so that the draft did not
    /// ask about their columns.
    private static func keepsRows(_ question: PlanQuestion) -> Bool {
        guard question.link != nil else { return false }
        return question.answer == .reference || question.answer == .unrelated && question.answers.first == .owner
    }

    /// The questions that the plan does not hold, by table.
    func questions() -> [PlanQuestion] {
        let asked = Dictionary(grouping: plan.questions, by: \.table)
        return plan.tables.flatMap { entry -> [PlanQuestion] in
            let questions = asked[entry.table] ?? []
            guard Self.stay(entry, questions, plan.subject), let table = map[entry.table] else { return [] }
            // A rule for a column changes nothing here: no row of the table is the subject's.
            let known = questions.flatMap(\.columns) + entry.links.flatMap(\.columns)
            return staying.questions(table, linking: Set(known))
        }
    }
}

extension Rule {
    /// Whether the rows stay, and not for a reason and a time.
    fileprivate var isMadeAnonymous: Bool { isPersonal && !erasesRows && retention == nil }
}
