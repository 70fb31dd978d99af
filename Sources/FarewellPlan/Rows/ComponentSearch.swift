// SPDX-License-Identifier: Apache-2.0

/// Finds the groups of tables that lead to each other (Tarjan's strongly connected components).
struct ComponentSearch {
    /// For each node, the nodes it leads to.
    let parents: [[Int]]
    private var counter = 0
    private var number: [Int: Int] = [:]
    private var low: [Int: Int] = [:]
    private var stack: [Int] = []
    private var onStack: Set<Int> = []
    private var components: [[Int]] = []

    init(parents: [[Int]]) { self.parents = parents }

    /// Groups in an order in which every group comes before the groups it leads to.
    ///
    /// Tarjan yields a component after everything reachable from it, which is parents first; reversed it is
    /// children first.
    mutating func childrenFirst() -> [[Int]] {
        for node in parents.indices where number[node] == nil { visit(node) }
        return components.reversed()
    }

    /// Depth first with a stack of its own, so that a chain of ten thousand tables needs no deep recursion.
    private mutating func visit(_ start: Int) {
        var path: [(node: Int, next: Int)] = [(start, 0)]
        enter(start)
        while let (node, next) = path.last {
            if next < parents[node].count {
                path[path.count - 1].next += 1
                let parent = parents[node][next]
                if number[parent] == nil {
                    enter(parent)
                    path.append((parent, 0))
                } else if onStack.contains(parent) {
                    low[node] = min(low[node] ?? 0, number[parent] ?? 0)
                }
            } else {
                path.removeLast()
                if let before = path.last?.node { low[before] = min(low[before] ?? 0, low[node] ?? 0) }
                if low[node] == number[node] { close(node) }
            }
        }
    }

    private mutating func enter(_ node: Int) {
        number[node] = counter
        low[node] = counter
        counter += 1
        stack.append(node)
        onStack.insert(node)
    }

    private mutating func close(_ node: Int) {
        var component: [Int] = []
        while let member = stack.popLast() {
            onStack.remove(member)
            component.append(member)
            if member == node { break }
        }
        components.append(component.sorted())
    }
}
