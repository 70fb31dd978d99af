// SPDX-License-Identifier: Apache-2.0
import Farewell

extension Finding {
    /// Errors first, then by table and column; the order within one place is that of finding.
    package static func ordered(_ findings: [Finding]) -> [Finding] {
        let places = findings.enumerated().map { offset, finding in
            (rank: Severity.allCases.firstIndex(of: finding.severity) ?? 0, offset: offset, finding: finding)
        }
        return places.sorted { left, right in
            if left.rank != right.rank { return left.rank < right.rank }
            switch (left.finding.table, right.finding.table) {
            case (nil, nil): return left.offset < right.offset
            case (nil, _): return true
            case (_, nil): return false
            case (let first?, let second?): return first == second ? left.offset < right.offset : first < second
            }
        }.map(\.finding)
    }
}
