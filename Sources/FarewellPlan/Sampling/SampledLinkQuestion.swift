// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The question about a column whose values are keys of subjects, although it does not have the name of a link.
struct SampledLinkQuestion {
    private let found: SampledLink
    private let plan: Plan
    private let context: CheckContext

    init(_ found: SampledLink, _ plan: Plan, _ context: CheckContext) {
        self.found = found
        self.plan = plan
        self.context = context
    }

    /// `nil` if the plan asks about these values already.
    var question: PlanQuestion? {
        guard !isAsked else { return nil }
        guard let path = found.place.path else { return ask(reason, nil, [.unrelated]) }
        if let obstacle = obstacle(path) { return ask("\(reason.dropLast())\(obstacle)", nil, [.unrelated]) }
        let link = Link(
            columns: [column.column], path: path, target: found.key.table, targetColumns: [found.key.column],
            list: found.place.list)
        let isComputed = schemaColumn?.isComputed == true
        if found.place.list != nil {
            return ask(reason, link, isComputed ? [.unrelated, .owner] : [.reference, .unrelated])
        }
        guard !isComputed else { return ask(reason, link, [.owner, .unrelated]) }
        let question = ask(reason, link, answers)
        return context.map[column.table].map { DraftedQuestions.withValue(question, in: $0) } ?? question
    }

    private var column: ColumnName { found.place.column }
    private var schemaColumn: SchemaColumn? { context.map.column(column.table, column.column) }

    private func ask(_ reason: String, _ link: Link?, _ answers: [PlanQuestion.Answer]) -> PlanQuestion {
        PlanQuestion(table: column.table, columns: [column.column], reason: reason, link: link, answers: answers)
    }

    /// The values of a column are asked about once, as those of a column with the name of a link.
    private var isAsked: Bool {
        plan.questions.contains { question in
            guard let link = question.link, question.table == column.table else { return false }
            return question.columns == [column.column] && link.target == found.key.table
                && link.path == found.place.path && link.list == found.place.list
        }
    }

    private var reason: String {
        let counts =
            "\(found.count) of \(found.total) different sampled values are \(found.what) of "
            + Shown.line(found.key.table.description, limit: 160)
        return "\(Shown.line(column.column, limit: 120)) does not have the name of a link, but \(counts)."
    }

    /// The end of the reason where no link can be declared yet.
    private func obstacle(_ path: [String]) -> String? {
        guard context.map.isUnique([found.key.column], in: found.key.table) else {
            return ", by \(Shown.line(found.key.column, limit: 120)), which is not unique there: give it a unique key, "
                + "and add a link."
        }
        // PostgreSQL follows a path, or reads a list, only in values that must be JSON.
        let isRead = !path.isEmpty || found.place.list == .json
        guard isRead, schemaColumn?.kind == .text, !context.map.schema.dialect.readsJSON(of: .text) else {
            return nil
        }
        return "; make the column jsonb, and add a link."
    }

    private var answers: [PlanQuestion.Answer] {
        let table = context.map[column.table]
        let isSubject = table.flatMap { table in schemaColumn.map { context.isOneUsers(table, $0) } } ?? false
        // No address of another person deletes a row that has its own user without doubt.
        let isOfOthers =
            context.isErased(column.table) && schemaColumn.flatMap(ContactColumns.kind) != nil
            && table.map { !ContactColumns.isFixed(column.column, in: $0) } ?? true
        let likely: [PlanQuestion.Answer] =
            context.isPersonal(column.table) ? [.reference, .owner, .unrelated] : [.owner, .reference, .unrelated]
        return likely.filter { $0 != .owner || !isSubject && !isOfOthers }
    }
}
