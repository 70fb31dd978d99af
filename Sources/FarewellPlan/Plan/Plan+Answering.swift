// SPDX-License-Identifier: Apache-2.0
public import Farewell

extension Plan {
    /// The plan with the answers of its questions applied to its tables. Applying them twice changes nothing.
    public func answered() -> Plan {
        guard questions.contains(where: { !$0.isOpen }) else { return self }
        var plan = self
        let places = Dictionary(tables.indices.map { (tables[$0].table, $0) }, uniquingKeysWith: { first, _ in first })
        var touched: Set<Int> = []
        // Rows that an answer deletes lose no single values.
        let owned = Set(questions.filter { $0.answer == .owner }.map(\.table))
        for question in questions {
            guard let answer = question.answer, let place = places[question.table] else { continue }
            plan.tables[place].apply(answer, of: question)
            touched.insert(place)
        }
        for question in questions where question.answer == .anonymise {
            guard let place = places[question.table], !owned.contains(question.table) else { continue }
            plan.tables[place].removeValues(question)
        }
        for place in touched where tables[place].table != subject.table { plan.tables[place].settleRule() }
        return plan
    }
}

extension Link {
    /// Whether both lead from the same place to the same one, whatever they mean.
    fileprivate func isSame(as other: Link) -> Bool {
        columns == other.columns && path == other.path && target == other.target
            && targetColumns == other.targetColumns && condition == other.condition
    }
}

extension TablePlan {
    fileprivate mutating func apply(_ answer: PlanQuestion.Answer, of question: PlanQuestion) {
        switch answer {
        case .unrelated:
            links.removeAll { link in link.onDelete == nil && question.links.contains { link.isSame(as: $0) } }
            // A rule that the author gave to the column is the later word, and another answer may have linked it.
            let linked = Set(links.filter { $0.onDelete == nil }.flatMap(\.columns))
            for place in columns.indices
            where question.columns.contains(columns[place].name) && columns[place].rule?.changesValue != true
                && !linked.contains(columns[place].name)
            {
                columns[place].rule = .notPersonal
            }
        case .owner: for link in question.links { declare(link, as: .owner) }
        case .reference: for link in question.links { declare(link, as: .reference) }
        // After all others: only a link that the entry has finds rows.
        case .anonymise: break
        }
    }

    /// The rows that the link finds are the subject's, and stay without these values and the link's.
    fileprivate mutating func removeValues(_ question: PlanQuestion) {
        guard let through = question.through, !rule.erasesRows, rule.retention == nil,
            columns.contains(where: { question.columns.contains($0.name) }),
            let place = links.firstIndex(where: { $0.isSame(as: through) })
        else { return }
        links[place].role = .owner
        links[place].replacement = nil
        // A rule that the author gave to the column is the later word.
        for place in columns.indices where columns[place].rule?.changesValue != true {
            if question.columns.contains(columns[place].name) {
                columns[place].rule = question.replacement.map { .constant($0) } ?? .null
            } else if through.columns.contains(columns[place].name) {
                columns[place].rule = .null
            }
        }
    }

    private mutating func declare(_ link: Link, as role: Link.Role) {
        var link = link
        link.role = role
        // Only a reference is replaced.
        if role == .owner { link.replacement = nil }
        if let same = links.firstIndex(where: { $0.isSame(as: link) }) {
            links[same] = link
        } else {
            links.append(link)
        }
    }

    /// The rule that its links require: rows with an owner are erased, rows that are only referred to stay as they are.
    fileprivate mutating func settleRule() {
        let isOwned = links.contains { $0.role == .owner }
        let isOwning = links.contains { !$0.isReference && $0.shared != .unlink }
        guard !links.isEmpty, rule.retention == nil else { return }
        // A rule that the author gave to the columns of owned rows stays.
        let isUntouched = !columns.contains { $0.rule?.changesValue == true }
        if isOwned, !rule.erasesRows, isUntouched {
            rule = .erase
            for place in columns.indices { columns[place].rule = nil }
        } else if !rule.isPersonal || rule.erasesRows && !isOwning {
            rule = .anonymise
            // A rule that the author gave to a column of these rows stays.
            for place in columns.indices where columns[place].rule?.isNotPersonal != false {
                columns[place].rule = .notPersonal
            }
        }
    }
}
