// SPDX-License-Identifier: Apache-2.0

import FarewellSQL

/// Schemas of very many tables with rows of two users; declared keys lead from each row to one of them.
package enum ManyTables: String, Sendable, CaseIterable {
    /// Each table names the user.
    case flat
    /// Each table names the one before, 25 deep.
    case chains
    /// Each table names two of the layer above, 12 deep: 2^11 ways lead from a row to its user.
    case diamonds
    /// Each table names the user and an editor.
    case twice

    /// The SQL that makes `count` tables beside `people`, with a row of each user in each of them.
    package func script(_ count: Int) -> String {
        var lines = ["CREATE TABLE people (id integer PRIMARY KEY, email text);"]
        var rows = ["INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');"]
        for number in 0..<count {
            let links = links(of: number, among: count)
            let keys = links.map { ", \($0.column) integer REFERENCES \($0.table) (id) ON DELETE CASCADE" }.joined()
            lines.append("CREATE TABLE t\(number) (id integer PRIMARY KEY\(keys), title text, amount integer);")
            lines += links.map { "CREATE INDEX t\(number)_\($0.column) ON t\(number) (\($0.column));" }
            let values = [1, 2].map { person in "(\(([person] + links.map { _ in person }).map(String.init).joined(separator: ", ")))" }
            let columns = (["id"] + links.map(\.column)).joined(separator: ", ")
            rows.append("INSERT INTO t\(number) (\(columns)) VALUES \(values.joined(separator: ", "));")
        }
        return (lines + rows).joined(separator: "\n")
    }

    private func links(of number: Int, among count: Int) -> [(column: String, table: String)] {
        switch self {
        case .flat: return [("owner", "people")]
        case .twice: return [("owner", "people"), ("editor", "people")]
        case .chains: return [number % 25 == 0 ? ("owner", "people") : ("parent", "t\(number - 1)")]
        case .diamonds:
            let width = max(count / 12, 2)
            guard number >= width else { return [("owner", "people")] }
            let above = (number / width - 1) * width
            return [0, 1].map { ("parent\($0)", "t\(above + (number + $0) % width)") }
        }
    }
}
