// SPDX-License-Identifier: Apache-2.0

/// One step of an erasure in its receipt.
public struct ReceiptStep: Sendable, Hashable, Codable {
    /// The step's name in the plan, e.g. `rows`.
    public var name: String
    /// The system it acted on, e.g. `postgresql` or `photos`.
    public var store: String
    public var outcome: Outcome
    /// The changes in each table or folder.
    public var places: [PlaceCount]

    private enum CodingKeys: String, CodingKey { case name, outcome, places, store }

    public init(name: String, store: String, outcome: Outcome, places: [PlaceCount] = []) {
        self.name = name
        self.store = store
        self.outcome = outcome
        self.places = places
    }

    /// How a step ended.
    public enum Outcome: String, Sendable, Hashable, Codable, CaseIterable {
        case erased, anonymised, retained
        /// There was no data of the subject: read, not assumed.
        case nothingThere = "nothing-there"
        /// The other system announced that it will; this is not verified.
        case acknowledged
        /// Done, but there is no way to look.
        case notVerifiable = "not-verifiable"
        case failed
    }
}
