// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Some names of the place in which the plan looks for the person's. They may belong to any person.
struct NameSample: Sendable {
    /// Each is what the plan's `{person}` stands for.
    var names: [String] = []
    /// Whether the place has entries that the plan's form yields for no person.
    var hasOthers = false
    /// Whether the place has no further names.
    var isWhole = true
    /// Whether the place exists, although it may have no names: an entry stands for the empty folder.
    var isThere = false
    /// Whether nothing is in the whole bucket or table, so that nothing of the person's can be.
    var isAllEmpty = false

    /// Signs with which a prefix of names ends: `user_12`, `auth0|12`.
    private static let ends = Set("_-:#|.=~+/".utf8)

    var isEmpty: Bool { names.isEmpty && !hasOthers && !isThere && !isAllEmpty }

    /// Whether some name is no identifier that a program made up: the name of a folder that is no person's, perhaps.
    var hasWords: Bool { names.contains { if case .text = NameForm(of: $0) { true } else { false } } }

    /// A few of the names from all parts of the list, and the person's own. Names of their form are preferred: a folder
    /// may be no person's.
    func some(_ count: Int, of own: [String]) -> [String] {
        let mine = Set(own.map(ExactText.init))
        let forms = Set(own.flatMap(NameForm.possible))
        let alike = names.filter { !forms.isDisjoint(with: NameForm.possible(for: $0)) }
        let all = alike.isEmpty ? names : alike
        let others = all.filter { !mine.contains(ExactText($0)) }
        let step = max(others.count / max(count, 1), 1)
        let spread = stride(from: 0, to: others.count, by: step).prefix(count).map { others[$0] }
        return (own.filter { name in all.contains { $0.isByteEqual(to: name) } } + spread).exactlyDistinct
    }

    mutating func add(_ other: NameSample) {
        names += other.names
        hasOthers = hasOthers || other.hasOthers
        isThere = isThere || other.isThere
    }

    /// Why the person's names, which are not there, could be there in another form; `nil` if nothing shows that.
    func objection(to own: [String]) -> String? {
        guard !names.isEmpty else { return nil }
        let wanted = Set(own.map(ExactText.init))
        guard !names.contains(where: { wanted.contains(ExactText($0)) }) else { return nil }
        let forms = Set(names.flatMap(NameForm.possible))
        if forms.isDisjoint(with: own.flatMap(NameForm.possible)) {
            return "the names there have another form than the person's, such as a number, a UUID in capitals, a "
                + "generated identifier, a prefix or an encoding"
        }
        guard let beginning = commonBeginning,
            !own.contains(where: { $0.hasBytePrefix(beginning) || Self.isOfAnotherProvider($0, beside: beginning) })
        else { return nil }
        return "all names there begin alike, and the person's has no such beginning"
    }

    /// Whether a name has a beginning of its own with the sign behind a provider's name: `google-oauth2|3` beside
    /// `auth0|1`.
    private static func isOfAnotherProvider(_ name: String, beside beginning: String) -> Bool {
        let bytes = Array(name.utf8)
        guard let sign = beginning.utf8.last, "|:".utf8.contains(sign), let place = bytes.firstIndex(of: sign) else {
            return false
        }
        return place > 0 && bytes[0].isASCIILetter && place + 1 < bytes.count
    }

    /// The beginning of all names, up to a sign; `nil` if they differ, or if there are not two of them.
    private var commonBeginning: String? {
        guard let first = names.first, names.contains(where: { !$0.isByteEqual(to: first) }),
            let beginning = Self.beginning(of: first)
        else { return nil }
        return names.allSatisfy { $0.hasBytePrefix(beginning) } ? beginning : nil
    }

    /// The letters with which a name begins, with the sign behind them; `nil` if it has none, or ends there.
    private static func beginning(of name: String) -> String? {
        let bytes = Array(name.utf8)
        guard let begin = bytes.first, begin.isASCIILetter, let end = bytes.firstIndex(where: ends.contains),
            end + 1 < bytes.count
        else { return nil }
        return String(decoding: bytes[...end], as: UTF8.self)
    }
}
