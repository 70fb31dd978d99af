// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

/// Remembers which tables were changed together, to find the tables whose triggers also changed another table.
struct ChangeCauses {
    /// The changes of each effect, and its tables.
    private var notes: [Note] = []

    private struct Note {
        let tables: [TableName]
        let changes: [TableName: RowChanges]
    }

    /// A trigger of a table, with its writes.
    private struct Trigger {
        let value: SchemaTrigger
        let writes: TriggerWrites
    }

    mutating func note(_ changes: [TableName: RowChanges], of tables: [TableName]) {
        if !changes.isEmpty { notes.append(Note(tables: tables, changes: changes)) }
    }

    /// The effects with which the plan would permit these differences, in place of its effects for the same tables. No
    /// effect permits a difference that no trigger explains.
    ///
    /// Triggers of several tables may write to one table, so a difference may need several effects.
    func effects(explaining differences: [ChangeDifference], in prepared: PreparedPlan) -> [TriggerEffect] {
        guard differences.contains(where: { $0.excess > 0 }) else { return [] }
        let triggers = Self.triggers(in: prepared.schema)
        var effects: [TriggerEffect] = []
        for difference in differences where difference.excess > 0 {
            var rest = difference.excess
            let explained = explained(difference, by: triggers, in: prepared)
            for (note, causes) in explained where rest > 0 {
                var rows = min(rest, undeclared(difference, in: note, prepared.plan.effects))
                guard rows > 0 else { continue }
                rest -= rows
                // A trigger for statements also fires where a key finds no row: its effects on all notes belong to the
                // rows of one.
                if causes.contains(where: { note.changes[$0] == nil }) {
                    let all = explained.filter { $0.causes == causes }.reduce(0) {
                        $0 + undeclared(difference, in: $1.note, prepared.plan.effects)
                    }
                    rows = max(rows, min(all, difference.excess))
                }
                let changed = causes.reduce(0) { $0 + self.rows(of: $1, in: note) }
                for cause in causes {
                    let isUnbounded = (triggers[cause] ?? []).contains {
                        $0.writes.isForStatement && $0.writes.contain(difference.kind.writing, difference.table)
                            || difference.kind == .deleted && $0.writes.empties(difference.table)
                    }
                    let bound: TriggerEffect.Bound =
                        changed == 0 || isUnbounded ? .any : .perRow((rows + changed - 1) / changed)
                    var effect = TriggerEffect(on: cause, also: difference.table)
                    effect[difference.kind] = bound
                    effects.append(effect)
                }
            }
        }
        return TriggerEffect.merged(effects).map { $0.beside(prepared.plan.effects) }
    }

    /// The names of the triggers behind the effects: of each table the triggers that visibly write to the other table,
    /// or all its triggers if none visibly does.
    static func triggers(behind effects: [TriggerEffect], in prepared: PreparedPlan) -> [String] {
        let all = triggers(in: prepared.schema)
        var names: [String] = []
        for effect in effects {
            let own = all[effect.table] ?? []
            let kinds = ChangeDifference.Kind.allCases.filter { effect[$0] != nil }
            let writing = own.filter { trigger in
                kinds.contains { trigger.writes.contain($0.writing, effect.also) }
            }
            for trigger in writing.isEmpty ? own : writing {
                let name = "\(Shown.name(trigger.value.name)) of \(Shown.name(effect.table.description))"
                if !names.contains(name) { names.append(name) }
            }
        }
        return names
    }

    private static func triggers(in schema: Schema) -> [TableName: [Trigger]] {
        var triggers: [TableName: [Trigger]] = [:]
        for table in schema.tables where !table.triggers.isEmpty {
            triggers[table.name] = table.triggers
                .filter { !Set($0.events).isDisjoint(with: ["insert", "update", "delete"]) }
                .map { Trigger(value: $0, writes: TriggerWrites($0)) }
        }
        return triggers
    }

    // MARK: Notes

    /// The notes with changed rows of the table, each with the tables that may be the cause. First come the notes in
    /// which a trigger visibly writes to the table and the erasure itself does not.
    private func explained(
        _ difference: ChangeDifference, by triggers: [TableName: [Trigger]], in prepared: PreparedPlan
    ) -> [(note: Note, causes: [TableName])] {
        let together = notes.filter { ($0.changes[difference.table]?[difference.kind] ?? 0) > 0 }
        var ranked: [(rank: Int, note: Note, causes: [TableName])] = []
        for note in together {
            let candidates = candidates(note, triggers, prepared)
            let naming = candidates.filter { table in
                firing(table, in: note, triggers).contains {
                    $0.writes.contain(difference.kind.writing, difference.table)
                }
            }
            let changed = naming.filter { note.changes[$0] != nil }
            let writing = changed.isEmpty ? naming : changed
            if !writing.isEmpty {
                ranked.append((note.tables.contains(difference.table) ? 1 : 0, note, writing))
            } else if let other = unread(difference.table, among: candidates, of: note, triggers) {
                ranked.append((2, note, [other]))
            }
        }
        return (0...2).flatMap { rank in ranked.filter { $0.rank == rank }.map { ($0.note, $0.causes) } }
    }

