// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The columns of the subject's table that may be the target of a link that no key declares: each identifies one
/// subject, and its values fit the linking column.
struct SubjectTargets {
    private let columns: [SchemaColumn]
    private let dialect: SQLDialect

    init(_ map: SchemaMap, _ subject: SubjectRoot) {
        dialect = map.schema.dialect
        let bound = Set(map.keys(of: subject.table).flatMap(\.key.columns))
        columns = (map[subject.table]?.columns ?? []).filter { column in
            guard column.labels == nil, column.looseEquality == nil, !bound.contains(column.name),
                map.isUnique([column.name], in: subject.table)
            else { return false }
            return [.integer, .number, .uuid, .text].contains(column.kind)
        }
    }

    /// The possible targets of a column, in the table's order.
    func of(_ column: SchemaColumn) -> [SchemaColumn] {
        columns.filter { KeyFit.of(column, $0, in: dialect) != nil }
    }

    /// Whether the name of a column ends with that of a key: `invoice_customer_no` with `customer_no`, not with `no`.
    static func isNamed(_ column: String, after key: String) -> Bool {
        let words = PersonNames.words(key)
        return words.count > 1 && PersonNames.words(column).suffix(words.count).elementsEqual(words)
    }
}
