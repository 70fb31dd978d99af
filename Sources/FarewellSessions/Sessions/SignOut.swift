// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Signs users out, by their access token or by a ticket, and lists their sessions.
struct SignOut: AuthorityPart {
    let context: AuthorityContext
    let revoker: SessionRevoker

    /// Ends the caller's sessions by scope, and publishes each.
    func signOut(_ caller: Caller, scope: SignOutScope) async throws {
        _ = try await signOut(caller.user.id, from: caller.session?.id, scope: scope)
    }

    /// Ends sessions by possession of a ticket: also after the access token has expired, and from a device that was
    /// offline when its user signed out.
    @discardableResult
    func signOut(ticket: String, scope: SignOutScope) async throws -> UUID? {
        guard let session = SignOutTicket.session(of: ticket, keys) else { return nil }
        let account = try await store.accounts.find(ofSession: session).run(in: database)
        guard let user = account?.user.id else { return nil }
        return try await signOut(user, from: session, scope: scope) > 0 ? session : nil
    }

    /// Answers how many sessions ended.
    private func signOut(_ user: UUID, from current: UUID?, scope: SignOutScope) async throws -> Int {
        guard let current else { return try await revoker.revoke(.all(of: user), reason: .signedOutElsewhere) }
        return switch scope {
        case .local: try await revoker.revoke(.own(current, of: user), reason: .signedOut)
        case .others: try await revoker.revoke(.others(than: current, of: user), reason: .signedOutElsewhere)
        case .global:
            try await revoker.revoke(.all(of: user), reason: .signedOutElsewhere, except: (current, .signedOut))
        }
    }

    /// The caller's living sessions, newest first, with their own marked.
    func sessions(of caller: Caller) async throws -> [Session] {
        let now = environment.now()
        let live = store.sessions.live(of: caller.user.id, now: now, idleSince: settings.lifetime.idleSince(now))
        var sessions = try await live.run(in: database)
        for place in sessions.indices {
            sessions[place].isCurrent = sessions[place].id == caller.session?.id
        }
        return sessions
    }

    /// Ends one of the caller's own sessions.
    func end(session: UUID, of caller: Caller) async throws {
        let isCurrent = session == caller.session?.id
        let ended = try await revoker.revoke(
            .own(session, of: caller.user.id), reason: isCurrent ? .signedOut : .endedFromList)
        guard ended > 0 else { throw AuthorityRefusal.sessionNotFound.error("Session does not exist") }
    }
}
