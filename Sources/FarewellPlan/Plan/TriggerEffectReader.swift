// SPDX-License-Identifier: Apache-2.0
import Farewell
internal import Yams

/// Reads the part of a plan file that declares what triggers of the database change besides.
struct TriggerEffectReader {
    var nodes: PlanNodes

    mutating func effects(_ node: Node) -> [TriggerEffect] {
        var effects: [TriggerEffect] = []
        for item in nodes.list(node, "`effects`") ?? [] {
            guard let effect = effect(item) else { continue }
            if effects.contains(where: { $0.table == effect.table && $0.also == effect.also }) {
                nodes.report(item, "This effect of \(Shown.name(effect.table.description)) appears twice.")
            }
            effects.append(effect)
        }
        return effects
    }

    private mutating func effect(_ node: Node) -> TriggerEffect? {
        let words = ["inserts", "updates", "deletes"]
        let record = nodes.record(node, "An effect", required: ["on", "also"], optional: words)
        guard let record, let table = record["on"].flatMap({ name($0) }),
            let also = record["also"].flatMap({ name($0) })
        else { return nil }
        guard words.contains(where: { record[$0] != nil }) else {
            nodes.report(node, "An effect needs at least one of `inserts`, `updates` and `deletes`.")
            return nil
        }
        return TriggerEffect(
            on: table, also: also, inserts: record["inserts"].flatMap { bound($0, "`inserts`") },
            updates: record["updates"].flatMap { bound($0, "`updates`") },
            deletes: record["deletes"].flatMap { bound($0, "`deletes`") })
    }

    private mutating func bound(_ node: Node, _ what: String) -> TriggerEffect.Bound? {
        guard let text = nodes.text(node, what) else { return nil }
        if text == "any" { return .any }
        if let number = Int(text), (1...1_000_000).contains(number) { return .perRow(number) }
        nodes.report(node, "\(what) is \(Shown.name(text)), but must be a number from 1 to 1000000, or any.")
        return nil
    }

    private mutating func name(_ node: Node) -> TableName? {
        guard let text = nodes.text(node, "A table's name") else { return nil }
        if let name = TableName(parsing: text) { return name }
        nodes.report(node, "\(Shown.name(text)) is not a table's name; \(PlanReader.quoting).")
        return nil
    }
}
