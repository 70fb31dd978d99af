// SPDX-License-Identifier: Apache-2.0
public import Farewell
import FarewellKeys
import FarewellSQL
public import Foundation

/// Ending sessions, and the feed of those that ended.
extension SessionAuthority {
    /// Ends the caller's sessions by scope, and publishes each. A caller without a session ends all of them.
    public func signOut(_ caller: Caller, scope: SignOutScope) async throws {
        try await parts.signOut.signOut(caller, scope: scope)
    }

    /// Ends sessions by possession of a ticket: also after the access token has expired, and from a device that was
    /// offline when its user signed out. An unknown ticket succeeds, as in RFC 7009, 2.2.
    ///
    /// - Returns: The ticket's session, if any session ended; nil for an unknown ticket or an ended session. For the
    ///   log: a different answer would reveal the session's state to the holder of a ticket.
    @discardableResult
    public func signOut(ticket: String, scope: SignOutScope = .local) async throws -> UUID? {
        try await parts.signOut.signOut(ticket: ticket, scope: scope)
    }

    /// The caller's living sessions, newest first, with their own marked.
    public func sessions(of caller: Caller) async throws -> [Session] {
        try await parts.signOut.sessions(of: caller)
    }

    /// Ends one of the caller's own sessions.
    ///
    /// - Throws: `session_not_found` for an unknown session and for another user's: the answer does not reveal which.
    public func end(session: UUID, of caller: Caller) async throws {
        try await parts.signOut.end(session: session, of: caller)
    }

    /// Ends every session of a user, for callers that ban or erase the user.
    public func endSessions(of user: UUID, reason: SessionEnding) async throws {
        try await parts.revoker.revoke(.all(of: user), reason: reason)
    }

    /// Ends a user's sessions that began at a time or earlier: the answer to an event that may be reported late.
    package func endSessions(of user: UUID, begunUntil time: Date, reason: SessionEnding) async throws {
        try await parts.revoker.revoke(.begun(until: time, of: user), reason: reason)
    }

    /// Ends all sessions of users who are about to be erased, and publishes that none of their tokens is valid any
    /// longer, whenever it was issued. All of them in one transaction and one round trip.
    public func close(_ subjects: [String]) async throws {
        try await parts.revoker.close(subjects)
    }

    /// The statements of `close`, for a transaction of the caller's that erases the users after them. `closed`
    /// publishes it when it is committed.
    package func closing(_ subjects: [String]) -> [SQLStatement] { parts.revoker.closing(subjects) }

    /// A transaction with the statements of `closing` was committed. Followers also poll.
    package func closed() async { try? await parts.revoker.announce() }

    /// Why a session was ended; `nil` if it is active, has expired, or ended longer ago than a token may live.
    public func ending(of session: UUID) async throws -> SessionEnding? {
        try await parts.revoker.ending(of: session)
    }

    /// Entries of the revocation feed after a cursor, oldest first. A follower that has read up to a cursor has missed
    /// nothing before it. Entries are deleted after a day: no access token lives longer.
    public func revocations(after cursor: Int64 = 0, limit: Int = 500) async throws -> [Revocation] {
        try await parts.revocations.entries(after: cursor, limit: limit)
    }

    /// Follows the feed from a cursor on, without end. New entries arrive as long as `run` runs in this process.
    public func revocationFeed(after cursor: Int64 = 0) -> RevocationFeed {
        RevocationFeed(revocations: parts.revocations, cursor: cursor)
    }

    /// Yields whenever the feed has new entries, as long as `run` runs in this process.
    package var revocationWakes: AsyncStream<Void> { parts.revocations.signal.wakes }

    /// The newest cursor there is; 0 when nothing was ever revoked.
    public func newestRevocation() async throws -> Int64 {
        try await parts.revocations.newest()
    }

    /// Why the database takes no writes; nil if nothing stands against one. Only reads.
    ///
    /// - Throws: the database's errors.
    package func writeObstacle() async throws -> FarewellError? { try await context.database.writeObstacle() }

    /// Why the clock ends nothing irreversible now; nil while it may. Makes no query.
    package var clockFault: ClockStanding? { context.clock.fault }

    /// Looks at the clock again, if it is not trusted.
    package func recheckClock() async { await context.clock.recheck() }

    /// Whether the feed may have issued this cursor. A cursor ahead of all entries was issued before the database was
    /// restored from a backup: a follower that continued from it would miss entries until the feed reaches that number
    /// again.
    public func mayHaveGiven(_ cursor: Int64) async throws -> Bool {
        try await parts.revocations.mayHaveGiven(cursor)
    }

    /// The position that followers return after an entry: its cursor and, after a point, a keyed check of its contents.
    /// In a feed that was restored from a backup and has reached the number again, the number belongs to another entry.
    package func mark(of entry: Revocation) -> String {
        parts.revocations.mark(of: entry)
    }

    /// The cursor from which a returning follower continues. The follower gives its last cursor, and perhaps the mark
    /// of that entry; `nil` if the mark shows that this feed never issued the cursor.
    ///
    /// If that entry has been deleted, its identity cannot be checked, and an entry may have got an earlier cursor and
    /// ended later: the follower then receives all entries, most of which came after it.
    package func resumption(after cursor: Int64, mark: String?) async throws -> Int64? {
        try await parts.revocations.resumption(after: cursor, mark: mark)
    }
}
