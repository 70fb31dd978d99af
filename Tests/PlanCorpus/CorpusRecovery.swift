// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// How well links are found again in a schema whose keys were dropped (PL-7): a draft's proposals beside the knowledge of the schema's
/// author.
package struct CorpusRecovery: Sendable {
    /// Links that name a subject directly, and how many of them the draft has, as links or as questions.
    package private(set) var direct = 0
    package private(set) var directFound = 0
    /// Links that name something of a subject's.
    package private(set) var indirect = 0
    package private(set) var indirectFound = 0
    /// Links and questions that the draft proposes, and how many of them lead where the author says.
    package private(set) var proposed = 0
    package private(set) var proposedRightly = 0
    /// Links that the draft takes for granted although the author knows none such: `table.column`.
    package private(set) var wronglyAccepted: [String] = []
    /// Direct links that the draft does not have: `table.column`.
    package private(set) var missed: [String] = []
    /// Proposals that lead where the author says nothing of: `table.column -> target`.
    package private(set) var surplus: [String] = []

    package init() {}

    package init(of draft: Plan, for schema: CorpusSchema, _ dialect: SQLDialect) {
        let author = CorpusAuthor(schema, dialect)
        let accepted = draft.tables.flatMap { entry in entry.links.map { (entry.table, $0) } }
        let asked = draft.questions.flatMap { question in question.links.map { (question.table, $0) } }
        for known in author.links {
            let table = schema.tableName(known.table, dialect)
            let isFound = (accepted + asked).contains { place, link in
                place == table && link.columns == known.link.columns && link.path == known.link.path
                    && author.leadsAlike(link, known)
            }
            if known.isDirect {
                direct += 1
                directFound += isFound ? 1 : 0
                if !isFound { missed.append(Self.words(known)) }
            } else {
                indirect += 1
                indirectFound += isFound ? 1 : 0
            }
        }
        for (table, link) in accepted + asked {
            let isRight = author.known(table, link.columns).contains { author.leadsAlike(link, $0) }
            proposed += 1
            proposedRightly += isRight ? 1 : 0
            if !isRight { surplus.append(Self.words(table, link)) }
        }
        for (table, link) in accepted where link.onDelete == nil {
            let isRight = author.known(table, link.columns).contains { known in
                author.agree(link, known) && (link.isReference || known.lead.owns)
            }
            if !isRight { wronglyAccepted.append(Self.words(table, link)) }
        }
    }

    private static func words(_ known: CorpusAuthor.Known) -> String {
        let condition = known.lead.condition.map { " when \($0.column) = '\($0.value)'" } ?? ""
        return "\(known.table).\(known.lead.columns.joined(separator: "+"))\(condition)"
    }

    private static func words(_ table: TableName, _ link: Link) -> String {
        "\(table.name).\(link.columns.joined(separator: "+")) -> \(link.target.name)"
    }

    package static func + (left: CorpusRecovery, right: CorpusRecovery) -> CorpusRecovery {
        var sum = left
        sum.direct += right.direct
        sum.directFound += right.directFound
        sum.indirect += right.indirect
        sum.indirectFound += right.indirectFound
        sum.proposed += right.proposed
        sum.proposedRightly += right.proposedRightly
        sum.wronglyAccepted += right.wronglyAccepted
        sum.missed += right.missed
        sum.surplus += right.surplus
        return sum
    }

    /// The share of the direct links that was found.
    package var recall: Double { direct == 0 ? 1 : Double(directFound) / Double(direct) }

    /// The share of the links through other tables that was found.
    package var indirectRecall: Double { indirect == 0 ? 1 : Double(indirectFound) / Double(indirect) }

    /// The share of the proposals that lead where the author says.
    package var precision: Double { proposed == 0 ? 1 : Double(proposedRightly) / Double(proposed) }
}
