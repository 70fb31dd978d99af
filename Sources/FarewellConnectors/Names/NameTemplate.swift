// SPDX-License-Identifier: Apache-2.0

/// A name in another system that contains the subject's, e.g. `USER#{person}`: the marker occurs once.
struct NameTemplate: Sendable, Hashable {
    let before: String
    let after: String

    /// `nil` if the marker does not occur exactly once.
    init?(_ text: String) {
        let parts = text.parts(around: "{person}")
        guard parts.count == 2 else { return nil }
        (before, after) = (parts[0], parts[1])
    }

    func name(of person: String) -> String { before + person + after }
}
