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
    init(_ plan: Plan, _ map: SchemaMap, _ roads: PlanRoads) {
        self.plan = plan
        self.map = map
        let root = plan.subject.table
        let places = [root] + roads.onePerPerson.subtracting([root]).sorted()
        staying = StayingColumns(contact: ContactColumns(subject: plan.subject, places: places, map))
    }

    /// The questions that the plan does not hold, by table.
    func questions() -> [PlanQuestion] {
        let asked = Dictionary(grouping: plan.questions, by: \.table)
        return plan.tables.flatMap { entry -> [PlanQuestion] in
            let questions = asked[entry.table] ?? []
            let isAnswered = questions.contains { $0.answer == .reference && $0.link != nil }
            guard isAnswered, entry.table != plan.subject.table, entry.rule.isMadeAnonymous,
                let table = map[entry.table],
                !entry.links.contains(where: { !$0.isReference && $0.shared != .unlink })
            else { return [] }
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
