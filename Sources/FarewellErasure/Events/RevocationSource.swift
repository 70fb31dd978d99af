// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The feed of revoked sessions, as its deliverer reads it. The server implements it with the session authority.
package protocol RevocationSource: Sendable {
    /// Yields whenever there may be new entries.
    var revocationWakes: AsyncStream<Void> { get }

    /// The newest cursor; 0 when nothing was ever revoked.
    func newestRevocation() async throws -> Int64

    /// Entries after a cursor, oldest first.
    func revocations(after cursor: Int64, limit: Int) async throws -> [Revocation]

    /// Whether the feed may have given this cursor: false if the database was restored from an earlier back-up.
    func mayHaveGiven(_ cursor: Int64) async throws -> Bool
}
