// SPDX-License-Identifier: Apache-2.0

import FarewellSQL

/// How many of a kind there were on a day.
struct DayCount: Sendable, Hashable {
    /// `YYYY-MM-DD`, universal time.
    let day: String
    let kind: String
    let count: Int

    @Sendable static func all(_ result: SQLResult) -> [DayCount] {
        result.rows.compactMap { row in
            guard let day = row[0].text, let kind = row[1].text else { return nil }
            return DayCount(day: day, kind: kind, count: Int(row[2].integer ?? 0))
        }
    }
}
