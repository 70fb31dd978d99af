// SPDX-License-Identifier: Apache-2.0

/// The owner of the server session behind a connection.
///
/// A pooler may give each transaction another session, which other programs use before and after. Farewell leaves
/// nothing on such a session: settings last for one transaction, statements have no names, and nothing is held between
/// transactions.
enum SessionOwnership: Sendable {
    /// Not known yet: statements must be valid for both cases.
    case unknown
    case own
    /// A pooler's. Each transaction begins with these settings.
    case shared(settings: PostgreSQLParameters)
}
