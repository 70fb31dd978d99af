// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// The report of `farewell doctor` about the worker nodes of a Citus cluster.
struct WorkerNodesFact: Sendable {
    let nodes: CitusNodes

    var fact: DatabaseHealth.Fact {
        let down = nodes.unreachable
        guard let first = down.first else {
            return .init("worker nodes", .good, "\(nodes.count), and the coordinator reaches each")
        }
        let others = down.count == 1 ? "" : " and \(down.count - 1) more"
        return .init(
            "worker nodes", .bad, "the coordinator cannot reach \(first)\(others), of \(nodes.count)",
            remedy: """
                Start the node, or make its replica the primary. Erasures that need its rows are tried again until \
                then; farewell serve still accepts requests.
                """)
    }
}
