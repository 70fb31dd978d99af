// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

extension PlanDraft {
    /// The draft with `export: no` for the secrets of its personal tables, and of those about which it asks.
    func withholdingSecrets(_ map: SchemaMap) -> PlanDraft {
        var draft = self
        let asked = Set(plan.questions.map(\.table))
        for place in draft.plan.tables.indices {
            let entry = draft.plan.tables[place]
            guard entry.rule.isPersonal || asked.contains(entry.table), let table = map[entry.table] else { continue }
            for column in entry.columns.indices {
                guard let found = table[entry.columns[column].name],
                    SecretColumns.isOne(found) || SecretColumns.isKept(found, in: entry.table)
                else { continue }
                draft.plan.tables[place].columns[column].export = false
            }
        }
        return draft
    }
}
