// SPDX-License-Identifier: Apache-2.0
public import Farewell

/// The additional changes by triggers, as the plan file declares them: ready to paste.
public enum TriggerEffectText {
    /// `effects:` and one line for each; nothing if there are none.
    public static func lines(for effects: [TriggerEffect]) -> [String] {
        effects.isEmpty ? [] : ["effects:"] + effects.map { "  - \(text(of: $0))" }
    }

    /// The same in one line: `effects: [{on: public.posts, also: public.post_history, inserts: 1}]`
    package static func line(for effects: [TriggerEffect]) -> String {
        "effects: [\(effects.map(text).joined(separator: ", "))]"
    }

    /// The advice about changes by triggers that the plan does not declare, before the lines for it.
    ///
    /// - Parameters:
    ///   - triggers: Their names.
    ///   - isReplacing: Whether the plan has `effects` already.
    package static func advice(about triggers: [String], isReplacing: Bool) -> String {
        "Triggers did this (\(triggers.joined(separator: ", "))). If it is right and leaves no personal data, "
            + (isReplacing ? "write this in the plan, in place of its `effects`:" : "add to the plan:")
    }

    /// `{on: public.posts, also: public.post_history, inserts: 1}`
    private static func text(of effect: TriggerEffect) -> String {
        let bounds = [("inserts", effect.inserts), ("updates", effect.updates), ("deletes", effect.deletes)]
        let written = bounds.compactMap { word, bound in bound.map { "\(word): \(self.word(for: $0))" } }
        let tables = [
            "on: \(YAMLScalar.name(effect.table.description))", "also: \(YAMLScalar.name(effect.also.description))",
        ]
        return "{\((tables + written).joined(separator: ", "))}"
    }

    private static func word(for bound: TriggerEffect.Bound) -> String {
        switch bound {
        case .perRow(let number): "\(number)"
        case .any: "any"
        }
    }
}
