// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

extension DraftedQuestions {
    /// JSON documents whose members may be named by users' keys, such as the `reactions` to a message. No link finds
    /// these keys, so the question only names them.
    func documents(_ table: SchemaTable, _ questions: [PlanQuestion]) -> [PlanQuestion] {
        guard table.kind != .materializedView, !isSubject(table.name) else { return [] }
        let asked = Set(questions.flatMap(\.columns))
        return table.columns.filter { !asked.contains($0.name) && Self.mayBeByUser($0) }.map { column in
            PlanQuestion(
                table: table.name, columns: [column.name],
                reason: "\(Shown.line(column.name, limit: 120)) may be a document with a member for each user, named "
                    + "by the user's key, and no link finds such keys; if so, keep the members as rows of a table, or "
                    + "give the column a rule.",
                answers: [.unrelated])
        }
    }

    /// Whether a document, by its name and its default, has a member for each user who did something.
    private static func mayBeByUser(_ column: SchemaColumn) -> Bool {
        guard column.kind == .json, !column.isComputed else { return false }
        let name = KeyName(column.name)
        if name.words == ["reactions"] { return true }
        guard LiteralDefault.text(column.defaultExpression) == "{}" else { return false }
        return name.endsInDeed || PersonNoun.isListed(name.words) || name.words.last.map(deeds.contains) ?? false
    }

    private static let deeds: Set<String> = [
        "reactions", "votes", "likes", "rsvps", "receipts", "ratings", "scores", "approvals", "cursors", "reads",
    ]
}
