// SPDX-License-Identifier: Apache-2.0
public import Farewell
public import FarewellSQL

/// Any number of fictitious users, for one of the example profiles: the same seed makes the same users, on SQLite and
/// on PostgreSQL.
public struct SamplePeople: Sendable, Hashable {
    /// The example profiles that have a database.
    public enum Profile: String, Sendable, Hashable, Codable, CaseIterable {
        /// A coaching app: everything cascades from the account. 68 rows a user.
        case coachme
        /// An app where people meet: no cascades, rows that belong to two users. About 320 rows belong to a user.
        case muse
        /// The Chinook music shop: 59 real-looking customers with their invoices.
        case chinook
    }

    public let profile: Profile
    /// The number of users; their indexes run from 0.
    public let people: Int
    /// The number of additional messages of the user with index 0.
    public let messagesOfOne: Int
    public let seed: Int

    /// - Throws: `sample.bad-count` when a count is out of its range: 1 to 3,200,000 people, 0 to 100,000,000
    ///   messages of one, seed 0 to 1,000,000; Chinook has 59 customers, neither more nor fewer.
    public init(_ profile: Profile, people: Int, messagesOfOne: Int = 0, seed: Int = 1) throws {
        func check(_ isGood: Bool, _ message: String) throws {
            guard isGood else {
                throw FarewellError("sample.bad-count", .yoursToFix, message, remedy: "Give an allowed number.")
            }
        }
        try check((1...SampleNames.limit).contains(people), "The number of people must be 1 to 3,200,000.")
        try check((0...100_000_000).contains(messagesOfOne), "One person has at most 100,000,000 messages.")
        try check((0...1_000_000).contains(seed), "The seed must be 0 to 1,000,000.")
        switch profile {
        case .chinook:
            try check(people == Self.chinookCustomers, "Chinook has 59 customers, neither more nor fewer.")
            try check(messagesOfOne == 0, "Chinook has no messages.")
        case .muse: try check(messagesOfOne == 0 || people > 1, "Messages need two people.")
        case .coachme: break
        }
        self.profile = profile
        self.people = people
        self.messagesOfOne = messagesOfOne
        self.seed = seed
    }

    public static let chinookCustomers = 59

    /// The table and column that identify a user.
    public func subject(_ dialect: SQLDialect) -> ColumnName {
        switch (profile, dialect) {
        case (.chinook, .sqlite): ColumnName(TableName("Customer"), "CustomerId")
        case (.chinook, .postgresql): ColumnName(TableName(schema: "public", "customer"), "customer_id")
        case (_, .sqlite): ColumnName(TableName("auth_users"), "id")
        case (_, .postgresql): ColumnName(TableName(schema: "auth", "users"), "id")
        }
    }

    /// The key of a user in that column, as text. Any index has one; only those below `people` are made.
    public func subjectKey(at index: Int) -> String {
        profile == .chinook ? String(index + 1) : SampleKeys(seed: Int64(seed)).uuid(.person, index)
    }

    /// Other identifiers of the user: the display name, e-mail address and telephone number. None for Chinook, whose
    /// customers are as its authors made them.
    public func identifiers(at index: Int) -> [String] {
        guard profile != .chinook else { return [] }
        return [SampleNames.displayName(index), SampleNames.email(index), SampleNames.phone(index)]
    }

    /// An ordinary example user: one with neither the first nor the last rows of any table.
    public var exampleIndex: Int { people / 2 }

    /// The rows to make, parents before children. Chinook's are in its script.
    func tables(_ dialect: SQLDialect) -> [SampleTable] {
        let make = SampleExpressions(dialect: dialect, keys: SampleKeys(seed: Int64(seed)))
        return switch profile {
        case .coachme: CoachmeTables(people: people, messagesOfOne: messagesOfOne, make: make).tables
        case .muse: MuseTables(people: people, messagesOfOne: messagesOfOne, make: make).tables
        case .chinook: []
        }
    }
}
