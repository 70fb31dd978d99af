// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The tables that by their keys hold at most one row for each subject: the subject's own, `profiles` with a unique
/// `user_id`, and tables with one row for each of these.
enum PersonTables {
    static func of(_ subject: SubjectRoot, _ map: SchemaMap) -> Set<TableName> {
        var found: Set<TableName> = [subject.table]
        var open = [subject.table]
        while let target = open.popLast() {
            for key in map.keys(to: target)
            where key.key.isPaired && !PlanReach.empties(key.key) && map.isUnique(key.key.columns, in: key.table) {
                if found.insert(key.table).inserted { open.append(key.table) }
            }
        }
        return found
    }
}
