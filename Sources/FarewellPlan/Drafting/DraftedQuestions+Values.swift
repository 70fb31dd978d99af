// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

extension DraftedQuestions {
    /// The question with what a reference of a column that may not be null needs as well. Where the column can neither
    /// lose its value nor get another one, reference is no answer.
    ///
    /// The first answer passes the check where one can: a value that every such row may have is written into the link,
    /// and if there is none, `not personal` comes before `reference`.
    static func withValue(_ question: PlanQuestion, in table: SchemaTable) -> PlanQuestion {
        guard let link = question.link, question.answers.contains(.reference), link.list == nil, link.path.isEmpty
        else { return question }
        var question = question
        let lost = LostValue(link, in: table)
        guard !lost.isClearable else { return question }
        guard lost.isReplaceable else {
            question.answers.removeAll { $0 == .reference }
            if question.answers.isEmpty { question.answers = [.unrelated] }
            question.add("`reference` is no answer, because the value can neither be set to null nor replaced")
            return question
        }
        guard link.replacement == nil else { return question }
        guard let value = standIn(for: link, in: table) else {
            question.add("the column may not be null, so reference also needs a value (`set`)")
            if link.onDelete == nil, question.answers.first == .reference,
                let place = question.answers.firstIndex(of: .unrelated)
            {
                question.answers.insert(question.answers.remove(at: place), at: 0)
            }
            return question
        }
        question.link?.replacement = value
        let shown = value.isEmpty ? "an empty text" : "`\(Shown.line(value, limit: 80))`"
        question.add("the column may not be null, so reference replaces the value by \(shown) (`set` in the link)")
        return question
    }

    /// A value that may replace those of a column in every row: its default, or a word where nothing restricts a text.
    /// `nil` for keys of the database, which lead to a row, and for one of a pair of columns.
    private static func standIn(for link: Link, in table: SchemaTable) -> String? {
        guard link.onDelete == nil, link.condition.isEmpty, let column = table[link.columns[0]], column.labels == nil,
            !table.foreignKeys.contains(where: { $0.columns.contains(column.name) })
        else { return nil }
        let isFree = column.kind == .text && !table.checks.contains { $0.columns.contains(column.name) }
        let values = [LiteralDefault.text(column.defaultExpression), isFree ? "deleted" : nil]
        return values.compactMap(\.self).first { ConstantFit.problem($0, column) == nil }
    }
}
