// SPDX-License-Identifier: Apache-2.0
import Farewell

extension ColumnRule {
    /// Whether a key's column no longer names the row that it named, once this rule of it has been carried out.
    ///
    /// What a constant or an expression says instead is the plan author's matter; the database sees that it is there.
    package func movesKey(_ column: String) -> Bool {
        switch self {
        case .null, .constant: true
        case .expression(let expression): !expression.reads(column)
        case .keyedHash, .retain, .notPersonal: false
        }
    }
}

extension ColumnRule {
    /// The constant that every row gets; `nil` where the rule is another.
    package var constantText: String? { if case .constant(let text) = self { text } else { nil } }

    /// Whether it says anything else than that the value stays.
    var changesValue: Bool {
        switch self {
        case .retain, .notPersonal: false
        case .null, .constant, .keyedHash, .expression: true
        }
    }

    /// Whether the new value is made of the old one, so that nobody can tell by looking that it was made.
    var isMadeOfOld: Bool {
        switch self {
        case .keyedHash, .expression: true
        case .null, .constant, .retain, .notPersonal: false
        }
    }
}

extension ColumnExpression {
    fileprivate func reads(_ column: String) -> Bool {
        switch self {
        case .column(let name): name == column
        case .text, .integer: false
        case .call(_, let arguments): arguments.contains { $0.reads(column) }
        }
    }
}
