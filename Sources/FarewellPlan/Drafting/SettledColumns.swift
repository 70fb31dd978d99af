// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Questions about personal columns of rows that stay because of answers: only the answers show that the rows stay, so
/// the draft could not ask.
struct SettledColumns {
    private let plan: Plan
    private let map: SchemaMap
    private let staying: StayingColumns
    private let onePerPerson: Set<TableName>
    /// For each table, the columns by which links in questions about other tables lead there.
    private let named: [TableName: [(from: TableName, columns: [String])]]

    /// - Parameter plan: With its answers applied.
    init(_ plan: Plan, _ map: SchemaMap) {
        let entries = Dictionary(plan.tables.map { ($0.table, $0) }, uniquingKeysWith: { first, _ in first })
        self.init(plan, map, SubjectPaths(subject: plan.subject, tables: entries, map: map))
    }

    init(_ plan: Plan, _ map: SchemaMap, _ paths: SubjectPaths) {
        self.plan = plan
        self.map = map
        let root = plan.subject.table
        onePerPerson = paths.onePerPerson
        var named: [TableName: [(from: TableName, columns: [String])]] = [:]
        for question in plan.questions {
            for link in question.links where !link.isOwnedParent {
                named[link.target, default: []].append((from: question.table, columns: link.columns))
            }
        }
        self.named = named
        let places = [root] + paths.onePerPerson.subtracting([root]).sorted()
        staying = StayingColumns(contact: ContactColumns(subject: plan.subject, places: places, map))
    }

    /// Whether rows of a table stay because of an answer, and none is the subject's.
    static func stay(_ entry: TablePlan, _ questions: [PlanQuestion], _ subject: SubjectRoot) -> Bool {
        questions.contains(where: keepsRows) && entry.table != subject.table && !entry.links.isEmpty
            && entry.rule.isMadeAnonymous
            && !entry.links.contains { link in
                !link.isReference && link.shared != .unlink
                    && !questions.contains { $0.answer == .anonymise && $0.through?.columns == link.columns }
            }
    }

    /// Whether an answer may be the reason that rows stay. The draft did not ask about their columns if `owner` came
    /// first, which sampling or a target without users' rows may have taken away since.
    private static func keepsRows(_ question: PlanQuestion) -> Bool {
        guard question.link != nil else { return false }
        return question.answer == .reference || question.answer == .unrelated && question.answers.first != .reference
    }

    /// Whether answers left a table without any way to a subject. As long as a link was possible, the draft did not
    /// ask whether its addresses are those of subjects.
    static func isCutOff(_ entry: TablePlan, _ questions: [PlanQuestion], _ subject: SubjectRoot) -> Bool {
        !entry.rule.isPersonal && entry.links.isEmpty && entry.table != subject.table
            && !questions.contains(where: \.isOpen)
            && questions.contains { $0.link != nil && $0.answer == .unrelated }
    }

    private func address(_ entry: TablePlan, _ questions: [PlanQuestion]) -> [PlanQuestion] {
        guard Self.isCutOff(entry, questions, plan.subject), let table = map[entry.table],
            table.kind != .materializedView
        else { return [] }
        let contact =
            isShared(table.name) ? staying.contact.question(ofShared: table) : staying.contact.question(table)
        guard let question = contact ?? UnlinkedValues.question(table, users: plan.subject.table) else { return [] }
        let settled = entry.columns.filter { $0.rule?.isNotPersonal == true }.map(\.name)
        guard Set(questions.flatMap(\.columns) + settled).isDisjoint(with: question.columns) else { return [] }
        return [DraftedQuestions.withValue(question, in: table, map)]
    }

    /// Whether rows of users name rows of the table, several perhaps the same: by a key, or by what may be one.
    private func isShared(_ table: TableName) -> Bool {
        let keys = map.keys(to: table).map { (from: $0.table, columns: $0.key.columns) }
        let names = named[table] ?? []
        return (keys + names).contains { onePerPerson.contains($0.from) && !map.isUnique($0.columns, in: $0.from) }
    }

    /// The questions that the plan does not hold, by table.
    func questions() -> [PlanQuestion] {
        let asked = Dictionary(grouping: plan.questions, by: \.table)
        return plan.tables.flatMap { entry -> [PlanQuestion] in
            let questions = asked[entry.table] ?? []
            let address = address(entry, questions)
            guard address.isEmpty else { return address }
            guard Self.stay(entry, questions, plan.subject), let table = map[entry.table] else { return [] }
            // A rule for a column changes nothing here: no row of the table is the subject's.
            let known = questions.flatMap(\.columns) + entry.links.flatMap(\.columns)
            let users = entry.links.filter { onePerPerson.contains($0.target) }
            let asked = staying.questions(
                table, linking: Set(known), RemovedValues(links: users, in: table, map))
            return asked.map { DraftedQuestions.withValue($0, in: table, map) }
        }
    }
}

extension Rule {
    /// Whether the rows stay, and not for a reason and a time.
    fileprivate var isMadeAnonymous: Bool { isPersonal && !erasesRows && retention == nil }
}
