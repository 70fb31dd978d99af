// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// `null`: the column is emptied.
struct NullColumnRule: ColumnRuleKind {
    static let word = "null"
    static let meaning = "The column is set to null."
    static let plain: ColumnRule? = .null
    static let givesNull = true

    func findings(_ place: ColumnPlace) -> [Finding] {
        guard !place.column.isNullable else { return [place.collision].compactMap(\.self) }
        return [
            place.finding(
                "column.null-refused", "The rule is null, but the column may not be null.",
                place.isReferring
                    ? place.keyRemedy : "Use {constant: …} or hash, or make the column nullable.")
        ]
    }
}
