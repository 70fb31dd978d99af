// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The unique keys of the subject to which the link in a question may lead: `users.id`, `users.uuid`, `users.username`.
package struct LinkTargets {
    private let map: SchemaMap
    private let subject: SubjectRoot
    private let targets: SubjectTargets

    package init(_ plan: Plan, _ schema: Schema) {
        self.init(SchemaMap(schema), plan.subject)
    }

    init(_ map: SchemaMap, _ subject: SubjectRoot) {
        self.map = map
        self.subject = subject
        targets = SubjectTargets(map, subject)
    }

    /// The columns that an author can choose, the likeliest first: the link's own, then those of the column's type,
    /// then the others. Empty unless there are several.
    package func of(_ question: PlanQuestion) -> [ColumnName] {
        guard let link = question.link, question.others.isEmpty, link.onDelete == nil, link.list == nil,
            link.path.isEmpty, link.condition.isEmpty, link.columns.count == 1, link.target == subject.table,
            !link.isOwnedParent, let column = map.column(question.table, link.columns[0])
        else { return [] }
        let found = likely(column, besides: link.targetColumns[0])
        return found.isEmpty ? [] : (link.targetColumns + found).map { ColumnName(subject.table, $0) }
    }

    /// Numbers are no tokens, whatever types the database enforces.
    private func isOfAnotherType(_ key: SchemaColumn, _ column: SchemaColumn) -> Bool {
        key.kind == .text && (column.kind == .integer || column.kind == .number)
    }

    /// Whether a key of users is a secret or belongs to their devices: `password_reset_token_digest`, `webauthn_id`. No
    /// other table repeats it, except under its own name.
    private func isCredential(_ key: SchemaColumn, for column: SchemaColumn) -> Bool {
        guard !SubjectTargets.isNamed(column.name, after: key.name) else { return false }
        return SecretColumns.isOne(key) || PersonNames.words(key.name).contains(where: Self.devices.contains)
    }

    private static let devices: Set<String> = ["webauthn", "passkey", "fido", "u2f", "totp", "otp", "mfa"]

    /// The names of other keys of which a column may hold values, the likeliest first.
    func likely(_ column: SchemaColumn, besides chosen: String) -> [String] {
        let words = PersonNames.words(column.name)
        // `author_id` and numbers are no addresses.
        let isNumbered =
            column.kind == .integer || column.kind == .number
            || words.count > 1 && ["id", "uuid", "guid", "no", "number", "fk"].contains(words.last ?? "")
        let fitting = targets.of(column).filter { key in
            key.name != chosen && !isCredential(key, for: column)
                && !(isNumbered && (PersonNames.isIdentifier(key) || isOfAnotherType(key, column)))
        }
        func rank(_ key: SchemaColumn) -> Int {
            if SubjectTargets.isNamed(column.name, after: key.name) { return 0 }
            return KeyFit.of(column, key, in: map.schema.dialect) == .same ? 1 : 2
        }
        let ranked = fitting.enumerated().map { (rank: rank($1), place: $0, name: $1.name) }
        return ranked.sorted { ($0.rank, $0.place) < ($1.rank, $1.place) }.map(\.name)
    }
}
