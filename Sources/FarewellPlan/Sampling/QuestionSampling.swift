// SPDX-License-Identifier: Apache-2.0
import Farewell
public import FarewellSQL

/// Reads rows for the questions of a draft: the tables that a polymorphic column names, the number of keys among a
/// suspected column's values, and other columns that hold keys of subjects.
///
/// Reads a bounded number of rows of each table. No value of a row enters a question but those of type columns.
public struct QuestionSampling: Sendable {
    /// The most rows read of one table.
    public var rowsPerTable: Int

    public init(rowsPerTable: Int = 1_000) { self.rowsPerTable = max(1, rowsPerTable) }

    /// The draft with what the rows say.
    public func sampled(_ draft: PlanDraft, _ schema: Schema, _ database: any SQLDatabase) async throws -> PlanDraft {
        var draft = draft
        let context = CheckContext(draft.plan, schema)
        // Rows may show a way to the subject that names do not.
        let asked = draft.plan.questions.map { draft.withheld[$0] ?? $0 }
        let added = draft.added
        let (questions, addresses) = try await database.withConnection { connection in
            let probe = SampleProbe(connection: connection)
            var types = TypeValues(models: try await ContentTypeProbe.models(context.map, probe))
            var questions: [PlanQuestion] = []
            var addresses: [PlanQuestion: PlanQuestion] = [:]
            for question in asked {
                do {
                    let found = try await sampled(question, context, probe, &types)
                    guard !added.contains(question) else {
                        addresses[question] = found.first
                        continue
                    }
                    // Several questions about one pair of columns are answered by the same values.
                    questions += found.filter { new in
                        !questions.contains {
                            $0.table == new.table && $0.columns == new.columns && $0.links == new.links
                        }
                    }
                } catch let error as FarewellError where error.family != .tryAgain {
                    // A table that cannot be read leaves its question as it was.
                    if !added.contains(question) { questions.append(question) }
                }
            }
            return (questions, addresses)
        }
        draft.plan.questions = questions
        let found = try await PlanSampling(rowsPerTable: rowsPerTable).links(draft.plan, schema, database)
        draft.plan.questions += found.compactMap { Self.question($0, draft.plan, context) }
        let settled = OfferedTargets(context.map).settled(draft.plan.completed(in: schema))
        // Questions that exist only because a link is not offered may have been sampled before.
        draft.plan.questions = settled.questions.map { settled.added.contains($0) ? addresses[$0] ?? $0 : $0 }
        draft.plan.questions = LikelyAnswers.ordered(draft.plan, context.map)
        draft.withheld = settled.withheld
        draft.added = Set(settled.added.map { addresses[$0] ?? $0 })
        return draft
    }

    // MARK: Questions by name

    private func sampled(
        _ question: PlanQuestion, _ context: CheckContext, _ probe: SampleProbe, _ types: inout TypeValues
    ) async throws -> [PlanQuestion] {
        guard let table = context.map[question.table], table.isReadable else { return [question] }
        if question.columns.count == 2, let type = table[question.columns[0]], let id = table[question.columns[1]],
            PolymorphicPair.typeColumn(of: id, KeyName(id.name), in: table, context.map)?.name == type.name
        {
            return try await polymorphic(question, table, type, context, probe, &types)
        }
        if let listed = try await ListSampling(table, context, probe, rowsPerTable).sampled(question) {
            return [listed]
        }
        guard let link = question.link, link.onDelete == nil, link.list == nil, link.columns.count == 1 else {
            return [question]
        }
        return [try await counted(question, link, table, context, probe)]
    }

    /// The values of a column in these rows. The question is about them as a whole, so that short names count as well.
    private func values(
        of column: ColumnName, in rows: [[SQLValue]]
    ) -> (values: SampledValues, short: Set<String>) {
        var places: [SampledPlace: SampledValues] = [:]
        var short: Set<String> = []
        for value in rows.joined().map(whole) {
            SampledValues.collect(value, of: column, into: &places)
            guard case .text(let text) = value, !text.isEmpty else { continue }
            if text.utf8.count < SampledValues.shortestText { short.insert(text) }
        }
        return (places[SampledPlace(column: column)] ?? SampledValues(), short)
    }

