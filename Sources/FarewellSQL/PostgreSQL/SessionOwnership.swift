// SPDX-License-Identifier: Apache-2.0

/// Whose session of the server a connection speaks to.
///
/// A pooler may give each transaction another session, which other programs use before and after. Nothing of ours may
/// remain on such a session: settings last for one transaction, statements have no names, and nothing is held between
/// transactions.
enum SessionOwnership: Sendable {
    /// Not known yet: what is sent must fit either.
    case unknown
    case own
    /// A pooler's. Each transaction begins with these settings.
    case shared(settings: PostgreSQLParameters)
}
