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
