// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// A column that no key binds but whose name and type speak of the person, or of something of the person's.
struct SuspectedLink {
    let column: SchemaColumn
    let link: Link
    /// `nil` when the name speaks of a reached table instead of a person.
    let role: PersonNames.Role?
    /// Whether the type is that of the key; else the name alone speaks.
    let typeFits: Bool

    /// The suspected links of one table to the subject and to the tables reached so far.
    ///
    /// - Parameter reached: for each reached table with a key of one column, by `PersonNames.stem(ofTable:)`.
    static func all(
        in table: SchemaTable, bound: Set<String>, subject: SubjectRoot, reached: [String: TableName], map: SchemaMap
    ) -> [SuspectedLink] {
        guard let subjectKey = map.column(subject.table, subject.key) else { return [] }
        return table.columns.compactMap { column in
            guard !bound.contains(column.name), !column.isGenerated else { return nil }
            if let role = PersonNames.role(column.name) {
                let typeFits = fits(column, subjectKey)
                guard typeFits || couldHoldAsText(column, subjectKey) else { return nil }
                let link = Link(columns: [column.name], target: subject.table, targetColumns: [subject.key])
                return SuspectedLink(column: column, link: link, role: role, typeFits: typeFits)
            }
            guard let stem = PersonNames.stem(column.name), let target = reached[stem], target != table.name,
                let key = map[target]?.primaryKey.first, let keyColumn = map.column(target, key),
                fits(column, keyColumn)
            else { return nil }
            let link = Link(columns: [column.name], target: target, targetColumns: [key])
            return SuspectedLink(column: column, link: link, role: nil, typeFits: true)
        }
    }

    /// Same kind; and a text key only behind a name that ends as a key does, because `author` is often a name.
    private static func fits(_ column: SchemaColumn, _ key: SchemaColumn) -> Bool {
        if column.kind == .text, key.kind == .text { return PersonNames.endsAsKey(column.name) }
        if column.kind == .integer, key.kind == .number { return true }
        return column.kind == key.kind && column.kind != .other
    }

    private static func couldHoldAsText(_ column: SchemaColumn, _ key: SchemaColumn) -> Bool {
        column.kind == .text && [.uuid, .integer, .text].contains(key.kind)
    }
}
