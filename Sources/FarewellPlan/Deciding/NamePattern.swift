// SPDX-License-Identifier: Apache-2.0
import Farewell

/// A pattern for names as shells write it: `*` for any letters, `?` for one. Compared by code points.
package struct NamePattern: Sendable {
    private let pattern: [Unicode.Scalar]

    package init(_ text: String) { pattern = Array(NameSpelling.typed(text).unicodeScalars) }

    package func matches(_ name: String) -> Bool {
        let name = Array(name.unicodeScalars)
        var (place, position) = (0, 0)
        // The position of the last star, and of the last try for the rest: the time grows with both lengths' product.
        var star: (place: Int, position: Int)?
        while position < name.count {
            if place < pattern.count, pattern[place] == "*" {
                star = (place, position)
                place += 1
            } else if place < pattern.count, pattern[place] == "?" || pattern[place] == name[position] {
                place += 1
                position += 1
            } else if let last = star {
                place = last.place + 1
                position = last.position + 1
                star = (last.place, position)
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == "*" }
    }

    /// Whether it is about a table: by its whole name, or without a dot by its name in any schema.
    package func matches(_ table: TableName) -> Bool {
        if matches(table.description) { return true }
        let plain = table.schema.map { "\($0).\(table.name)" } ?? table.name
        return matches(plain) || !pattern.contains(".") && matches(table.name)
    }
}
