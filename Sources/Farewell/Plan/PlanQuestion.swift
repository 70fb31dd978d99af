// SPDX-License-Identifier: Apache-2.0

/// Something that `farewell init` could not read from the schema, and that the author of the plan must decide.
///
/// A guess deletes nothing: an open question has no effect on any row, and no run starts while one is open. The answer
/// is written beside the question in the plan file and is applied when the file is read.
public struct PlanQuestion: Sendable, Hashable {
    /// The role of the link in question for its rows.
    public enum Answer: String, Sendable, Hashable, CaseIterable {
        /// The link is right, and the rows are the subject's.
        case owner
        /// The link is right, but the rows belong to others and stay; they lose this value.
        case reference
        /// The rows belong to the subject and stay; the values become null, or another one replaces them.
        case anonymise
        /// The columns do not lead to a person.
        case unrelated = "not personal"

        /// The effect of the answer on the rows, as plan files and `farewell decide` explain it.
        public var meaning: String {
            switch self {
            case .owner: "the rows belong to the subject and are deleted"
            case .reference: "the rows belong to other users and are kept without this value"
            case .anonymise: "the rows describe the subject and are kept without these values"
            case .unrelated: "the value does not identify a person"
            }
        }

        /// A line for each answer: its word and its meaning, in columns.
        public static var legend: [String] {
            let width = allCases.map(\.rawValue.count).max() ?? 0
            return allCases.map { answer in
                answer.rawValue + String(repeating: " ", count: width + 2 - answer.rawValue.count) + answer.meaning
            }
        }
    }

    public var table: TableName
    /// The columns that the question is about; at least one.
    public var columns: [String]
    /// The reason for the question: one sentence, without values of rows.
    public var reason: String
    /// The link that the answers `owner` and `reference` declare; `nil` where only `not personal` can be answered, or
    /// a rule in the table's entry.
    public var link: Link?
    /// Further links that the same answer declares, each to another table: of a column beside which another one gives
    /// the table. Empty without `link`.
    public var others: [Link]
    /// The link that finds the subject's rows for the answer `anonymise`; `nil` where that is no answer.
    public var through: Link?
    /// The expression that the answer `anonymise` writes in place of the values; `nil`: null.
    public var replacement: String?
    /// The possible answers.
    public var answers: [Answer]
    /// `nil`: open.
    public var answer: Answer?
    /// Whether the answer only follows from other answers (`implied` in plan files). If those change, the question is
    /// asked again.
    public var isImplied = false

    public init(
        table: TableName, columns: [String], reason: String, link: Link? = nil,
        answers: [Answer] = [.owner, .reference, .unrelated], answer: Answer? = nil, others: [Link] = [],
        through: Link? = nil, replacement: String? = nil
    ) {
        self.table = table
        self.columns = columns
        self.reason = reason
        self.link = link
        self.answers = answers
        self.answer = answer
        self.others = others
        self.through = through
        self.replacement = replacement
    }

    /// Whether the question has what an answer declares: each but `not personal` needs a link.
    package func declares(_ answer: Answer) -> Bool {
        switch answer {
        case .owner, .reference: link != nil
        case .anonymise: through != nil
        case .unrelated: true
        }
    }

    /// All links that the answers `owner` and `reference` declare.
    public var links: [Link] { (link.map { [$0] } ?? []) + others }

    public var isOpen: Bool { answer == nil }
}