    /// Says how many sampled values are keys of the target. Of several unique keys of the subject, the one that most
    /// values are in becomes the target; the others with such values are named.
    private func counted(
        _ question: PlanQuestion, _ link: Link, _ table: SchemaTable, _ context: CheckContext, _ probe: SampleProbe
    ) async throws -> PlanQuestion {
        let rows = try await probe.rows(of: table, columns: link.columns, limit: rowsPerTable)
        let (values, short) = self.values(of: ColumnName(table.name, link.columns[0]), in: rows)
        let drafted = ColumnName(link.target, link.targetColumns[0])
        guard let first = try await count(of: values, short, in: drafted, context, probe) else { return question }
        var question = question
        // Counted numbers of different columns are the same small numbers: a few values more prove nothing.
        let kind = context.map.column(drafted.table, drafted.column)?.kind
        let isDense = (kind == .integer || kind == .number) && first.count * 2 >= first.total
        var best = (key: drafted, count: first.count, total: first.total, isEnough: first.isEnough)
        var others: [(key: ColumnName, count: Int)] = []
        for key in targets(of: link, table, context) {
            guard let found = try await count(of: values, short, in: key, context, probe), found.count > 0 else {
                continue
            }
            let isNamed = SubjectTargets.isNamed(link.columns[0], after: key.column)
            let wasNamed = SubjectTargets.isNamed(link.columns[0], after: best.key.column)
            let isBetter = found.count > best.count && found.isEnough && (!isDense || isNamed)
            if isBetter || found.count == best.count && isNamed && !wasNamed {
                if best.count > 0 { others.append((best.key, best.count)) }
                best = (key, found.count, found.total, found.isEnough)
            } else {
                others.append((key, found.count))
            }
        }
        question.forgetComparing()
        guard best.total > 0 else {
            let words =
                rows.isEmpty
                ? "--sample found no row"
                : "in \(rows.count) sampled row\(rows.count == 1 ? "" : "s") it has no value that "
                    + "\(Shown.line(best.key.description, limit: 160)) could have"
            question.add(words)
            return question
        }
        if best.key != drafted {
            question.link?.lead(to: best.key.column, from: question.table, of: context.plan.subject, context.map)
            question.add("by its values it is a link to \(Shown.line(best.key.description, limit: 160))")
        }
        let compared = Shown.line(best.key.description, limit: 160)
        let words =
            "\(best.count == 0 ? "none" : "\(best.count)") of \(best.total) different sampled values of "
            + "\(Shown.line(link.columns[0], limit: 120)) \(best.count < 2 ? "is a value" : "are values") of "
            + compared
        var isTooFew = best.count == 0 ? best.total < SampleEvidence.leastValues : !best.isEnough
        if best.count == 0, try await isEmpty(best.key, context, probe) {
            question.add("\(words), where --sample found no row")
            return question
        }
        if best.count == 0, !isTooFew {
            isTooFew = try await mayBeGone(values.integers, best.key, context, probe)
        }
        question.add(isTooFew ? "\(words), \(Self.tooFew)" : words)
        if best.count == 0, let (name, found) = try await identifier(of: values, short, context, probe) {
            question.add(
                "\(found) of them are values of \(Shown.line(name.description, limit: 160)), which is not unique: give "
                    + "it a unique key and correct `to`, or several users' rows would be found")
            return question
        }
        if !others.isEmpty {
            let likely = others.sorted { $0.count > $1.count }
            let names = likely.map { "\($0.count) of \(Shown.line($0.key.description, limit: 160))" }
            question.add(
                "they are also values of other keys (\(names.joined(separator: ", "))): correct `to` if one of those "
                    + "is meant")
        }
        if try await DoerEvidence(context, probe).confirms(question, first.found.integers, of: first.total) {
            question.answers = [.owner] + question.answers.filter { $0 != .owner }
        }
        // One or two values may be keys of users who left.
        if best.count == 0, !isTooFew {
            question.answers =
                question.answers.filter { $0 == .unrelated } + question.answers.filter { $0 != .unrelated }
        }
        return question
    }

