// SPDX-License-Identifier: Apache-2.0
import FarewellSQL

/// A definition that the catalog writes: expressions, and perhaps the condition of an index.
struct Computation {
    private let text: String
    private let words: [Substring]

    init(_ definition: String) {
        text = definition.lowercased()
        words = text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
    }

    /// The computation of a generated column; `nil` for all others.
    init?(of column: SchemaColumn) {
        guard column.isComputed else { return nil }
        self.init(column.computation)
    }

    /// Functions and forms that have a value although an operand is null.
    private static let forms: Set<Substring> = [
        "coalesce", "ifnull", "iif", "case", "concat", "concat_ws", "format", "printf", "row", "greatest", "least",
        "jsonb_build_object", "jsonb_build_array", "json_array", "json_object", "quote",
    ]

    /// Whether the column's name occurs in it. A text that reads like the name counts as one.
    func mentions(_ column: String) -> Bool { words.contains(Substring(column.lowercased())) }

    func makesValueOfNull(in column: String) -> Bool {
        let column = Substring(column.lowercased())
        guard words.contains(column) else { return false }
        return !Self.forms.isDisjoint(with: words) || admitsNull(column)
    }

    /// `column IS NULL`, and `IS NOT DISTINCT FROM NULL`.
    private func admitsNull(_ column: Substring) -> Bool {
        words.indices.contains { place in
            words[place] == column
                && (words[place...].starts(with: [column, "is", "null"])
                    || words[place...].starts(with: [column, "isnull"])
                    || words[place...].starts(with: [column, "is", "not", "distinct", "from", "null"]))
        }
    }

    /// Whether the value is certainly null where the column is.
    func isNullOfNull(in column: String) -> Bool {
        mentions(column) && Self.forms.isDisjoint(with: words) && !words.contains("is")
    }
}
