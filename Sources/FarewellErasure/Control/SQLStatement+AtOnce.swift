// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

extension SQLStatement {
    /// Does nothing, on any database that answers.
    static let nothing = SQLStatement("SELECT 1")

    /// PostgreSQL: several changes as one statement (`WITH`, data-modifying), so that the server starts and ends one
    /// and not many. Keys between their rows are checked when it ends.
    static func atOnce(_ changes: [SQLStatement]) -> SQLStatement {
        guard let last = changes.last, changes.count > 1 else { return changes.first ?? nothing }
        var parameters: [SQLValue] = []
        var parts: [String] = []
        for (position, change) in changes.dropLast().enumerated() {
            parts.append("c\(position) AS (\(change.text(after: parameters.count)))")
            parameters += change.parameters
        }
        let text = "WITH \(parts.joined(separator: ", ")) \(last.text(after: parameters.count))"
        return SQLStatement(text, parameters + last.parameters)
    }

    /// The text with its parameters numbered after this many others.
    private func text(after others: Int) -> String {
        guard others > 0 else { return text }
        var renumbered: [UInt8] = []
        renumbered.reserveCapacity(text.utf8.count + 32)
        var rest = text.utf8[...]
        while let place = rest.firstIndex(of: UInt8(ascii: "$")) {
            renumbered += rest[...place]
            rest = rest[rest.index(after: place)...]
            let digits = rest.prefix { $0.isASCIIDigit }
            rest = rest.dropFirst(digits.count)
            if let number = Int(Substring(digits)) {
                renumbered += String(number + others).utf8
            }
        }
        renumbered += rest
        return String(decoding: renumbered, as: UTF8.self)
    }
}
