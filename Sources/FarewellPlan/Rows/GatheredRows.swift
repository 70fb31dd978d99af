// SPDX-License-Identifier: Apache-2.0

/// Citus: the rows that the conditions of an ending look at, each list gathered from the servers before the statement.
struct GatheredRows {
    /// The name of the rows that have the marks.
    static let marked = "o0"

    /// The lists after the marked rows: a name and its rows.
    private var lists: [(name: String, rows: String)] = []
    /// Whether a condition looks at the marked rows.
    var isUsed = false

    /// - Returns: The name of the list.
    mutating func add(_ rows: String) -> String {
        isUsed = true
        let name = "o\(lists.count + 1)"
        lists.append((name, rows))
        return name
    }

    /// The beginning of the statement.
    ///
    /// - Parameter marked: The rows that have the marks.
    func with(_ marked: String) -> String {
        let all = [(name: Self.marked, rows: marked)] + lists
        return "WITH \(all.map { "\($0.name) AS MATERIALIZED (\($0.rows))" }.joined(separator: ", ")) "
    }
}
