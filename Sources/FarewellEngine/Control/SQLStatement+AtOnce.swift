// SPDX-License-Identifier: Apache-2.0

import FarewellSQL

extension SQLStatement {
    /// PostgreSQL: several changes as one statement (`WITH`, data-modifying), so that the server starts and ends one
    /// and not many. Keys between their rows are checked when it ends.
    static func atOnce(_ changes: [SQLStatement]) -> SQLStatement {
        guard let last = changes.last, changes.count > 1 else { return changes.first ?? SQLStatement("SELECT 1") }
        var parameters: [SQLValue] = []
        var parts: [String] = []
        for (position, change) in changes.dropLast().enumerated() {
            parts.append("c\(position) AS (\(change.text(after: parameters.count)))")
            parameters += change.parameters
        }
        let text = "WITH \(parts.joined(separator: ", ")) \(last.text(after: parameters.count))"
        return SQLStatement(text, parameters + last.parameters)
    }

    /// The text with its parameters counted from behind so many others.
    private func text(after others: Int) -> String {
        guard others > 0 else { return text }
        var renumbered = ""
        for (position, piece) in text.split(separator: "$", omittingEmptySubsequences: false).enumerated() {
            guard position > 0 else {
                renumbered += piece
                continue
            }
            let digits = piece.prefix { $0.isASCII && $0.isWholeNumber }
            renumbered += "$" + (Int(digits).map { "\($0 + others)" } ?? String(digits)) + piece.dropFirst(digits.count)
        }
        return renumbered
    }
}
