// SPDX-License-Identifier: Apache-2.0
import Farewell

/// `not personal`: the value stays, because it cannot lead to a person.
struct NotPersonalColumnRule: ColumnRuleKind {
    static let word = "not personal"
    static let meaning = "The value stays, because it cannot lead to a person."
    static let plain: ColumnRule? = .notPersonal
    static let changesValue = false
}
