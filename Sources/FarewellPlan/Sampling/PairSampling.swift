// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The questions about a polymorphic pair, one of whose columns names the table that the other refers to, by the names
/// that rows hold.
struct PairSampling {
    let context: CheckContext
    let probe: SampleProbe
    /// The most rows read of one table.
    let limit: Int

    /// The questions in place of one about the pair.
    func sampled(
        _ question: PlanQuestion, _ table: SchemaTable, _ type: SchemaColumn, _ id: SchemaColumn,
        _ types: inout TypeValues
    ) async throws -> [PlanQuestion] {
        // The draft has asked about each label of an enum, of which rows might show only some.
        guard type.labels == nil else { return [question] }
        let values = try await types.values(of: type, in: table, probe, limit: limit)
        guard !values.isEmpty, values.count <= 500 else { return [question] }
        let pair = Pair(question: question, table: table, type: type, id: id, models: types.models)
        let subject = context.plan.subject.table
        let personal =
            [subject]
            + context.entries.map(\.plan.table).filter {
                $0 != subject && (context.isErased($0) || context.asked[$0] != nil)
            }
        var made: [PlanQuestion] = []
        for target in personal {
            if let asked = try await asked(pair, target, values) { made.append(asked) }
        }
        guard made.isEmpty else {
            // Rows of other tables may turn out to be no user's: each of those tables is a question of its own.
            let certain = made.filter { $0.links.allSatisfy { context.isErased($0.target) } }
            let asked = PairQuestion.together(certain, type.name, id.name, isSampled: true)
            return (asked + made.filter { !certain.contains($0) }).map { DraftedQuestions.withValue($0, in: table) }
        }
        return withoutNames(question)
    }

    private struct Pair {
        let question: PlanQuestion
        let table: SchemaTable
        let type: SchemaColumn
        let id: SchemaColumn
        let models: [String: String]
    }

    /// The question about the rows that refer to one table; `nil` if no value names it.
    private func asked(_ pair: Pair, _ target: TableName, _ values: Set<String>) async throws -> PlanQuestion? {
        let (table, type, id) = (pair.table, pair.type, pair.id)
        let isSubjects = target == context.plan.subject.table
        var names = values.filter { PolymorphicPair.isName(pair.models[$0] ?? $0, of: target) }.sorted()
        var ending = ""
        if names.isEmpty, isSubjects {
            let keys = PairKeys(context: context, probe: probe, limit: limit)
            let found = try await keys.found(type, id, in: table, models: pair.models)
            names = found.values
            ending =
                " by their keys (\(found.count) of \(found.total) different values of "
                + "\(Shown.line(id.name, limit: 120)))"
        }
        guard !names.isEmpty,
            let key = isSubjects ? context.plan.subject.key : context.map[target]?.primaryKey.first,
            let keyColumn = context.map.column(target, key), context.map.isUnique([key], in: target),
            KeyFit.of(id, keyColumn, in: context.map.schema.dialect) != nil
        else { return nil }
        var link = Link(columns: [id.name], target: target, targetColumns: [key])
        link.condition = LinkCondition([.init(column: type.name, values: names)])
        // Numbers are keys of many tables: without the subject's noun they make nothing likely.
        let isCounted =
            !ending.isEmpty && [.integer, .number].contains(id.kind)
            && !names.allSatisfy { PairKeys.isNoun(pair.models[$0] ?? $0, of: target) }
        return PlanQuestion(
            table: table.name, columns: pair.question.columns,
            reason: PairQuestion.reason(type.name, id.name, [target], isSampled: true, ending), link: link,
            answers: answers(pair, isCounted: isCounted))
    }

    private func answers(_ pair: Pair, isCounted: Bool) -> [PlanQuestion.Answer] {
        // A name such as `approver_id` says that the user only handled the row.
        let drafted = pair.question.answers
        let isOther = drafted.first == .reference && drafted.contains(.owner)
        let likely: [PlanQuestion.Answer] = isOther ? [.reference, .owner] : [.owner, .reference]
        let isOneUsers = context.isOneUsers(pair.table, pair.id)
        return (isCounted ? [.unrelated] + likely : likely + [.unrelated])
            .filter { $0 != .reference || !pair.id.isComputed }.filter { $0 != .owner || !isOneUsers }
    }

    /// The question where no value names a table with rows of people.
    private func withoutNames(_ question: PlanQuestion) -> [PlanQuestion] {
        // The question about the subject's table speaks for the whole pair.
        guard question.link.map({ $0.target == context.plan.subject.table }) ?? true else { return [] }
        var question = question
        // The numbers have been read.
        if let place = question.reason.ranges(of: DraftedQuestions.readTheNumbers).first {
            question.reason.removeSubrange(place)
        }
        question.add("no sampled value names a table with rows of people")
        question.answers = [.unrelated] + question.answers.filter { $0 != .unrelated }
        return [question]
    }
}
