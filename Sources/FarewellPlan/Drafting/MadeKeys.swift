// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Texts that hold keys which programs made, such as UUIDs where the database has no type for them. Such a column needs
/// no name like that of a key, as one of a type for UUIDs needs none.
struct MadeKeys {
    /// The subjects' key, if it is such a text.
    private let key: SchemaColumn?

    init(_ map: SchemaMap, subject: SubjectRoot) {
        key = map[subject.table].flatMap { table in
            table[subject.key].flatMap { Self.isMade($0, in: table) ? $0 : nil }
        }
    }

    /// Whether subjects' keys are such texts.
    var areSubjects: Bool { key != nil }

    /// Whether a text may hold keys of subjects by its values; where none was read, by its type, unless it has the name
    /// of a text.
    func mayBeIn(_ column: SchemaColumn) -> Bool {
        guard let key, column.kind == .text, column.labels == nil, !column.isComputed else { return false }
        switch column.sampledText {
        case .keys?: return true
        case .lists?, .other?: return false
        case nil:
            return column.type.lowercased() == key.type.lowercased()
                && !SuspectedLinks.isText(EnglishNoun.singular(PersonNames.words(column.name).last ?? ""))
        }
    }

    /// Whether rows, the length, the default or a check say that a text is a UUID or the like.
    private static func isMade(_ column: SchemaColumn, in table: SchemaTable) -> Bool {
        guard column.kind == .text, column.labels == nil else { return false }
        if let sampled = column.sampledText { return sampled == .keys }
        if column.maximumLength == lengthOfUUID { return true }
        let made = (column.qualifiedDefault ?? "").lowercased()
        if makers.contains(where: { made.contains($0) }) { return true }
        return table.checks.contains { check in
            guard check.columns == [column.name] else { return false }
            let words = check.condition.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "_" }
            return words.contains { $0 == "length" || $0 == "char_length" } && words.contains("\(lengthOfUUID)")
        }
    }

    private static let lengthOfUUID = 36
    /// Functions whose values are keys: `lower(hex(randomblob(16)))`, `gen_random_uuid()::text`.
    private static let makers = ["uuid", "randomblob(", "ulid(", "cuid(", "nanoid("]
}
