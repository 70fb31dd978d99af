// SPDX-License-Identifier: Apache-2.0
import Farewell

extension Link {
    /// Leads to another column of the same table, which decides whether letter case matters.
    mutating func lead(to column: String, from table: TableName, of subject: SubjectRoot, _ map: SchemaMap) {
        targetColumns = [column]
        guard list == nil, path.isEmpty, columns.count == 1, let own = map.column(table, columns[0]),
            let key = map.column(target, column)
        else { return }
        ignoresCase = ContactColumns.areAddresses(own, key, of: subject, map)
    }
}
