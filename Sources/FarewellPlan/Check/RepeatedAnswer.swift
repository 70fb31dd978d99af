// SPDX-License-Identifier: Apache-2.0
import Farewell

/// A finding about a key that was answered with `not personal`, before another answer made the rows that it refers to
/// the subject's: the answer is to be changed, not the file.
struct RepeatedAnswer {
    private let answered: [TableName: [PlanQuestion]]

    init(_ plan: Plan) {
        let unrelated = plan.questions.filter { $0.answer == .unrelated && $0.link != nil }
        answered = Dictionary(grouping: unrelated, by: \.table)
    }

    static let codes: Set<String> = ["key.added", "key.cascades-into", "key.blocks", "key.leads-to-person"]

    /// The finding with the answer to change.
    func applied(to finding: Finding) -> Finding {
        guard Self.codes.contains(finding.code.rawValue), let table = finding.table, let column = finding.column,
            let question = answered[table]?.first(where: { $0.link?.onDelete != nil && $0.columns.first == column })
        else { return finding }
        let answers = question.answers.filter { $0 != .unrelated }.map(\.rawValue).joined(separator: " or ")
        guard !answers.isEmpty else { return finding }
        var finding = finding
        let columns = question.columns.joined(separator: ", ")
        finding.message += " The question about \(Shown.name(columns)) has the answer `not personal`."
        finding.remedy =
            "Change that answer to \(answers): farewell decide "
            + "\(ShellArgument.option("--table", table.description)) "
            + "\(ShellArgument.option("--column", columns)) --again --answer …"
        return finding
    }
}
