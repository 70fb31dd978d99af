// SPDX-License-Identifier: Apache-2.0
@testable import FarewellErasure
import FarewellSQL
import Testing

@Suite("The worker nodes of a Citus cluster, for doctor")
struct WorkerNodesTests {
    private func fact(_ reached: [Bool]) -> DatabaseHealth.Fact {
        let nodes = reached.enumerated().map { (host: "node\($0).example", port: Int64(5432), isReached: $1) }
        return WorkerNodesFact(nodes: CitusNodes(nodes)).fact
    }

    @Test("OP-6 doctor names a worker node that the coordinator cannot reach, as a fault")
    func down() {
        #expect(fact([true, true]).verdict == .good)
        let one = fact([true, false])
        #expect(one.verdict == .bad && one.text.contains("node1.example:5432") && one.text.hasSuffix("of 2"), "\(one)")
        #expect(!one.text.contains("node0"), "\(one)")
        #expect(fact([false, false, true]).text.contains("node0.example:5432 and 1 more"))
    }
}
