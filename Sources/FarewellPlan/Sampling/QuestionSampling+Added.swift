// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

extension QuestionSampling {
    /// The question about a link that rows show under an innocent name; `nil` if it is asked already.
    static func question(_ found: SampledLink, _ plan: Plan, _ context: CheckContext) -> PlanQuestion? {
        let column = found.place.column
        // The values of a column are asked about once, as those of a column with the name of a link.
        let isAsked = plan.questions.contains { question in
            guard let link = question.link, question.table == column.table else { return false }
            return question.columns == [column.column] && link.target == found.key.table
                && link.path == found.place.path && link.list == found.place.list
        }
        guard !isAsked else { return nil }
        let counts =
            "\(found.count) of \(found.total) different sampled values are \(found.what) of "
            + Shown.line(found.key.table.description, limit: 160)
        let counted = found.isCounted ? ", perhaps because both are counted" : ""
        let reason =
            "\(Shown.line(column.column, limit: 120)) does not have the name of a link, but \(counts)\(counted)."
        if let type = typeColumn(of: found.place, context) {
            // The question about the pair has the condition, without which the link finds rows that lead elsewhere.
            let isOfPair = plan.questions.contains { question in
                question.table == column.table && question.columns == [type.name, column.column]
                    && question.answers.first != .unrelated
                    && question.links.contains { $0.target == found.key.table }
            }
            return isOfPair
                ? nil
                : PlanQuestion(
                    table: column.table, columns: [column.column],
                    reason: "\(reason.dropLast()); \(Shown.line(type.name, limit: 120)) gives the table that it refers "
                        + "to: add a link with `where`.",
                    answers: [.unrelated])
        }
        guard let path = found.place.path else {
            return PlanQuestion(table: column.table, columns: [column.column], reason: reason, answers: [.unrelated])
        }
        guard context.map.isUnique([found.key.column], in: found.key.table) else {
            return PlanQuestion(
                table: column.table, columns: [column.column],
                reason: "\(reason.dropLast()), by \(Shown.line(found.key.column, limit: 120)), which is not unique "
                    + "there: give it a unique key, and add a link.",
                answers: [.unrelated])
        }
        let isText = context.map.column(column.table, column.column)?.kind == .text
        // PostgreSQL follows a path, or reads a list, only in values that must be JSON.
        if isText, !path.isEmpty || found.place.list == .json, context.map.schema.dialect.failsOnOtherThanJSON {
            return PlanQuestion(
                table: column.table, columns: [column.column],
                reason: "\(reason.dropLast()); make the column jsonb, and add a link.", answers: [.unrelated])
        }
        let isComputed = context.map.column(column.table, column.column)?.isComputed == true
        let link = Link(
            columns: [column.column], path: path, target: found.key.table, targetColumns: [found.key.column],
            list: found.place.list)
        if found.place.list != nil {
            return PlanQuestion(
                table: column.table, columns: [column.column], reason: reason, link: link,
                answers: isComputed
                    ? [.unrelated, .owner] : likeliest([.reference], isCounted: found.isCounted))
        }
        let isPersonal = context.isPersonal(column.table)
        if isComputed {
            return PlanQuestion(
                table: column.table, columns: [column.column], reason: reason, link: link,
                answers: likeliest([.owner], isCounted: found.isCounted))
        }
        var isSubject = false
        if let table = context.map[column.table], let place = table[column.column] {
            isSubject = Self.isOneUsers(table, place, context)
        }
        let answers = likeliest(
            isPersonal ? [.reference, .owner] : [.owner, .reference], isCounted: found.isCounted)
        // No address of another person deletes a row that has its own user without doubt.
        let isOfOthers =
            context.isErased(column.table)
            && context.map.column(column.table, column.column).flatMap(ContactColumns.kind) != nil
            && context.map[column.table].map { !ContactColumns.isFixed(column.column, in: $0) } ?? true
        let question = PlanQuestion(
            table: column.table, columns: [column.column], reason: reason, link: link,
            answers: answers.filter { $0 != .owner || !isSubject && !isOfOthers })
        return context.map[column.table].map { DraftedQuestions.withValue(question, in: $0, context.map) } ?? question
    }

    /// The column that says to which table whole values of a column lead; `nil` if they lead to one.
    private static func typeColumn(of place: SampledPlace, _ context: CheckContext) -> SchemaColumn? {
        guard place.path == [], place.list == nil, let table = context.map[place.column.table],
            let column = table[place.column.column]
        else { return nil }
        return PolymorphicPair.typeColumn(of: column, KeyName(column.name), in: table, context.map)
    }

    /// These answers and `not personal`, which comes first where only counted numbers say that the column is a link.
    private static func likeliest(_ answers: [PlanQuestion.Answer], isCounted: Bool) -> [PlanQuestion.Answer] {
        isCounted ? [.unrelated] + answers : answers + [.unrelated]
    }

    /// Whether a row is one user's alone, and is kept without the column's value.
    static func isOneUsers(_ table: SchemaTable, _ column: SchemaColumn, _ context: CheckContext) -> Bool {
        let subject = context.plan.subject.table
        if table.name == subject { return true }
        let canLose = column.isNullable && !table.primaryKey.contains(column.name)
        if canLose, context.paths.onePerPerson.contains(table.name) { return true }
        return TableDescendants(context.map.schema).of(subject).contains(table.name)
    }
}
