// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Revokes sessions: ends them and publishes that their tokens are no longer valid.
struct SessionRevoker: AuthorityPart {
    let context: AuthorityContext
    /// Something may have been revoked, by this server or another one.
    let signal = WakeSignal()

    init(context: AuthorityContext) { self.context = context }

    /// Ends sessions in one transaction and one round trip, then notifies the followers. Returns the number of ended
    /// ones.
    @discardableResult
    func revoke(
        _ selection: SessionSelection, reason: SessionEnding, except first: (UUID, SessionEnding)? = nil
    ) async throws -> Int {
        let statements = store.sessions.end(selection, reason: reason, now: environment.now(), except: first)
        let ended = try await retrying {
            try await database.withConnection { connection in
                store.revocations.affected(
                    inAnnounced: try await connection.pipeline(store.revocations.announced(statements)))
            }
        }
        if ended > 0 { signal.wake() }
        return ended
    }

    /// Ends all sessions of users who are about to be erased, and publishes that none of their tokens is valid any
    /// longer, whenever it was issued.
    func close(_ subjects: [String]) async throws {
        let users = subjects.compactMap(UUID.init(text:))
        guard !users.isEmpty else { return }
        let statements = closing(users)
        try await retrying {
            guard store.revocations.announce != nil else {
                return try await database.transaction { connection in _ = try await connection.pipeline(statements) }
            }
            do {
                try await database.withConnection { connection in
                    _ = try await connection.pipeline(store.revocations.announced(statements))
                }
            } catch let error as FarewellError where error.code == "sql.54000" {
                // The queue of notifications is full, after the commit. Followers also poll.
            }
        }
        signal.wake()
    }

    /// The statements of `close` for a transaction of which they are a part: what follows them is planned as without
    /// them.
    func closing(_ subjects: [String]) -> [SQLStatement] {
        let users = subjects.compactMap(UUID.init(text:))
        guard !users.isEmpty else { return [] }
        return [AccountStore.noteScans] + closing(users) + [AccountStore.scanAsNoted]
    }

    private func closing(_ users: [UUID]) -> [SQLStatement] {
        let now = environment.now()
        if users.count > 1, database.dialect.hasArrays {
            return store.sessions.endAll(of: users, reason: .deleted, now: now)
        }
        return users.flatMap { user in
            store.sessions.end(.all(of: user), reason: .deleted, now: now) + [
                store.revocations.revokeAll(of: user, reason: .deleted, now: now)
            ]
        }
    }

    /// Informs other servers, and the followers within this one, of new revocations.
    func announce() async throws {
        signal.wake()
        guard let announce = store.revocations.announce else { return }
        try await database.run(announce)
    }

    /// The refusal of a session that is gone, with the reason for as long as it is known.
    func missing(_ session: UUID, as refusal: AuthorityRefusal) async throws -> FarewellError {
        refusal.error(remedy: try await ending(of: session)?.sentence)
    }

    /// Why a session was ended; `nil` if it is active, has expired, or ended longer ago than a token may live.
    func ending(of session: UUID) async throws -> SessionEnding? {
        try await store.revocations.ending(of: session).run(in: database)
    }
}
