// SPDX-License-Identifier: Apache-2.0

/// The meaning of a finding's code for the documentation. A test compares this catalogue with the codes in the sources.
struct FindingMeaning: Sendable, Hashable {
    let code: String
    let meaning: String
    let remedy: String

    init(_ code: String, _ meaning: String, _ remedy: String) {
        self.code = code
        self.meaning = meaning
        self.remedy = remedy
    }
}
