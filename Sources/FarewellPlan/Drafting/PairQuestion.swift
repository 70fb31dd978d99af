// SPDX-License-Identifier: Apache-2.0
import Farewell

/// One question about a pair of columns of which one gives the table to which the other leads (`target_type` and
/// `target_id`), for all tables to which its rows may lead.
enum PairQuestion {
    /// Whether rows showed the tables to which a pair leads.
    static func isSampled(_ question: PlanQuestion) -> Bool { question.reason.contains("sampled value") }

    /// Whether a question is about a pair: each of its links is about the rows with certain words for a table, or there
    /// would be too many links.
    static func isOne(_ question: PlanQuestion) -> Bool {
        guard question.columns.count == 2 else { return false }
        return question.links.isEmpty
            ? question.reason.contains(" gives the table that ") : question.links.allSatisfy { !$0.condition.isEmpty }
    }

    /// The reason for a question about a pair.
    ///
    /// - Parameters:
    ///   - targets: The tables that the question is about; at least one.
    ///   - ending: Further words.
    static func reason(
        _ type: String, _ id: String, _ targets: [TableName], isSampled: Bool, _ ending: String = ""
    ) -> String {
        let names = targets.map { Shown.line($0.description, limit: 160) }
        let listed =
            names.count > 1
            ? "\(names.dropLast().joined(separator: ", ")) or \(names[names.count - 1])" : names.first ?? ""
        let one = names.count > 1 ? "; if the answer does not suit one of these tables, remove its link here" : ""
        return "\(Shown.line(type, limit: 120)) gives the table that \(Shown.line(id, limit: 120)) refers to; the "
            + "question concerns the rows where \(isSampled ? "sampled values name" : "that is") "
            + "\(listed)\(ending)\(one)."
    }

    /// One question instead of several about one pair, of which each is about another table, if they offer the same
    /// answers.
    static func together(
        _ questions: [PlanQuestion], _ type: String, _ id: String, isSampled: Bool, _ ending: String = ""
    ) -> [PlanQuestion] {
        let links = questions.flatMap(\.links)
        guard var question = questions.first, questions.count > 1, links.count == questions.count,
            questions.allSatisfy({ $0.answers == question.answers })
        else { return questions }
        question.others = Array(links.dropFirst())
        question.reason = reason(type, id, links.map(\.target), isSampled: isSampled, ending)
        return [question]
    }
}
