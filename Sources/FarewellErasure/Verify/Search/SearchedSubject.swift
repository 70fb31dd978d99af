// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan

/// The names by which one subject is searched for.
package struct SearchedSubject: Sendable {
    let names: [SearchedName]
    /// The subject's key, under which rows are the subject's own.
    let key: String?
    /// How many identifiers are too short to be searched for.
    let short: Int
    /// Whether the plan names identifiers, and none of the subject's is known any longer.
    var isForgotten = false
    /// Whether the subject has more names than are searched for.
    private let isCut: Bool

    /// The key and the identifiers; each once.
    package init(_ subject: SealedSubject) {
        self.init(key: subject.key.text, identifiers: subject.identifiers, others: subject.others ?? [])
    }

    /// - Parameters:
    ///   - others: Names beside the plan's identifiers, of which not all may be searched for.
    ///   - isKeySearched: Whether the key is searched for as well.
    package init(key: String?, identifiers: [String], others: [String] = [], isKeySearched: Bool = true) {
        self.key = key
        let key = isKeySearched ? key.map(ExactText.init) : nil
        isCut = others.count > ImpliedIdentifiers.most
        func distinct(_ texts: some Sequence<String>) -> Set<ExactText> {
            Set(texts.map(ExactText.init)).filter { !$0.text.isEmpty && $0 != key }
        }
        let stated = distinct(identifiers)
        let implied = distinct(others.prefix(ImpliedIdentifiers.most)).subtracting(stated)
        let keys = [key].compactMap(\.self).map { SearchedName($0.text, isKey: true) }
        let names =
            keys + stated.sorted().map { SearchedName($0.text) }
            + implied.sorted().map { SearchedName($0.text, isImplied: true) }
        self.names = names.compactMap(\.self)
        short = names.count - self.names.count
    }

    /// Which identifiers are not searched for; `nil` where all are.
    var limit: String? {
        var limits: [String] = []
        if short > 0 {
            let verb = short == 1 ? "is" : "are"
            limits.append("\(short) of the subject's \(verb) shorter than \(Self.shortest) characters")
        }
        if isCut { limits.append("the subject has more than \(ImpliedIdentifiers.most)") }
        guard limits.isEmpty else { return limits.joined(separator: "; ") }
        return isForgotten ? "only the key is still known" : nil
    }

    /// Shorter identifiers are not searched for, unless they are numeric keys.
    package static let shortest = SearchedName.shortest

    /// Whether nothing names the subject that can be searched for.
    package var isNameless: Bool { names.isEmpty }

    /// Whether an identifier is long enough to be searched for.
    package static func isSearched(_ identifier: String) -> Bool { SearchedName(identifier) != nil }
}
