// SPDX-License-Identifier: Apache-2.0

import FarewellPlan
import FarewellSQL

extension PreparedPlan {
    /// Whether some statement of the plan fires a trigger that PostgreSQL fires once for each statement, even one that
    /// changes no row.
    var firesWithoutRows: Bool {
        program.graph.nodes.contains { node in
            node.rule.erasesRows && node.firesOnce(on: "delete") || node.firesOnce(on: "update")
        }
    }

    /// Whether an effect would fire such a trigger.
    func firesWithoutRows(_ effect: RowProgram.Effect) -> Bool {
        targets(of: effect).contains { target in target.node.firesOnce(on: target.event) }
    }

    /// Whether an effect has no row to change and would still fire such a trigger: then it is left out. A
    /// trigger that refuses every delete of a table must not stop the erasure of a subject without rows there.
    ///
    /// - Parameter found: The earlier counts, by place.
    func isIdle(_ effect: RowProgram.Effect, found: [String: Int]) -> Bool {
        firesWithoutRows(effect) && targets(of: effect).allSatisfy { found[$0.place] ?? 0 == 0 }
    }

    /// A table that an effect changes, by which kind of statement, and under which name its rows are counted.
    private typealias Target = (node: RowGraph.Node, event: String, place: String)

    private func targets(of effect: RowProgram.Effect) -> [Target] {
        let nodes = program.graph.nodes
        var targets = effect.nodes.map { nodes[$0] }.map { node -> Target in
            (node: node, event: node.rule.erasesRows ? "delete" : "update", place: node.place)
        }
        if let node = effect.unlinked {
            targets.append((node: nodes[node], event: "update", place: nodes[node].linkPlace))
        }
        return targets
    }
}

extension RowGraph.Node {
    fileprivate func firesOnce(on event: String) -> Bool {
        table.triggers.contains { !$0.isForEachRow && !$0.isRule && $0.events.contains(event) }
    }
}
