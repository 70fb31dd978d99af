// SPDX-License-Identifier: Apache-2.0

/// A connector's description of itself before its use.
public struct ConnectorDeclaration: Sendable, Hashable {
    /// Something that one connector can do and another cannot.
    public enum Ability: String, Sendable, Hashable, CaseIterable {
        /// It can count the subject's data before anything is erased.
        case count
        /// It can read afterwards whether data is left.
        case verify
        /// The system accepts a request, and reports the outcome later.
        case acceptsFirst = "accepts first"
        /// Former versions of erased items are erased too.
        case versions
    }

    public var abilities: Set<Ability>
    public var budget: RateBudget
    /// The rights that it needs, and no others, in the system's own words.
    public var permissions: [String]
    /// The same rights, for systems that also need the resource.
    public var grants: [Grant]
    /// The data that it does not erase, for the receipt.
    public var remarks: [ReceiptNote]

    public init(
        abilities: Set<Ability>, budget: RateBudget = RateBudget(), permissions: [String] = [],
        remarks: [ReceiptNote] = []
    ) {
        self.abilities = abilities
        self.budget = budget
        self.permissions = permissions
        self.remarks = remarks
        grants = []
    }

    public init(
        abilities: Set<Ability>, budget: RateBudget, grants: [Grant], remarks: [ReceiptNote] = []
    ) {
        self.init(
            abilities: abilities, budget: budget, permissions: grants.flatMap(\.actions), remarks: remarks)
        self.grants = grants
    }

    /// Rights on one thing, e.g. on a table.
    public struct Grant: Sendable, Hashable {
        public var actions: [String]
        /// The resource of the right, as the system names it, e.g. an ARN.
        public var resource: String

        public init(_ actions: [String], on resource: String) {
            self.actions = actions
            self.resource = resource
        }
    }
}
