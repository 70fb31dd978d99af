// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Asks about the messages of the app's queues. An extension makes a table for each queue, and the app writes documents
/// into it: no name in the schema shows that they name users.
struct QueuedMessages {
    let root: SubjectRoot
    let map: SchemaMap

    /// One question for each column that contains what the app sends.
    func questions(_ table: SchemaTable) -> [PlanQuestion] {
        guard let queues = VendorProfile.queues.first(where: { $0.isQueue(table) }) else { return [] }
        let key = ColumnName(root.table, root.key)
        let isFound = map.column(key.table, key.column).map { map.schema.dialect.holdsUUIDs($0.kind) } ?? false
        return queues.contents.filter { table[$0]?.kind == .json }.map { column in
            let reason = "\(column) contains what the app sends by \(queues.title); it may name users"
            guard isFound else {
                return PlanQuestion(
                    table: table.name, columns: [column],
                    reason: "\(reason). If it does, add a link with the path to the user's key.", answers: [.unrelated])
            }
            var link = Link(columns: [column], target: key.table, targetColumns: [key.column])
            link.list = .uuids
            return PlanQuestion(
                table: table.name, columns: [column],
                reason: "\(reason). `owner` deletes every message that contains the user's key.", link: link,
                answers: [.owner, .unrelated])
        }
    }
}
