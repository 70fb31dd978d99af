// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The columns of which the author of a plan has written that they lead to no person, and not as the answer of a
/// question.
struct StatedColumns {
    private let entries: [TableName: TablePlan]
    private let asked: [TableName: [PlanQuestion]]

    init(_ entries: [TableName: TablePlan], asked: [TableName: [PlanQuestion]]) {
        (self.entries, self.asked) = (entries, asked)
    }

    func contains(_ columns: [String], of table: TableName) -> Bool {
        // Of rows that stay without their link, the draft gives every column that rule.
        guard let entry = entries[table], !entry.rule.isPersonal || entry.rule.erasesRows,
            !(asked[table] ?? []).contains(where: { $0.columns == columns })
        else { return false }
        let settled = Set(entry.columns.filter { $0.rule?.isNotPersonal == true }.map(\.name))
        return !settled.isDisjoint(with: columns)
    }
}
