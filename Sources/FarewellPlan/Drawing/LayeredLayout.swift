// SPDX-License-Identifier: Apache-2.0

/// Places nodes in columns by their distance, so that links run from left to right and cross little.
struct LayeredLayout {
    /// For each column, its nodes from top to bottom.
    let columns: [[Int]]

    /// - Parameters:
    ///   - distances: the column of each node; nodes without one are not placed.
    ///   - edges: pairs of nodes.
    init(distances: [Int?], edges: [(from: Int, to: Int)]) {
        let width = (distances.compactMap(\.self).max() ?? -1) + 1
        var columns = Array(repeating: [Int](), count: width)
        for (node, distance) in distances.enumerated() {
            if let distance { columns[distance].append(node) }
        }
        var neighbours: [Int: [Int]] = [:]
        for edge in edges where distances[edge.from] != distances[edge.to] {
            neighbours[edge.from, default: []].append(edge.to)
            neighbours[edge.to, default: []].append(edge.from)
        }
        // A node belongs at the middle of its neighbours; a few passes there and back settle most crossings.
        for pass in 0..<6 {
            var heights: [Int: Double] = [:]
            for column in columns {
                for (place, node) in column.enumerated() {
                    heights[node] = (Double(place) + 0.5) / Double(column.count)
                }
            }
            let order = pass.isMultiple(of: 2) ? Array(columns.indices) : columns.indices.reversed()
            for index in order {
                let middles = columns[index].enumerated().map { place, node -> (Double, Int, Int) in
                    let around = (neighbours[node] ?? []).compactMap { heights[$0] }
                    let middle = around.isEmpty ? heights[node] ?? 0 : around.reduce(0, +) / Double(around.count)
                    return (middle, place, node)
                }
                columns[index] = middles.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
                for (place, node) in columns[index].enumerated() {
                    heights[node] = (Double(place) + 0.5) / Double(columns[index].count)
                }
            }
        }
        self.columns = columns
    }
}
