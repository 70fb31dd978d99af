// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Checks what the plan declares about triggers (`effects`).
struct EffectCheck {
    let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] { context.plan.effects.flatMap { unknown($0) + idle($0) } }

    private func unknown(_ effect: TriggerEffect) -> [Finding] {
        Set([effect.table, effect.also]).filter { context.map[$0] == nil }.sorted().map { name in
            Finding(
                "effect.unknown-table", .error, table: name,
                "The plan declares an effect of triggers here, but the database has no such table.",
                remedy: "Correct the name under `effects`, or delete the line.")
        }
    }

    /// An effect without a possible cause would permit unknown changes.
    private func idle(_ effect: TriggerEffect) -> [Finding] {
        guard let table = context.map[effect.table], table.triggers.isEmpty else { return [] }
        return [
            Finding(
                "effect.no-trigger", .warning, table: effect.table,
                "The plan declares that triggers of this table also change \(Shown.name(effect.also.description)), but "
                    + "the table has no trigger.",
                remedy: "Delete the line under `effects`; an erasure then stops if it changes more than the plan says.")
        ]
    }
}
