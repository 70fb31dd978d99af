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
            var types = TypeValues(models: try await contentTypes(context, probe))
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
        draft.plan.questions += found.compactMap { SampledLinkQuestion($0, draft.plan, context).question }
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
            let pairs = PairSampling(context: context, probe: probe, limit: rowsPerTable * 10)
            return try await pairs.sampled(question, table, type, id, &types)
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

    /// Says how many sampled values are keys of the target. The key that most values are in becomes the target; the
    /// others with such values are named.
    private func counted(
        _ question: PlanQuestion, _ link: Link, _ table: SchemaTable, _ context: CheckContext, _ probe: SampleProbe
    ) async throws -> PlanQuestion {
        let rows = try await probe.rows(of: table, columns: link.columns, limit: rowsPerTable)
        let (values, short) = self.values(of: ColumnName(table.name, link.columns[0]), in: rows)
        guard let (best, others) = try await keys(of: values, short, link, table, context, probe) else {
            return question
        }
        var question = question
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
        if best.key.column != link.targetColumns[0] {
            question.link?.targetColumns = [best.key.column]
            question.add("by its values it is a link to \(Shown.line(best.key.description, limit: 160))")
        }
        let compared = Shown.line(best.key.description, limit: 160)
        let words =
            "\(best.count == 0 ? "none" : "\(best.count)") of \(best.total) different sampled values of "
            + "\(Shown.line(link.columns[0], limit: 120)) \(best.count < 2 ? "is a value" : "are values") of "
            + compared
        question.add(words)
        if best.count == 0, let (name, found) = try await identifier(of: values, short, context, probe) {
            question.add(
                "\(found) of them are values of \(Shown.line(name.description, limit: 160)), which is not unique: give "
                    + "it a unique key and correct `to`, or several users' rows would be found")
            return question
        }
        if !others.isEmpty {
            let names = others.map { "\($0.count) of \(Shown.line($0.key.description, limit: 160))" }
            question.add(
                "they are also values of other keys (\(names.joined(separator: ", "))): correct `to` if one of those "
                    + "is meant")
        }
        if best.count == 0 {
            question.answers =
                question.answers.filter { $0 == .unrelated } + question.answers.filter { $0 != .unrelated }
        }
        return question
    }

    private typealias FoundKey = (key: ColumnName, count: Int, total: Int)

    /// The subject's unique key that most values are in, and the others with such values; `nil` if the link's target
    /// does not exist.
    private func keys(
        of values: SampledValues, _ short: Set<String>, _ link: Link, _ table: SchemaTable, _ context: CheckContext,
        _ probe: SampleProbe
    ) async throws -> (best: FoundKey, others: [FoundKey])? {
        let drafted = ColumnName(link.target, link.targetColumns[0])
        guard let first = try await count(of: values, short, in: drafted, context, probe) else { return nil }
        // Counted numbers of different columns are the same small numbers: a few values more prove nothing.
        let kind = context.map.column(drafted.table, drafted.column)?.kind
        let isDense = (kind == .integer || kind == .number) && first.count * 2 >= first.total
        var best: FoundKey = (drafted, first.count, first.total)
        var others: [FoundKey] = []
        for key in targets(of: link, table, context) {
            guard let found = try await count(of: values, short, in: key, context, probe), found.count > 0 else {
                continue
            }
            let isNamed = SubjectTargets.isNamed(link.columns[0], after: key.column)
            let wasNamed = SubjectTargets.isNamed(link.columns[0], after: best.key.column)
            let isBetter = found.count > best.count && (!isDense || isNamed)
            if isBetter || found.count == best.count && isNamed && !wasNamed {
                if best.count > 0 { others.append(best) }
                best = (key, found.count, found.total)
            } else {
                others.append((key, found.count, found.total))
            }
        }
        return (best, others)
    }

    /// A name of the subject that is not unique and that most of the values are in.
    private func identifier(
        of values: SampledValues, _ short: Set<String>, _ context: CheckContext, _ probe: SampleProbe
    ) async throws -> (name: ColumnName, count: Int)? {
        var best: (name: ColumnName, count: Int)?
        for name in context.plan.subject.identifiers where !context.map.isUnique([name.column], in: name.table) {
            guard context.map.column(name.table, name.column)?.kind == .text,
                let found = try await count(of: values, short, in: name, context, probe),
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

    /// How many of the values are in a column, and how many could be by their type.
    private func count(
        of values: SampledValues, _ short: Set<String>, in key: ColumnName, _ context: CheckContext,
        _ probe: SampleProbe
    ) async throws -> (count: Int, total: Int)? {
        guard let column = context.map.column(key.table, key.column) else { return nil }
        let kind = column.kind
        switch kind {
        case .integer, .number:
            return (try await probe.present(values.integers, in: key).count, values.integers.count)
        case .uuid:
            return (try await probe.present(values.uuids, in: key, kind: kind).count, values.uuids.count)
        case .text:
            let texts = values.texts.union(short)
            let count =
                try await probe.present(values.uuids, in: key, kind: kind).count
                + (try await probe.matching(texts, inText: key, column).count)
            return (count, values.uuids.count + texts.count)
        default: return (0, 0)
        }
    }

    /// A number that SQLite keeps as text or as a fraction is compared as a whole number.
    private func whole(_ value: SQLValue) -> SQLValue {
        if case .double(let number) = value, let whole = Int64(exactly: number) { return .integer(whole) }
        if case .text(let text) = value, let whole = Int64(text) { return .integer(whole) }
        return value
    }

    /// The models by number that Django keeps in a table.
    private func contentTypes(_ context: CheckContext, _ probe: SampleProbe) async throws -> [String: String] {
        guard let table = context.map.listed.first(where: { $0.name.name == "django_content_type" }), table.isReadable,
            table["app_label"] != nil, table["model"] != nil, table["id"] != nil
        else { return [:] }
        let names = Set(context.map.listed.map(\.name.name))
        var found: [String: String] = [:]
        for row in try await probe.rows(of: table, columns: ["id", "app_label", "model"], limit: 10_000) {
            guard row.count == 3, let id = row[0].text, let app = row[1].text, let model = row[2].text else { continue }
            found[id] = names.contains("\(app)_\(model)") ? "\(app)_\(model)" : model
        }
        return found
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
