// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL

/// Triggers that change or delete rows of another table when rows of users go, such as a counter of a community's
/// posts: no erasure predicts these changes, so each that finds such rows parks until the plan declares them
/// (`effects`).
struct ChangingTriggerCheck {
    private let context: CheckContext
    /// The tables by their names in lower case, without schemas.
    private let named: [String: [TableName]]

    init(_ context: CheckContext) {
        self.context = context
        named = Dictionary(grouping: context.map.listed.map(\.name), by: { $0.name.lowercased() })
    }

    func findings() -> [Finding] {
        context.entries.filter { $0.plan.rule.isPersonal }.flatMap { entry, table in
            let triggers = table.triggers.filter { trigger in
                fires(trigger, for: entry)
                    && !AuthorityDeletionTrigger.isOne(trigger, of: table, in: context.map.schema)
            }
            return triggers.flatMap { findings($0, entry) }
        }
    }

    /// Whether an erasure's change of the entry's rows is one for which the trigger fires.
    private func fires(_ trigger: SchemaTrigger, for entry: TablePlan) -> Bool {
        let isDeleted =
            entry.rule.erasesRows && (entry.links.isEmpty || entry.links.contains { !$0.isReference })
        if isDeleted, trigger.events.contains("delete") { return true }
        let isUpdated =
            entry.rule.rowsStay && entry.columns.contains { $0.rule?.changesValue == true }
            || entry.links.contains { $0.isReference || $0.shared == .unlink }
        // A trigger for some columns fires only if a statement names these.
        let isOfColumns = TriggerText(trigger.statement).isOfColumns
        return isUpdated && trigger.events.contains("update") && !isOfColumns
    }

    private func findings(_ trigger: SchemaTrigger, _ entry: TablePlan) -> [Finding] {
        let writes = TriggerWrites(trigger)
        let copies = ([trigger.definition] + trigger.functions.map(\.definition)).flatMap { TriggerText($0).targets }
        let written = Set(writes.names.flatMap { named[$0] ?? [] }).sorted()
        return written.compactMap { other -> Finding? in
            // `trigger.copies` and `trigger.truncates` name these already, and `trigger.keeps-rows` its own table.
            guard other != entry.table, !copies.contains(where: { TriggerText.isName($0, of: other) }),
                !writes.empties(other)
            else { return nil }
            let isUpdating = writes.contain(.update, other)
            // Rows that the erasure deletes anyway are predicted.
            let isDeleting = writes.contain(.delete, other) && !context.isErased(other)
            let bound: TriggerEffect.Bound = writes.isForStatement ? .any : .perRow(1)
            let effect = TriggerEffect(
                on: entry.table, also: other, updates: isUpdating ? bound : nil, deletes: isDeleting ? bound : nil)
            return isUpdating || isDeleting ? finding(trigger, effect) : nil
        }
    }

    private func finding(_ trigger: SchemaTrigger, _ effect: TriggerEffect) -> Finding? {
        let declared = context.plan.effects.filter { $0.table == effect.table && $0.also == effect.also }
        let isDeclared =
            (effect.updates == nil || declared.contains { $0.updates != nil })
            && (effect.deletes == nil || declared.contains { $0.deletes != nil })
        guard !isDeclared else { return nil }
        let word = trigger.isRule ? "rule" : "trigger"
        let does = [effect.updates.map { _ in "changes" }, effect.deletes.map { _ in "deletes" }].compactMap(\.self)
        let line = TriggerEffectText.line(for: context.plan.effects + [effect])
        return Finding(
            "trigger.changes-others", .warning, table: effect.table,
            "The \(word) \(Shown.name(trigger.name)) \(does.joined(separator: " and ")) rows of "
                + "\(Shown.name(effect.also.description)) when a row here is changed or deleted. The plan does not "
                + "declare that, so an erasure that finds such rows is parked.",
            remedy: "If that is right, write \(line) into the plan; farewell rehearse shows how many rows it changes "
                + "for each.")
    }
}

extension TriggerText {
    /// Whether a trigger fires for changes of some columns only: `UPDATE OF title ON posts`.
    fileprivate var isOfColumns: Bool {
        zip(lower, lower.dropFirst()).contains { $0 == ("update", "of") }
    }
}
