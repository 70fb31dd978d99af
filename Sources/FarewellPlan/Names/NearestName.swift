// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Finds the name that the author probably meant.
package enum NearestName {
    /// The candidate with the fewest edits, if they are few for its length; the first in order among equals.
    package static func of(_ name: String, in candidates: some Sequence<String>) -> String? {
        let wanted = Array(name.lowercased().unicodeScalars.prefix(80))
        let limit = max(1, min(3, wanted.count / 3))
        var best: (name: String, distance: Int)?
        for candidate in candidates {
            let scalars = Array(candidate.lowercased().unicodeScalars.prefix(80))
            guard abs(scalars.count - wanted.count) <= limit else { continue }
            guard let distance = distance(wanted, scalars, upTo: limit) else { continue }
            if let best, (best.distance, best.name) <= (distance, candidate) { continue }
            best = (candidate, distance)
        }
        return best?.name
    }

    /// ` (did you mean “messages”?)`, or nothing.
    static func hint(_ name: String, in candidates: some Sequence<String>) -> String {
        of(name, in: candidates).map { " (did you mean \(Shown.name($0))?)" } ?? ""
    }

    /// Levenshtein's distance with swapped neighbours counting once; `nil` beyond a limit.
    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar], upTo limit: Int) -> Int? {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let same = left[row] == right[column] ? 0 : 1
                var cost = min(last[column + 1] + 1, current[column] + 1, last[column] + same)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            // No later row has less than the least of two in succession.
            guard min(current.min() ?? 0, last.min() ?? 0) <= limit else { return nil }
            (beforeLast, last) = (last, current)
        }
        return last[right.count] <= limit ? last[right.count] : nil
    }
}
