// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Decides by sampled values how a text column lists keys.
struct ListSampling {
    private let table: SchemaTable
    private let context: CheckContext
    private let probe: SampleProbe
    private let limit: Int

    init(_ table: SchemaTable, _ context: CheckContext, _ probe: SampleProbe, _ limit: Int) {
        self.table = table
        self.context = context
        self.probe = probe
        self.limit = limit
    }

    /// The question with the form that the values have; without a link if no form finds their members. `nil` if it is
    /// about no list in text.
    func sampled(_ question: PlanQuestion) async throws -> PlanQuestion? {
        guard let link = question.link, let form = link.list, form == .comma || form == .json, link.path.isEmpty,
            link.columns.count == 1, table[link.columns[0]]?.kind == .text
        else { return nil }
        let rows = try await probe.rows(of: table, columns: link.columns, limit: limit)
        let forms = rows.compactMap { $0.first?.text }.map(ListText.init).filter { $0 != .empty }
        guard let first = forms.first else { return question }
        var question = question
        let key = context.map.column(link.target, link.targetColumns[0])?.kind
        guard let found = first.form, forms.allSatisfy({ $0 == first }) else {
            // A name may contain any sign.
            guard key == .uuid || key == .integer else { return question }
            let other = forms.count { $0.form != form }
            let remedy = ListProbe.remedy(context.map.schema.dialect)
            return withoutLink(
                question,
                "\(other) of \(forms.count) sampled values are written in another way, in which no member is found. "
                    + remedy)
        }
        if found == .json, context.map.schema.dialect.failsOnOtherThanJSON {
            return withoutLink(question, "the sampled values are JSON in text; make the column jsonb, and add a link.")
        }
        question.link?.list = found
        // A computed column cannot lose its value.
        if table[link.columns[0]]?.isComputed != true { question.answers = [.reference, .unrelated] }
        return question
    }

    private func withoutLink(_ question: PlanQuestion, _ words: String) -> PlanQuestion {
        var question = question
        question.link = nil
        question.answers = [.unrelated]
        let reason = question.reason
        question.reason = (reason.hasSuffix(".") ? String(reason.dropLast()) : reason) + "; \(words)"
        return question
    }
}
