// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

/// Remembers which tables were changed together, to find the table whose triggers changed another one besides.
struct RehearsalCauses {
    /// The changes of each effect, and its tables.
    private var notes: [(tables: [TableName], changes: [TableName: RowChanges])] = []

    mutating func note(_ changes: [TableName: RowChanges], of tables: [TableName]) {
        if !changes.isEmpty { notes.append((tables, changes)) }
    }

    /// The effects that the plan may declare to permit these differences; none for differences that no trigger
    /// explains.
    func effects(explaining differences: [ChangeDifference], in prepared: PreparedPlan) -> [TriggerEffect] {
        var effects: [TriggerEffect] = []
        for difference in differences where difference.excess > 0 {
            guard let cause = cause(of: difference, in: prepared) else { continue }
            let rows = notes.reduce(0) { sum, note in
                sum + (note.changes[cause].map { $0.inserted + $0.updated + $0.deleted } ?? 0)
            }
            let bound: TriggerEffect.Bound = rows == 0 ? .any : .perRow((difference.excess + rows - 1) / rows)
            let place = effects.firstIndex { $0.table == cause && $0.also == difference.table }
            var effect = place.map { effects[$0] } ?? TriggerEffect(on: cause, also: difference.table)
            switch difference.kind {
            case .inserted: effect.inserts = bound
            case .updated: effect.updates = bound
            case .deleted: effect.deletes = bound
            }
            if let place { effects[place] = effect } else { effects.append(effect) }
        }
        return effects
    }

    /// The triggers of the tables whose triggers explain differences, by name: those that name the other table, if any
    /// does.
    static func triggers(behind effects: [TriggerEffect], in prepared: PreparedPlan) -> [String] {
        var names: [String] = []
        for effect in effects {
            guard let table = prepared.schema[effect.table] else { continue }
            let naming = table.triggers.filter { $0.definition.contains(effect.also.name) }
            for trigger in naming.isEmpty ? table.triggers : naming {
                let name = "\(Shown.name(trigger.name)) of \(Shown.name(table.name.description))"
                if !names.contains(name) { names.append(name) }
            }
        }
        return names
    }

    /// The table with the responsible trigger: of the tables that were changed together with it and have triggers, one
    /// whose trigger names it; otherwise one in the erasure's own statement; otherwise any.
    private func cause(of difference: ChangeDifference, in prepared: PreparedPlan) -> TableName? {
        let together = notes.filter { ($0.changes[difference.table]?[difference.kind] ?? 0) > 0 }
        let tables = Set(together.flatMap { Array($0.changes.keys) + $0.tables })
        let own = Set(together.flatMap(\.tables))
        let candidates = prepared.schema.tables.filter { table in
            tables.contains(table.name)
                && table.triggers.contains { !Set($0.events).isDisjoint(with: ["insert", "update", "delete"]) }
        }
        let naming = candidates.filter { table in
            table.triggers.contains { $0.definition.contains(difference.table.name) }
        }
        return (naming.first ?? candidates.first { own.contains($0.name) } ?? candidates.first)?.name
    }
}

extension RowChanges {
    fileprivate subscript(kind: ChangeDifference.Kind) -> Int {
        switch kind {
        case .inserted: inserted
        case .updated: updated
        case .deleted: deleted
        }
    }
}
