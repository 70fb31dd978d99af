// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

extension DraftedQuestions {
    /// The question with what a reference of a column that may not be null needs as well. Where the column can neither
    /// lose its value nor get another one, reference is no answer.
    ///
    /// Where nothing restricts a text, the word that replaces it is written into the link.
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
            return question
        }
        question.link?.replacement = value
        question.add("the column may not be null, so reference replaces the value by `\(value)` (`set` in the link)")
        return question
    }

    /// The word that may replace a text which nothing restricts, such as an address. A column's default may be another
    /// user's key: it is never taken. `nil` for keys, which lead to a row, and for one of a pair of columns.
    private static func standIn(for link: Link, in table: SchemaTable) -> String? {
        let word = "deleted"
        guard link.onDelete == nil, link.condition.isEmpty, let column = table[link.columns[0]], column.labels == nil,
            column.kind == .text, !KeyName(column.name).isKey,
            !table.foreignKeys.contains(where: { $0.columns.contains(column.name) }),
            !table.checks.contains(where: { $0.columns.contains(column.name) }),
            ConstantFit.problem(word, column) == nil
        else { return nil }
        return word
    }
}
