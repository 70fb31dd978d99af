// SPDX-License-Identifier: Apache-2.0
public import Farewell
import FarewellKeys
import FarewellSQL
import Foundation
import Logging

extension SessionAuthority {
    /// Entries of the revocation feed after a cursor, oldest first. A follower that has read up to a cursor has missed
    /// nothing before it. Entries are deleted after a day: no access token lives longer.
    public func revocations(after cursor: Int64 = 0, limit: Int = 500) async throws -> [Revocation] {
        try await giveCursors()
        let query = store.revocations(after: cursor, limit: min(max(limit, 1), 10_000))
        return try await database.run(query).rows.map { row in
            var reader = RowReader(row)
            let cursor = try reader.requiredInteger()
            let (session, subject) = (try reader.identifier(), try reader.requiredIdentifier())
            let revokedAt = try reader.requiredDate()
            guard let reason = SessionEnding(rawValue: try reader.requiredText()) else { throw RowReader.unreadable }
            return Revocation(
                cursor: cursor, sessionID: session, subject: subject, issuer: settings.issuer, revokedAt: revokedAt,
                reason: reason)
        }
    }

    /// Follows the feed from a cursor on, without end. New entries arrive as long as `run` runs in this process.
    public func revocationFeed(after cursor: Int64 = 0) -> RevocationFeed {
        RevocationFeed(authority: self, cursor: cursor)
    }

    /// Yields whenever the feed has new entries, as long as `run` runs in this process.
    package var revocationWakes: AsyncStream<Void> { feedSignal.wakes }

    /// The newest cursor there is; 0 when nothing was ever revoked.
    public func newestRevocation() async throws -> Int64 {
        try await giveCursors()
        return try await database.run(store.newestCursor).scalar?.integer ?? 0
    }

    /// Why the database takes no writes; nil if nothing stands against one. Only reads.
    ///
    /// - Throws: the database's errors.
    package func writeObstacle() async throws -> FarewellError? { try await database.writeObstacle() }

    /// Whether the feed may have issued this cursor. A cursor ahead of all entries was issued before the database was
    /// restored from a backup: a follower that continued from it would miss entries until the feed reaches that number
    /// again.
    public func mayHaveGiven(_ cursor: Int64) async throws -> Bool {
        if cursor == 0 { return true }
        return try await database.run(store.lastCursor).scalar?.integer ?? 0 >= cursor
    }

    /// The position that followers return after an entry: its cursor and, after a point, a keyed check of its contents.
    /// In a feed that was restored from a backup and has reached the number again, the number belongs to another entry.
    package func mark(of entry: Revocation) -> String {
        let milliseconds = Int64((entry.revokedAt.timeIntervalSince1970 * 1000).rounded())
        let told = [String(entry.cursor), entry.sessionID?.text ?? "", entry.subject.text, String(milliseconds)]
        return "\(entry.cursor)." + keys.lookupHash(told, .revocationMark).prefix(8).hexadecimal
    }

    /// The cursor from which a follower continues that returns with a cursor, and perhaps with the mark of its entry;
    /// nil if this feed never issued it, as the mark of the entry with this cursor shows.
    ///
    /// If that entry has been deleted, its identity cannot be checked, and an entry may have got an earlier cursor and
    /// ended later: the follower then receives all entries, most of which came after it.
    package func resumption(after cursor: Int64, mark: String?) async throws -> Int64? {
        guard try await mayHaveGiven(cursor) else { return nil }
        guard cursor > 0, let entry = try await revocations(after: cursor - 1, limit: 1).first, entry.cursor == cursor
        else { return 0 }
        return mark == nil || mark == self.mark(of: entry) ? cursor : nil
    }

    private func giveCursors() async throws {
        let unread = try await database.run(store.hasUnread).scalar?.integer
        guard unread != 0 else { return }
        _ = try await retrying {
            // A pipeline is one transaction.
            try await database.pipeline(store.giveCursors)
        }
    }

    /// Looks after the feed and clears away what is over, until the task is cancelled. A database that does not answer
    /// for a while is waited for.
    public func run() async {
        let wakes = revocationSignal.wakes
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await wakeFollowers(at: wakes) }
            group.addTask { await wakeRegularly() }
            group.addTask { await clearAwayRegularly() }
            group.addTask { await removeReturnedKeysRegularly() }
            if let sender = partners.mail {
                group.addTask { await parts.mailDelivery.deliverRegularly(by: sender) }
            }
            if let database = database as? PostgreSQLDatabase {
                group.addTask { await listen(to: database) }
            }
        }
    }

    /// Wakes the followers of the feed if it has grown.
    private func wakeFollowers(at wakes: AsyncStream<Void>) async {
        var known: Int64 = -1
        for await _ in wakes where feedSignal.waiters > 0 {
            guard let newest = await attempt("Reading the revocation feed", newestRevocation) else { continue }
            if newest != known { feedSignal.wake() }
            known = newest
        }
    }

    private func wakeRegularly() async {
        while (try? await environment.sleep(settings.feedPoll)) != nil { revocationSignal.wake() }
    }

    private func clearAwayRegularly() async {
        repeat {
            _ = await attempt("Removing expired data", prune)
        } while (try? await environment.sleep(.seconds(60))) != nil
    }

    /// Receives the signals of other servers. The listener reconnects automatically; a lasting error is waited out.
    private func listen(to database: PostgreSQLDatabase) async {
        repeat {
            do {
                for try await _ in database.notifications(on: AuthorityStore.channel) { revocationSignal.wake() }
            } catch {
                let text = FarewellError.text(of: error)
                environment.log.warning("Listening for revocations failed.", metadata: ["error": "\(text)"])
            }
        } while (try? await environment.sleep(.seconds(5))) != nil
    }
}