    /// Whether no row is visible that could have the values: then it says nothing that none of them is found.
    private func isEmpty(_ key: ColumnName, _ context: CheckContext, _ probe: SampleProbe) async throws -> Bool {
        guard let table = context.map[key.table] else { return true }
        return try await probe.rows(of: table, columns: [key.column], limit: 1).isEmpty
    }

    /// Whether numbers, of which none is a key, may be those of users who left.
    private func mayBeGone(
        _ numbers: Set<Int64>, _ key: ColumnName, _ context: CheckContext, _ probe: SampleProbe
    ) async throws -> Bool {
        let kind = context.map.column(key.table, key.column)?.kind
        guard kind == .integer || kind == .number,
            let (range, rows) = try await probe.range(of: key, estimate: context.map[key.table]?.estimatedRows)
        else { return false }
        return SampleEvidence.mayBeGone(numbers, of: range, rows: rows)
    }

    /// Where the values may be a coincidence.
    static let tooFew = "too few rows to tell"

    /// A name of the subject that is not unique and that most of the values are in.
    private func identifier(
        of values: SampledValues, _ short: Set<String>, _ context: CheckContext, _ probe: SampleProbe
    ) async throws -> (name: ColumnName, count: Int)? {
        var best: (name: ColumnName, count: Int)?
        for name in context.plan.subject.identifiers where !context.map.isUnique([name.column], in: name.table) {
            guard context.map.column(name.table, name.column)?.kind == .text,
                let found = try await count(of: values, short, in: name, context, probe), found.isEnough,
                found.count > best?.count ?? 0
            else { continue }
            best = (name, found.count)
        }
        return best
    }

    /// Other unique keys of the subject that the link may lead to.
    private func targets(of link: Link, _ table: SchemaTable, _ context: CheckContext) -> [ColumnName] {
        let subject = context.plan.subject
        guard link.target == subject.table, let column = table[link.columns[0]] else { return [] }
        return SubjectTargets(context.map, subject).of(column).map { ColumnName(subject.table, $0.name) }
            .filter { $0.column != link.targetColumns[0] }
    }

    /// The values that are in a column.
    private struct Matching {
        var found = SampleEvidence.Values()
        /// How many could be by their type.
        var total = 0

        var count: Int { found.count }
        /// Whether that shows that they are meant.
        var isEnough: Bool { SampleEvidence.isEnough(found) }
    }

    /// Which of the values are in a column, and how many could be by their type.
    private func count(
        of values: SampledValues, _ short: Set<String>, in key: ColumnName, _ context: CheckContext,
        _ probe: SampleProbe
    ) async throws -> Matching? {
        guard let column = context.map.column(key.table, key.column) else { return nil }
        let kind = column.kind
        switch kind {
        case .integer, .number:
            let found = try await probe.present(values.integers, in: key)
            return Matching(found: .init(integers: found), total: values.integers.count)
        case .uuid:
            let found = try await probe.present(values.uuids, in: key, kind: kind)
            return Matching(found: .init(uuids: found), total: values.uuids.count)
        case .text:
            let texts = values.texts.union(short)
            let uuids = try await probe.present(values.uuids, in: key, kind: kind)
            let found = try await probe.matching(texts, inText: key, column)
            return Matching(found: .init(uuids: uuids, texts: found), total: values.uuids.count + texts.count)
        default: return Matching()
        }
    }

