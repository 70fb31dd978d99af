// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Columns that name a user inside a longer value, such as `principals/users/alice`. No link compares a part of a
/// value.
enum PersonPaths {
    private static let nouns: Set<String> = [
        "user", "owner", "principal", "author", "actor", "member", "person", "sender", "creator",
    ]

    /// Whether a name is that of such a value: `principaluri`, `owner_uri`.
    static func areNamed(_ words: [String]) -> Bool {
        guard let last = words.last, last.hasSuffix("uri") else { return false }
        let noun: String? = last == "uri" ? words.dropLast().last : String(last.dropLast(3))
        return noun.map { nouns.contains($0) } ?? false
    }

    /// `token_uri` of a service for sign-in: beside such columns, `user_uri` is one of its addresses.
    private static func isOfService(_ column: SchemaColumn) -> Bool {
        let words = PersonNames.words(column.name)
        return words.count > 1 && words.last == "uri" && !areNamed(words)
    }

    /// The question about a table that nothing links to a user.
    static func question(_ table: SchemaTable, users: TableName) -> PlanQuestion? {
        guard table.kind == .table || table.kind == .partitioned, !table.columns.contains(where: isOfService),
            let column = table.columns.first(where: { column in
                column.kind == .text && column.labels == nil && areNamed(PersonNames.words(column.name))
            })
        else { return nil }
        return PlanQuestion(
            table: table.name, columns: [column.name],
            reason: "\(Shown.line(column.name, limit: 80)) contains URIs that may name users, and nothing links these "
                + "rows to \(Shown.line(users.description, limit: 120)): no link compares a part of a value, so an "
                + "erasure keeps them; if they are a user's, add a computed column with the user's key, and give the "
                + "table a rule and a link from that column instead of an answer.",
            answers: [.unrelated])
    }
}
