// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellPlan
import FarewellSQL

/// Decides as the schema's author would: answers the questions of a draft, and adds what the draft does not know.
package struct CorpusAuthor: Sendable {
    private let schema: CorpusSchema
    private let dialect: SQLDialect

    package init(_ schema: CorpusSchema, _ dialect: SQLDialect) {
        self.schema = schema
        self.dialect = dialect
    }

    /// A link as the author knows it, beside the table whose rows it finds.
    package struct Known: Sendable {
        package var table: String
        package var lead: CorpusLead
        package var link: Link

        /// Whether the value is the subject's key or another name of the subject.
        package var isDirect = false
    }

    /// Every link that leads to a person, in the order of the schema.
    package var links: [Known] {
        schema.tables.flatMap { table in
            table.leads.filter { $0.kind != .about }.map { lead in
                var known = Known(table: table.name, lead: lead, link: link(lead, of: table))
                known.isDirect = lead.target == schema.subject.table
                return known
            }
        }
    }

    private func link(_ lead: CorpusLead, of table: CorpusTable) -> Link {
        let type = table.columns.first { $0.name == lead.columns[0] }?.type ?? ""
        var link = Link(
            columns: lead.columns, target: schema.tableName(lead.target, dialect), targetColumns: lead.targetColumns,
            shared: lead.owns ? .erase : nil, role: lead.owns ? .owner : .reference)
        if let condition = lead.condition {
            link.condition = LinkCondition([.init(column: condition.column, values: [condition.value])])
        }
        if lead.form == .list { link.list = type.hasSuffix("[]") && dialect == .postgresql ? .array : .json }
        if case .path(let path) = lead.form { link.path = path }
        link.replacement = lead.otherwise
        return link
    }

    /// Whether two links say the same: by equal columns, to the same rows.
    package func agree(_ link: Link, _ known: Known) -> Bool {
        guard link.columns == known.link.columns, link.path == known.link.path,
            link.condition.isEmpty == known.link.condition.isEmpty
        else { return false }
        let values = Set(known.link.condition.parts.flatMap(\.values))
        guard values.isSubset(of: link.condition.parts.flatMap(\.values)) else { return false }
        return leadsAlike(link, known)
    }

    /// Whether two links lead to the same place, whatever their conditions say.
    package func leadsAlike(_ link: Link, _ known: Known) -> Bool {
        if link.target == known.link.target, link.targetColumns == known.link.targetColumns { return true }
        let target = schema.tables.first { schema.tableName($0.name, dialect) == link.target }
        return known.isDirect && known.lead.targetColumns == [schema.subject.column]
            && target.map { schema.isSubjectKey($0.name, link.targetColumns) } == true
    }

    /// The author's knowledge about these columns of a live table.
    package func known(_ table: TableName, _ columns: [String]) -> [Known] {
        links.filter { schema.tableName($0.table, dialect) == table && $0.link.columns == columns }
    }

    // MARK: Deciding

    /// The draft with its questions answered. A question that the author would put otherwise is answered by
    /// `not personal`; `completed` adds the right link then.
    package func answered(_ draft: Plan) -> Plan {
        var plan = draft
        for place in plan.questions.indices {
            let question = plan.questions[place]
            let right = question.links.compactMap { link in
                known(question.table, link.columns).first { agree(link, $0) }
            }
            // Where one answer does not suit all tables, the author writes the links.
            let owns = Set(right.map(\.lead.owns))
            let answer: PlanQuestion.Answer = owns == [true] ? .owner : owns == [false] ? .reference : .unrelated
            plan.questions[place].answer = answer
        }
        return plan.answered()
    }

    /// The plan with every link that the author knows and no other, and rules to match.
    package func completed(_ answered: Plan, _ live: Schema) -> Plan {
        var plan = answered
        let tables = Dictionary(live.tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for place in plan.tables.indices {
            let name = plan.tables[place].table
            plan.tables[place].links = links.filter { schema.tableName($0.table, dialect) == name }.map { known in
                plan.tables[place].links.first { agree($0, known) }.map { decided($0, known) }
                    ?? declared(known.link, in: tables[name])
            }
            guard name != plan.subject.table else { continue }
            settle(&plan.tables[place])
        }
        // Every link is there: what the answers lead to as well says nothing new.
        plan.questions += FollowingQuestions.of(plan, live).map { question in
            var question = question
            (question.answer, question.isImplied) = (.unrelated, false)
            return question
        }
        return plan
    }

    /// A link of the draft, with what the author says of it.
    private func decided(_ link: Link, _ known: Known) -> Link {
        var link = link
        link.role = known.link.role
        link.shared = known.link.shared
        link.replacement = known.link.replacement
        link.list = known.link.list
        return link
    }

    /// A link that the draft does not have, with the action of the database's key where there is one.
    private func declared(_ link: Link, in table: SchemaTable?) -> Link {
        var link = link
        let key = table?.foreignKeys.first { $0.columns == link.columns && $0.target == link.target }
        link.onDelete = key?.onDelete
        return link
    }

    private func settle(_ entry: inout TablePlan) {
        let rule: Rule =
            entry.links.contains { !$0.isReference } ? .erase : entry.links.isEmpty ? .notPersonal : .anonymise
        entry.rule = rule
        for place in entry.columns.indices { entry.columns[place].rule = rule == .erase ? nil : .notPersonal }
    }
}
