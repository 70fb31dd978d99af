// SPDX-License-Identifier: Apache-2.0

import FarewellSQL

/// Reads what the statements that count a subject's rows answer.
enum RowCounts {
    /// Rows by place.
    ///
    /// - Parameter result: `(place, subject, rows)`.
    static func byPlace(_ result: SQLResult) -> [String: Int] {
        var counts: [String: Int] = [:]
        for row in result.rows {
            if let place = row[0].text, let rows = row[2].integer { counts[place, default: 0] += Int(rows) }
        }
        return counts
    }
}
