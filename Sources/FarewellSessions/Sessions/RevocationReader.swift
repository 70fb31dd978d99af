// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Reads the revocation feed.
struct RevocationReader: AuthorityPart {
    let context: AuthorityContext
    /// The feed has new entries.
    let signal = WakeSignal()

    init(context: AuthorityContext) { self.context = context }

    /// Entries of the revocation feed after a cursor, oldest first.
    func entries(after cursor: Int64, limit: Int = 500) async throws -> [Revocation] {
        try await assignCursors()
        let query = store.revocations.entries(
            after: cursor, limit: min(max(limit, 1), 10_000), issuer: settings.issuer)
        return try await query.run(in: database)
    }

    /// The newest cursor there is; 0 when nothing was ever revoked.
    func newest() async throws -> Int64 {
        try await assignCursors()
        return try await store.revocations.newestCursor.run(in: database)
    }

    /// Whether the feed may have issued this cursor.
    func mayHaveGiven(_ cursor: Int64) async throws -> Bool {
        if cursor == 0 { return true }
        return try await store.revocations.lastCursor.run(in: database) >= cursor
    }

    /// The position that followers return after an entry: its cursor and, after a point, a keyed check of its contents.
    /// In a feed that was restored from a backup and has reached the number again, the number belongs to another entry.
    func mark(of entry: Revocation) -> String {
        let milliseconds = Int64((entry.revokedAt.timeIntervalSince1970 * 1000).rounded())
        let fields = [String(entry.cursor), entry.sessionID?.text ?? "", entry.subject.text, String(milliseconds)]
        return "\(entry.cursor)." + keys.lookupHash(fields, .revocationMark).prefix(8).hexadecimal
    }

    /// The cursor from which a returning follower continues. The follower gives its last cursor, and perhaps the mark
    /// of that entry; `nil` if the mark shows that this feed never issued the cursor.
    ///
    /// If that entry has been deleted, its identity cannot be checked, and an entry may have got an earlier cursor and
    /// ended later: the follower then receives all entries, most of which came after it.
    func resumption(after cursor: Int64, mark: String?) async throws -> Int64? {
        guard try await mayHaveGiven(cursor) else { return nil }
        guard cursor > 0, let entry = try await entries(after: cursor - 1, limit: 1).first, entry.cursor == cursor
        else { return 0 }
        return mark == nil || mark == self.mark(of: entry) ? cursor : nil
    }

    private func assignCursors() async throws {
        guard try await store.revocations.hasUnread.run(in: database) else { return }
        _ = try await retrying {
            // A pipeline is one transaction.
            try await database.pipeline(store.revocations.assignCursors)
        }
    }
}