    /// A number that SQLite keeps as text or as a fraction is compared as a whole number.
    private func whole(_ value: SQLValue) -> SQLValue {
        if case .double(let number) = value, let whole = Int64(exactly: number) { return .integer(whole) }
        if case .text(let text) = value, let whole = Int64(text) { return .integer(whole) }
        return value
    }

    // MARK: Polymorphic pairs

    private func polymorphic(
        _ question: PlanQuestion, _ table: SchemaTable, _ type: SchemaColumn, _ context: CheckContext,
        _ probe: SampleProbe, _ types: inout TypeValues
    ) async throws -> [PlanQuestion] {
        // The draft has asked about each value that the schema lists, of which rows might show only some.
        guard PairValues.listed(type, in: table) == nil else { return [question] }
        let values = try await types.values(of: type, in: table, probe, limit: rowsPerTable * 10)
        guard !values.isEmpty, values.count <= 500 else { return [question] }
        var made: [PlanQuestion] = []
        let personal =
            [context.plan.subject.table]
            + context.entries.map(\.plan.table).filter {
                $0 != context.plan.subject.table
                    && (context.isErased($0)
                        || context.asked[$0] != nil && !context.isOnlyOwned($0, through: table.name))
            }
        for target in personal {
            var names = values.filter { PolymorphicPair.isName(types.models[$0] ?? $0, of: target) }.sorted()
            var ending = ""
            if names.isEmpty, target == context.plan.subject.table, let id = table[question.columns[1]] {
                let keys = PairKeys(context: context, probe: probe, limit: rowsPerTable * 10)
                let found = try await keys.found(type, id, in: table, models: types.models)
                names = found.values
                ending =
                    " by their keys (\(found.count) of \(found.total) different values of "
                    + "\(Shown.line(id.name, limit: 120)))"
            }
            guard !names.isEmpty, let idColumn = table[question.columns[1]],
                var link = PairLink.of(idColumn, in: table, to: target, subject: context.plan.subject, context.map)
            else { continue }
            link.condition = LinkCondition([.init(column: type.name, values: names)])
            let isSubject = Self.isOneUsers(table, idColumn, context)
            // A name such as `approver_id` says that the user only handled the row.
            let isOther =
                question.answers.first { $0 != .unrelated } == .reference && question.answers.contains(.owner)
            let likely: [PlanQuestion.Answer] = isOther ? [.reference, .owner] : [.owner, .reference]
            // Numbers are keys of many tables: without the subject's noun they make nothing likely.
            let isCounted =
                !ending.isEmpty && [.integer, .number].contains(idColumn.kind)
                && !names.allSatisfy { PairKeys.isNoun(types.models[$0] ?? $0, of: target) }
            let answers = (isCounted ? [.unrelated] + likely : likely + [.unrelated])
                .filter { $0 != .reference || !idColumn.isComputed }
            made.append(
                PlanQuestion(
                    table: table.name, columns: question.columns,
                    reason: PairQuestion.reason(type.name, question.columns[1], [target], isSampled: true, ending),
                    link: link, answers: answers.filter { $0 != .owner || !isSubject }))
        }
        guard made.isEmpty else {
            // Rows of other tables may turn out to be no user's: each of those tables is a question of its own.
            let certain = made.filter { $0.links.allSatisfy { context.isErased($0.target) } }
            let asked = PairQuestion.together(certain, type.name, question.columns[1], isSampled: true)
            return (asked + made.filter { !certain.contains($0) })
                .map { DraftedQuestions.withValue($0, in: table, context.map) }
        }
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

extension PlanQuestion {
    /// The values have been compared.
    fileprivate mutating func forgetComparing() {
        guard let end = reason.ranges(of: ": \(DraftedQuestions.compareThem)").first,
            let start = reason[..<end.lowerBound].ranges(of: "; its values may also be those of ").last
        else { return }
        reason.removeSubrange(start.lowerBound..<end.upperBound)
    }
}
