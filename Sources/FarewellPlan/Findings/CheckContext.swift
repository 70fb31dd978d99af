// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// A plan and a schema with their look-ups, shared by all parts of a check: a class, because each of them keeps it.
final class CheckContext: Sendable {
    let plan: Plan
    let map: SchemaMap
    /// The plan's entries whose table exists, with that table, in name order.
    let entries: [(plan: TablePlan, table: SchemaTable)]
    let paths: SubjectPaths
    /// The likely meaning of unknown names, shared so that one check makes a bounded number of guesses.
    let hints = NameHints()
    /// The plan with what its vendors' profiles add.
    let completed: CompletedPlan
    /// The questions of each table, answered or not.
    private let questions: [TableName: [PlanQuestion]]
    /// The columns that questions are about, answered or not.
    let asked: [TableName: Set<String>]
    /// The columns that open questions are about.
    private let open: Set<ColumnName>
    private let plans: [TableName: TablePlan]
    /// The tables that inherit from the subject's.
    private let descendants: Set<TableName>

    init(_ plan: Plan, _ schema: Schema) {
        let map = SchemaMap(schema)
        self.map = map
        let completed = CompletedPlan(plan, map)
        self.completed = completed
        let plan = completed.plan
        self.plan = plan
        let plans = Dictionary(plan.tables.map { ($0.table, $0) }, uniquingKeysWith: { first, _ in first })
        self.plans = plans
        entries = plans.values.sorted { $0.table < $1.table }.compactMap { entry in
            guard map.listedName(of: entry.table) == entry.table else { return nil }
            return map[entry.table].map { (entry, $0) }
        }
        let questions = Dictionary(grouping: plan.questions, by: \.table)
        self.questions = questions
        asked = questions.mapValues { Set($0.flatMap(\.columns)) }
        open = Set(
            plan.questions.filter(\.isOpen).flatMap { question in
                question.columns.map { ColumnName(question.table, $0) }
            })
        paths = SubjectPaths(subject: plan.subject, tables: plans, map: map)
        descendants = Set(TableDescendants(map.schema).of(plan.subject.table))
    }

    subscript(table: TableName) -> TablePlan? { plans[table] }

    /// The questions about a table, answered or not.
    func questions(of table: TableName) -> [PlanQuestion] { questions[table] ?? [] }

    func rule(_ table: TableName) -> Rule? { plans[table]?.rule }

    /// Whether an open question concerns the finding: its answer settles it, or lets it appear again.
    func isAsked(_ finding: Finding) -> Bool {
        let codes: Set<String> = [
            "key.added", "key.blocks", "key.cascades-into", "key.leads-to-person", "link.suspected",
            "link.suspected-type", "link.without-condition", "table.contacts",
        ]
        guard codes.contains(finding.code.rawValue), let table = finding.table, let column = finding.column else {
            return false
        }
        return open.contains(ColumnName(table, column))
    }

    /// Whether all questions about rows of a table that offer a link offer them as owned through rows of another table.
    func isOnlyOwned(_ table: TableName, through holder: TableName) -> Bool {
        let links = questions(of: table).flatMap(\.links)
        return !links.isEmpty && links.allSatisfy { $0.isOwnedParent && $0.target == holder }
    }

    /// Whether rows of this table are deleted in an erasure.
    func isErased(_ table: TableName) -> Bool { plans[table]?.rule.erasesRows == true }

    /// Whether each row of the table is a user's own: the subject's table, or one that inherits from it.
    func isOfUsers(_ table: TableName) -> Bool { table == plan.subject.table || descendants.contains(table) }

    /// Whether the table holds rows of the subject.
    func isPersonal(_ table: TableName) -> Bool {
        plans[table]?.rule.isPersonal == true
    }

    /// Whether rows that this key names are never deleted while a row that stays names them: they are owned parents
    /// and nothing else.
    func keepsParent(_ key: ForeignKey) -> Bool {
        let links = plans[key.target]?.links.filter(SubjectPaths.erases) ?? []
        return !links.isEmpty && links.allSatisfy(\.isOwnedParent)
    }

    func columnRule(_ table: TableName, _ column: String) -> ColumnRule? {
        plans[table]?.columns.first { $0.name == column }?.rule
    }
}
