// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// An entry inside JSON can be removed from rows that stay (`role: reference` or `shared: unlink`, with a path).
struct EntryCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings(_ link: Link, of entry: TablePlan, _ table: SchemaTable) -> [Finding] {
        guard !link.path.isEmpty, link.list == nil, link.isReference || link.shared == .unlink,
            let name = link.columns.first, let column = table[name]
        else { return [] }
        if column.isGenerated {
            return [
                finding(
                    "column.generated", entry, name,
                    "The database computes this column; no entry can be removed from it.",
                    "Link its source column.")
            ]
        }
        if link.replacement != nil {
            return [
                finding(
                    "link.set-unfit", entry, name,
                    "`set` replaces a column's value, but this link names an entry in JSON.",
                    "Remove `set`: the erasure removes the entry, and the rest of the document stays.")
            ]
        }
        let escapes = context.map.schema.dialect.escapesMembers
        guard !escapes, link.path.contains(where: Self.isUnwritable) else { return [] }
        return [
            finding(
                "link.entry-unwritable", entry, name,
                "SQLite cannot remove an entry whose name contains a quote, a backslash or a control character.",
                "Keep the value in a separate column, or write `role: owner` with `shared: erase` if the rows are the "
                    + "subject's.")
        ]
    }

    private static func isUnwritable(_ member: String) -> Bool {
        member.unicodeScalars.contains { $0 == "\"" || $0 == "\\" || $0.value < 0x20 }
    }

    private func finding(
        _ code: Finding.Code, _ entry: TablePlan, _ column: String, _ message: String, _ remedy: String
    ) -> Finding {
        Finding(code, .error, table: entry.table, column: column, message, remedy: remedy)
    }
}
