// SPDX-License-Identifier: Apache-2.0
public import Farewell
import FarewellKeys
import FarewellSQL
public import Foundation

extension SessionAuthority {
    /// Ends the caller's sessions by scope, and publishes each. A caller without a session ends all of them.
    public func signOut(_ caller: Caller, scope: SignOutScope) async throws {
        _ = try await signOut(caller.user.id, from: caller.session?.id, scope: scope)
    }

    /// Ends sessions by possession of a ticket: also after the access token has expired, and from a device that was
    /// offline when its user signed out. An unknown ticket succeeds, as in RFC 7009, 2.2.
    ///
    /// - Returns: The ticket's session, if any session ended; nil for an unknown ticket or an ended session. For the
    ///   log: a different answer would reveal the session's state to the holder of a ticket.
    @discardableResult
    public func signOut(ticket: String, scope: SignOutScope = .local) async throws -> UUID? {
        guard let session = SignOutTicket.session(of: ticket, keys) else { return nil }
        let account = try await database.withConnection { connection in
            try AccountRow(try await connection.run(store.account(ofSession: session)))
        }
        guard let user = account?.user.id else { return nil }
        return try await signOut(user, from: session, scope: scope) > 0 ? session : nil
    }

    /// Answers how many sessions ended.
    private func signOut(_ user: UUID, from current: UUID?, scope: SignOutScope) async throws -> Int {
        guard let current else { return try await end(.all(of: user), reason: .signedOutElsewhere) }
        return switch scope {
        case .local: try await end(.own(current, of: user), reason: .signedOut)
        case .others: try await end(.others(than: current, of: user), reason: .signedOutElsewhere)
        case .global: try await end(.all(of: user), reason: .signedOutElsewhere, except: (current, .signedOut))
        }
    }

    /// The caller's living sessions, newest first, with their own marked.
    public func sessions(of caller: Caller) async throws -> [Session] {
        let now = environment.now()
        let query = store.sessions(of: caller.user.id, now: now, idleSince: settings.lifetime.idleSince(now))
        return try await database.run(query).rows.compactMap { row in
            var reader = RowReader(row)
            guard var session = try SessionRow(&reader)?.session else { return nil }
            session.isCurrent = session.id == caller.session?.id
            return session
        }
    }

    /// Ends one of the caller's own sessions.
    ///
    /// - Throws: `session_not_found` for an unknown session and for another user's: the answer does not reveal which.
    public func end(session: UUID, of caller: Caller) async throws {
        let isCurrent = session == caller.session?.id
        let ended = try await end(
            .own(session, of: caller.user.id), reason: isCurrent ? .signedOut : .endedFromList)
        guard ended > 0 else { throw AuthorityRefusal.sessionNotFound.error("Session does not exist") }
    }

    /// Ends every session of a user, for callers that bar or erase the user.
    public func endSessions(of user: UUID, reason: SessionEnding) async throws {
        try await end(.all(of: user), reason: reason)
    }
}

extension SessionAuthority {
    /// Ends sessions in one transaction and one round trip, then notifies the followers. Returns the number of ended
    /// ones.
    @discardableResult
    func end(
        _ selection: SessionSelection, reason: SessionEnding, except first: (UUID, SessionEnding)? = nil
    ) async throws -> Int {
        let statements = store.end(selection, reason: reason, now: environment.now(), except: first)
        let ended = try await retrying {
            try await database.withConnection { connection in
                store.affected(inAnnounced: try await connection.pipeline(store.announced(statements)))
            }
        }
        if ended > 0 { revocationSignal.wake() }
        return ended
    }
}
