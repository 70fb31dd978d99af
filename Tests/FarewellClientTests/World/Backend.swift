// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellClient
import Foundation

/// A server in memory with the rules of the real one: tokens rotate, a spent one with another nonce is theft, a ticket ends its session, a
/// deletion is requested under a key and read by its ticket.
final class Backend: Sendable {
    struct Live: Sendable {
        let user: String
        var access: String
        var refresh: String
        var spent: (refresh: String, nonce: String)?
        let ticket: String
        var expiresAt: Date
    }

    struct State: Sendable {
        var people: Set<String> = ["anna", "berta"]
        var live: [String: Live] = [:]
        var endings: [String: SignOutReason] = [:]
        var deletions: [String: (user: String, key: String)] = [:]
        var renewals = 0
        var alarms = 0
        var deletionRequests: [String] = []
        var revocations = 0
        var serial = 0
    }

    let state = Guarded(State())
    let time: VirtualTime
    /// Seconds an access token is good.
    let life: TimeInterval

    init(_ time: VirtualTime, life: TimeInterval = 3_600) {
        self.time = time
        self.life = life
    }

    var renewals: Int { state.withLock { $0.renewals } }
    var alarms: Int { state.withLock { $0.alarms } }
    func isLive(_ session: DeviceSession) -> Bool { state.withLock { $0.live[session.id] != nil } }
    func hasAccount(_ user: String) -> Bool { state.withLock { $0.people.contains(user) } }

    func isAccepted(_ session: DeviceSession) -> Bool {
        let now = time.serverNow
        return session.accessToken.reveal { token in
            state.withLock { state in
                state.live.values.contains { $0.access == token && $0.expiresAt > now }
            }
        }
    }

    func end(_ id: String, _ reason: SignOutReason) {
        state.withLock { state in
            state.live[id] = nil
            state.endings[id] = reason
        }
    }

    func signIn(_ user: String) -> ProviderAnswer<DeviceSession> {
        let now = time.serverNow
        let session = state.withLock { state -> DeviceSession in
            state.people.insert(user)
            state.serial += 1
            let id = "session-\(state.serial)"
            let live = Live(
                user: user, access: "access-\(state.serial)", refresh: "refresh-\(state.serial)", spent: nil,
                ticket: "ticket-\(id)", expiresAt: now.addingTimeInterval(life))
            state.live[id] = live
            return self.session(id, live)
        }
        return ProviderAnswer(session, serverTime: now)
    }

    private func session(_ id: String, _ live: Live) -> DeviceSession {
        DeviceSession(
            id: id, user: DeviceUser(id: live.user, email: "\(live.user)@example.org", appleUserID: "apple-\(live.user)"),
            accessToken: Token(live.access), refreshToken: Token(live.refresh), signOutTicket: Token(live.ticket),
            expiresAt: live.expiresAt, lifetime: life)
    }

    func renew(_ session: DeviceSession, nonce: String) throws(ProviderFailure) -> ProviderAnswer<DeviceSession> {
        let now = time.serverNow
        let shown = session.refreshToken.reveal { $0 }
        let outcome = state.withLock { state -> Result<DeviceSession, ProviderFailure> in
            state.renewals += 1
            guard var live = state.live[session.id] else {
                return .failure(.ended(state.endings[session.id] ?? .refused))
            }
            if shown != live.refresh {
                guard let spent = live.spent, spent.refresh == shown, spent.nonce == nonce else {
                    state.alarms += 1
                    state.live[session.id] = nil
                    state.endings[session.id] = .stolenToken
                    return .failure(.ended(.stolenToken))
                }
            } else {
                state.serial += 1
                live.spent = (live.refresh, nonce)
                live.refresh = "refresh-\(state.serial)"
            }
            state.serial += 1
            live.access = "access-\(state.serial)"
            live.expiresAt = now.addingTimeInterval(life)
            state.live[session.id] = live
            return .success(self.session(session.id, live))
        }
        return ProviderAnswer(try outcome.get(), serverTime: now)
    }

    func revoke(ticket: String, _ scope: SignOutScope) {
        state.withLock { state in
            state.revocations += 1
            guard let id = state.live.first(where: { $0.value.ticket == ticket })?.key, let user = state.live[id]?.user else {
                return
            }
            for (other, live) in state.live where live.user == user && scope.ends(UUID(of: other), signingOutFrom: UUID(of: id)) {
                state.live[other] = nil
                state.endings[other] = other == id ? .byYou : .elsewhere
            }
        }
    }

    func delete(_ session: DeviceSession, _ intent: DeletionIntent) throws(ProviderFailure) -> DeletionAnswer {
        guard isAccepted(session) else {
            throw .unauthorised(FarewellError("test.401", .yoursToFix, "401"))
        }
        state.withLock { state in
            state.deletionRequests.append(intent.key)
            state.deletions[intent.ticket.reveal { $0 }] = (session.user.id, intent.key)
            state.people.remove(session.user.id)
            for (id, live) in state.live where live.user == session.user.id {
                state.live[id] = nil
                state.endings[id] = .accountDeleted
            }
        }
        return .done(DeletionProgress(id: "erasure-1", state: "done"))
    }

    func status(_ intent: DeletionIntent) -> DeletionAnswer {
        state.withLock { state in
            intent.ticket.reveal { ticket in
                state.deletions[ticket] == nil ? .unknown : .done(DeletionProgress(id: "erasure-1", state: "done"))
            }
        }
    }
}

extension UUID {
    /// A stable identifier for a name.
    fileprivate init(of name: String) {
        let tail = String(name.split(separator: "-").last ?? "0")
        let digits = String(repeating: "0", count: 12 - tail.count) + tail
        self = UUID(uuidString: "00000000-0000-0000-0000-\(digits)") ?? UUID()
    }
}