    /// The names of the tables whose triggers fired: the erasure changed their rows, or a statement that follows a key
    /// ran on them and found no row.
    private func candidates(
        _ note: Note, _ triggers: [TableName: [Trigger]], _ prepared: PreparedPlan
    ) -> [TableName] {
        prepared.schema.tables.filter { table in
            guard let own = triggers[table.name], !own.isEmpty else { return false }
            if note.changes[table.name] != nil || note.tables.contains(table.name) { return true }
            return own.contains { !$0.value.isForEachRow && !$0.value.isRule }
                && table.foreignKeys.contains { key in
                    ![.noAction, .restrict].contains(key.onDelete) && (note.changes[key.target]?.deleted ?? 0) > 0
                }
        }.map(\.name)
    }

    /// The triggers of a table that fire at its changes.
    private func firing(
        _ table: TableName, in note: Note, _ triggers: [TableName: [Trigger]]
    ) -> [Trigger] {
        let changes = note.changes[table]
        let kinds = ChangeDifference.Kind.allCases.filter { (changes?[$0] ?? 0) > 0 }
        let events = changes == nil ? ["update", "delete"] : kinds.map(\.event)
        return (triggers[table] ?? []).filter { !Set($0.value.events).isDisjoint(with: events) }
    }

    /// The most likely cause if no trigger visibly writes to the table. In this order: a table whose trigger names it,
    /// one whose trigger may write to any table, one of the erasure's own statement, or any.
    private func unread(
        _ table: TableName, among candidates: [TableName], of note: Note, _ triggers: [TableName: [Trigger]]
    ) -> TableName? {
        func first(_ isFit: (TriggerWrites) -> Bool) -> TableName? {
            candidates.first { firing($0, in: note, triggers).contains { isFit($0.writes) } }
        }
        return first { $0.mention(table) } ?? first(\.mayWriteOthers)
            ?? candidates.first { note.tables.contains($0) } ?? candidates.first
    }

    /// The number of changed rows in a note beyond those that the plan's effects permit.
    private func undeclared(_ difference: ChangeDifference, in note: Note, _ declared: [TriggerEffect]) -> Int {
        let all = note.changes[difference.table]?[difference.kind] ?? 0
        return declared.filter { $0.also == difference.table }.reduce(all) { rest, effect in
            guard let bound = effect[difference.kind] else { return rest }
            return bound.limit(of: note.changes[effect.table]?.all ?? 0).map { max(rest - $0, 0) } ?? 0
        }
    }

    /// The number of changed rows of a table in a note; in all notes if this note has none, because a trigger may fire
    /// later than its change.
    private func rows(of table: TableName, in note: Note) -> Int {
        if let changes = note.changes[table] { return changes.all }
        return notes.reduce(0) { $0 + ($1.changes[table]?.all ?? 0) }
    }
}

extension TriggerEffect {
    fileprivate subscript(kind: ChangeDifference.Kind) -> Bound? {
        get {
            switch kind {
            case .inserted: inserts
            case .updated: updates
            case .deleted: deletes
            }
        }
        set {
            switch kind {
            case .inserted: inserts = newValue
            case .updated: updates = newValue
            case .deleted: deletes = newValue
            }
        }
    }

    /// Adds the changes that the plan already permits between the same tables.
    fileprivate func beside(_ declared: [TriggerEffect]) -> TriggerEffect {
        declared.filter { $0.table == table && $0.also == also }.reduce(self) { sum, known in
            var sum = sum
            for kind in ChangeDifference.Kind.allCases {
                switch (sum[kind], known[kind]) {
                case (.perRow(let more)?, .perRow(let number)?): sum[kind] = .perRow(more + number)
                case (.any?, _), (_, .any?): sum[kind] = .any
                case (nil, let known): sum[kind] = known
                case (_, nil): break
                }
            }
            return sum
        }
    }
}

extension ChangeDifference.Kind {
    fileprivate var writing: TriggerWrites.Kind {
        switch self {
        case .inserted: .insert
        case .updated: .update
        case .deleted: .delete
        }
    }

    /// The event of a trigger.
    fileprivate var event: String {
        switch self {
        case .inserted: "insert"
        case .updated: "update"
        case .deleted: "delete"
        }
    }
}

extension RowChanges {
    fileprivate var all: Int { inserted + updated + deleted }

    fileprivate subscript(kind: ChangeDifference.Kind) -> Int {
        switch kind {
        case .inserted: inserted
        case .updated: updated
        case .deleted: deleted
        }
    }
}
