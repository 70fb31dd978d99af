// SPDX-License-Identifier: Apache-2.0

/// What a connector says of itself before it is used.
public struct ConnectorDeclaration: Sendable, Hashable {
    /// Something that one connector can do and another cannot.
    public enum Ability: String, Sendable, Hashable, CaseIterable {
        /// It can count what there is before anything is erased.
        case count
        /// It can look afterwards whether anything is left.
        case verify
        /// The system begins, and tells later how it ended.
        case acceptsFirst = "accepts first"
        /// Former versions of what is erased go too.
        case versions
    }

    public var abilities: Set<Ability>
    public var budget: RateBudget
    /// The rights it needs in the system, in the system's own words: no others.
    public var permissions: [String]
    /// What it leaves to others, for the receipt.
    public var remarks: [ReceiptNote]

    public init(
        abilities: Set<Ability>, budget: RateBudget = RateBudget(), permissions: [String] = [],
        remarks: [ReceiptNote] = []
    ) {
        self.abilities = abilities
        self.budget = budget
        self.permissions = permissions
        self.remarks = remarks
    }
}

/// How often a system may be asked: so many calls at once, and so many more each second.
public struct RateBudget: Sendable, Hashable {
    /// Calls that may follow each other without a pause.
    public var burst: Int
    /// Calls a second in the long run.
    public var perSecond: Double

    /// Neither is less than would let one call through in a minute.
    public init(burst: Int = 25, perSecond: Double = 25) {
        self.burst = max(burst, 1)
        self.perSecond = max(perSecond, 1.0 / 60)
    }
}
