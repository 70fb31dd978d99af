// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The colours of the rules: light, and distinguished without colour by the words beside them.
package enum RuleColour: Sendable, Hashable {
    case amber, blue, violet, grey
    /// Places that the plan does not account for.
    case red

    /// The colour of a rule's word; red for any other.
    package init(of word: String) { self = TableRules.all.first { $0.word == word }?.colour ?? .red }

    /// Inside a box.
    var fill: String {
        switch self {
        case .amber: "#fdebd3"
        case .blue: "#dcebfa"
        case .violet: "#ece3f7"
        case .grey: "#f1f2f4"
        case .red: "#ffd9d9"
        }
    }

    /// Around a box.
    var line: String {
        switch self {
        case .amber: "#b35900"
        case .blue: "#1f66ad"
        case .violet: "#6b3fa0"
        case .grey: "#8a9099"
        case .red: "#c00000"
        }
    }
}
