// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// PostgreSQL does not refuse the plan's changes because a publication sends them to other servers.
struct ReplicaIdentityCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        let emptied = Set(Emptying.all(context).map(\.table.name))
        return context.map.schema.tables.flatMap { table -> [Finding] in
            guard !table.changesRefusedForReplication.isEmpty else { return [] }
            let owner = context.map.listedName(of: table.name)
            guard let entry = context[owner] else { return [] }
            return table.changesRefusedForReplication.filter { change in
                change == "delete"
                    ? entry.rule.erasesRows
                    : emptied.contains(owner)
                        || entry.rule.rowsStay
                            && entry.columns.contains { $0.rule?.changesValue == true }
            }.map { finding($0, table, owner) }
        }
    }

    private func finding(_ change: String, _ table: SchemaTable, _ owner: TableName) -> Finding {
        let names = table.publications.map { Shown.name($0.name) }.joined(separator: ", ")
        let which = table.name == owner ? "this table" : "the partition \(Shown.name(table.name.description))"
        return Finding(
            "table.no-replica-identity", .error, table: owner,
            "A publication\(names.isEmpty ? "" : " (\(names))") sends each \(change) of \(which) to other servers, but "
                + "cannot identify the row: PostgreSQL refuses the \(change).",
            remedy:
                "Give the table a primary key, or run ALTER TABLE … REPLICA IDENTITY FULL, or take the table or its "
                + "\(change)s out of the publication.")
    }
}
