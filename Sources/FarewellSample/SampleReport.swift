// SPDX-License-Identifier: Apache-2.0
public import Farewell
import FarewellSQL

/// The created tables and numbers of rows.
public struct SampleReport: Sendable, Hashable, Codable {
    public var profile: SamplePeople.Profile
    public var people: Int
    /// Rows made in each table, in the order they were made; Chinook's are counted afterwards.
    public var tables: [Table]
    /// The root of a user, e.g. `auth.users.id`.
    public var subject: String
    /// The key of one ordinary example user.
    public var exampleKey: String
    /// The key of the user with many messages, if one was requested.
    public var largeKey: String?

    /// One table and how many rows were made in it.
    public struct Table: Sendable, Hashable, Codable {
        public var table: TableName
        public var rows: Int
    }

    public var rows: Int { tables.reduce(0) { $0 + $1.rows } }
}
