// SPDX-License-Identifier: Apache-2.0
import Farewell

/// `retain`: the value stays for the reason of the table's retention.
struct RetainColumnRule: ColumnRuleKind {
    static let word = "retain"
    static let meaning = "The value stays for the reason of the table's retention."
    static let plain: ColumnRule? = .retain
    static let changesValue = false
    static let isRetained = true

    func findings(_ place: ColumnPlace) -> [Finding] {
        guard place.entry.rule.retention == nil else { return [] }
        return [
            place.finding(
                "column.retain-without-reason", "A column is retained in a table without a reason.",
                "Use the table's rule retain with a reason, or call the column not personal.")
        ]
    }
}
