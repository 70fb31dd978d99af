// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Looks whether the sampled values that retentions count from (`from`) are dates.
///
/// Only SQLite is asked: its columns take any value. An erasure counts from its own day where it cannot read a date.
struct RetentionStartProbe {
    private let context: CheckContext
    private let rowsPerTable: Int

    init(_ context: CheckContext, rowsPerTable: Int) {
        self.context = context
        self.rowsPerTable = rowsPerTable
    }

    func findings(on connection: any SQLConnection) async throws -> [Finding] {
        guard !context.map.schema.dialect.hasColumnTypes else { return [] }
        let probe = SampleProbe(connection: connection)
        var findings: [Finding] = []
        for entry in context.entries where entry.table.isReadable {
            guard let start = entry.plan.rule.retention?.start, entry.table[start] != nil else { continue }
            let rows = try await probe.rows(of: entry.table, columns: [start], limit: rowsPerTable)
            let values = rows.compactMap(\.first).filter { !$0.isNull }
            let others = values.count { $0.day == nil }
            guard others > 0 else { continue }
            findings.append(
                Finding(
                    "retain.start-values", .error, table: entry.plan.table, column: start,
                    "\(others) of \(values.count) sampled values, from which the period starts, are no dates.",
                    remedy: "Store dates as `2025-11-03`, as ISO 8601 or as seconds since 1970; or name another column "
                        + "under `from`, or remove it: the period then starts on the day of erasure."))
        }
        return findings
    }
}
