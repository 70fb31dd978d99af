// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The link by which rows with a pair of columns, such as `target_type` and `target_id`, lead to the rows of one table.
enum PairLink {
    /// - Parameters:
    ///   - column: The column that holds the key.
    ///   - table: The table of the pair.
    /// - Returns: Without its condition; `nil` if the column cannot hold the key of the target. Of a key of several
    ///   columns, the row needs the others as well: `tenant_id` beside `target_id` for `posts (tenant_id, id)`.
    static func of(
        _ column: SchemaColumn, in table: SchemaTable, to target: TableName, subject: SubjectRoot, _ map: SchemaMap
    ) -> Link? {
        guard let parent = map[target] else { return nil }
        let dialect = map.schema.dialect
        let isSubject = target == subject.table
        let key = isSubject ? subject.key : parent.primaryKey.first { map.isUnique([$0], in: target) }
        if let key, let own = map.column(target, key), map.isUnique([key], in: target) {
            guard KeyFit.of(column, own, in: dialect) != nil else { return nil }
            return Link(columns: [column.name], target: target, targetColumns: [key])
        }
        guard !isSubject, let repeated = RepeatedKey(named: column, in: table, of: parent, dialect),
            let columns = repeated.columns
        else { return nil }
        // The user of the row here need not be the user of the row there.
        let isOfUser = zip(columns, repeated.parts).contains { here, there in
            here == there && parent.foreignKeys.contains { $0.target == subject.table && $0.columns == [there] }
        }
        return isOfUser ? nil : Link(columns: columns, target: target, targetColumns: repeated.parts)
    }
}
