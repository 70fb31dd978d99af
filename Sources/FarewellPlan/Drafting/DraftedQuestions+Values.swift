// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

extension DraftedQuestions {
    /// The question with what a reference of a column that may not be null needs as well. Where the column can neither
    /// lose its value nor get another one, reference is no answer.
    ///
    /// Where nothing restricts a column, the value that replaces it is written into the link (`NeutralValue`).
    static func withValue(_ question: PlanQuestion, in table: SchemaTable, _ map: SchemaMap) -> PlanQuestion {
        guard let link = question.link, question.answers.contains(.reference), link.list == nil, link.path.isEmpty
        else { return question }
        var question = question
        let lost = LostValue(link, in: table)
        guard !lost.isClearable else { return question }
        guard lost.isReplaceable else {
            question.answers.removeAll { $0 == .reference }
            if question.answers.isEmpty { question.answers = [.unrelated] }
            let cause = lost.obstacle.map { ": \($0.cause.prefix(1).lowercased())\($0.cause.dropFirst().dropLast())" }
            question.add(
                "`reference` is no answer, because the value can neither be set to null nor replaced\(cause ?? "")")
            return question
        }
        guard link.replacement == nil else { return question }
        guard let value = NeutralValue.replacing(link, in: table, map) else {
            let place = question.links.count == 1 ? "of \(Shown.line(link.target.description, limit: 160))" : "there"
            question.add(
                "\(Self.obstacle(lost)), so reference also needs a value (`set`), such as the key of a row "
                    + "\(place) that represents deleted rows\(Self.alsoLeading(lost.otherKeys))")
            // Without the value, the check refuses the answer. A key of the database refuses the other one.
            if link.onDelete == nil, question.answers.first == .reference, question.answers.contains(.unrelated) {
                question.answers = [.unrelated] + question.answers.filter { $0 != .unrelated }
            }
            return question
        }
        question.link?.replacement = value
        question.add("\(Self.obstacle(lost)), so reference replaces the value by `\(value)` (`set` in the link)")
        return question
    }

    private static func obstacle(_ lost: LostValue) -> String {
        if let cause = lost.obstacle?.cause { return "\(cause.prefix(1).lowercased())\(cause.dropFirst().dropLast())" }
        return lost.isRefused
            ? "a check refuses null in every row that has a value here" : "the column may not be null"
    }

    /// The other keys that a value has to fit.
    private static func alsoLeading(_ keys: [ForeignKey]) -> String {
        guard let key = keys.first else { return "" }
        let columns = Shown.line(key.columns.joined(separator: ", "), limit: 160)
        let target = Shown.line(key.target.description, limit: 160)
        return "; the key (\(columns)) to \(target) has the column as well, so the value has to lead to a row there too"
    }
}
