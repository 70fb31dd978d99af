// SPDX-License-Identifier: Apache-2.0
public import Farewell

extension Plan {
    /// The plan with the answers of its questions applied to its tables. Applying them twice changes nothing.
    public func answered() -> Plan {
        guard questions.contains(where: { !$0.isOpen }) else { return self }
        var plan = self
        let places = Dictionary(tables.indices.map { (tables[$0].table, $0) }, uniquingKeysWith: { first, _ in first })
        var touched: Set<Int> = []
        for question in questions {
            guard let answer = question.answer, let place = places[question.table] else { continue }
            plan.tables[place].apply(answer, of: question)
            touched.insert(place)
        }
        for place in touched where tables[place].table != subject.table { plan.tables[place].settleRule() }
        return plan
    }
}

extension TablePlan {
    fileprivate mutating func apply(_ answer: PlanQuestion.Answer, of question: PlanQuestion) {
        switch answer {
        case .unrelated:
            links.removeAll { question.columns == $0.columns && $0.onDelete == nil }
            for place in columns.indices where question.columns.contains(columns[place].name) {
                columns[place].rule = .notPersonal
            }
        case .owner: for link in question.links { declare(link, as: .owner) }
        case .reference: for link in question.links { declare(link, as: .reference) }
        }
    }

    private mutating func declare(_ link: Link, as role: Link.Role) {
        var link = link
        link.role = role
        // Only a reference is replaced.
        if role == .owner { link.replacement = nil }
        let same = links.firstIndex {
            $0.columns == link.columns && $0.path == link.path && $0.target == link.target
                && $0.targetColumns == link.targetColumns && $0.condition == link.condition
        }
        if let same { links[same] = link } else { links.append(link) }
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
