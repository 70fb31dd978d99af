// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The meaning of an error code for the documentation. A test compares this catalogue with the codes in the sources.
struct ErrorMeaning: Sendable, Hashable {
    let code: String
    /// The party that can usually solve it.
    let family: FarewellError.Family
    let meaning: String
    let remedy: String

    init(_ code: String, _ family: FarewellError.Family, _ meaning: String, _ remedy: String) {
        self.code = code
        self.family = family
        self.meaning = meaning
        self.remedy = remedy
    }

    /// The areas of the documentation with their errors.
    static let areas: [(title: String, errors: [ErrorMeaning])] = [
        ("Plans, schemas, folders and exports", plan), ("Erasures and third-party systems", erasure),
        ("Keys, ledger, audit log, receipts and files", state), ("Database", database), ("Command", command),
        ("Server, settings, tokens and console", server), ("Session authority", auth), ("Client library", device),
    ]
}
