// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation
import Logging

/// Refreshes sessions: a refresh token is spent for its successor.
struct SessionRefresh: AuthorityPart {
    let context: AuthorityContext
    let issuer: SessionIssuer
    let revoker: SessionRevoker
    let renewals: RequestCoalescer<SessionRenewal, AccountShare>

    /// Spends a refresh token for its successor and a new access token.
    func refresh(
        _ token: String, nonce: String?, device: SessionDevice
    ) async throws -> SessionGrant {
        let presented = try RefreshToken(token, keys)
        if let nonce, !(8...256).contains(nonce.utf8.count) {
            throw AuthorityRefusal.validationFailed.error("The nonce must have 8 to 256 bytes")
        }
        let nonceHash = nonce.map { Array(SHA256.hash(data: Data($0.utf8))) }
        for _ in 1...4 {
            if let grant = try await attemptRefresh(presented, nonceHash: nonceHash, device: device) { return grant }
        }
        throw AuthorityRefusal.conflict.error(
            "Too many concurrent token refresh requests on the same session or refresh token")
    }

    /// Advances the chain by one statement, if allowed. Otherwise a second statement reads the present state; `nil` if
    /// the state changed in between.
    private func attemptRefresh(
        _ presented: RefreshToken, nonceHash: [UInt8]?, device: SessionDevice
    ) async throws -> SessionGrant? {
        let now = environment.now()
        let successor = presented.successor(keys)
        let renewal = SessionRenewal(
            token: presented, successor: successor, nonce: nonceHash, device: device, now: now,
            idleSince: settings.lifetime.idleSince(now), isCertain: clock.isTrusted)
        if let renewed = try await renewed(renewal) { return try await issuer.grant(renewed, successor) }
        let found = try await store.accounts.find(ofSession: presented.session).run(in: database)
        guard let account = found, let session = account.session else {
            if try await isBanned(presented.session, now: now) { throw Self.banned }
            throw try await revoker.missing(presented.session, as: .refreshTokenNotFound)
        }
        try refuse(account.user, session.session, now: now)
        return try await repeatOrEnd(presented, account, session, nonceHash: nonceHash, now: now)
    }

    /// Renews together with other simultaneous callers, or alone if that fails.
    private func renewed(_ renewal: SessionRenewal) async throws -> AccountRow? {
        if let share = await renewals.answer(to: renewal) { return try share.account() }
        let results = try await retrying {
            try await database.pipeline(store.refreshTokens.renewal(of: [renewal]))
        }
        return try store.refreshTokens.shares(of: results, among: 1).first?.account()
    }

    private static let banned = AuthorityRefusal.userBanned.error("Invalid Refresh Token: User Banned")

    /// Whether a session ended because of a ban of its user that still lasts.
    private func isBanned(_ session: UUID, now: Date) async throws -> Bool {
        let end = try await store.revocations.ban(ofEnded: session).run(in: database)
        return end.map { $0 > now } ?? false
    }

    private func refuse(_ user: User, _ session: Session, now: Date) throws {
        if user.isBanned(at: now) { throw Self.banned }
        guard user.deletedAt == nil else { throw AuthorityRefusal.refreshTokenNotFound.error }
        switch settings.lifetime.expiry(refreshedAt: session.refreshedAt, notAfter: session.notAfter, now: now) {
        case nil: return
        case .absolute: throw AuthorityRefusal.sessionExpired.error
        case .inactivity:
            throw AuthorityRefusal.sessionExpired.error("Invalid Refresh Token: Session Expired (Inactivity)")
        }
    }

    private func repeatOrEnd(
        _ presented: RefreshToken, _ account: AccountRow, _ session: SessionRow, nonceHash: [UInt8]?, now: Date
    ) async throws -> SessionGrant? {
        let sinceRefresh = now.timeIntervalSince(session.session.refreshedAt)
        let isWithinReuseInterval = sinceRefresh < settings.reuseInterval / .seconds(1)
        let standing = RefreshRotation.standing(
            token: presented.counter, active: session.counter, wasSpentWithNonce: session.nonceHash != nil,
            isWithinReuseInterval: isWithinReuseInterval)
        let proof: RefreshRotation.Proof =
            nonceHash == nil ? .noNonce : nonceHash == session.nonceHash ? .sameNonce : .otherNonce
        switch RefreshRotation.decide(standing, proof) {
        case .advance:
            // The chain had not advanced, yet the statement changed nothing: read again.
            return nil
        case .repeatActive:
            // A token of another chain with the same number: the store was restored from a back-up, or is damaged.
            guard let active = presented.successor(after: session.counter - presented.counter, keys),
                active.hash == session.tokenHash
            else { throw AuthorityRefusal.refreshTokenNotFound.error }
            let isLast = presented.counter == session.counter - 1
            let why: [SessionGrant.Repetition] =
                (isWithinReuseInterval ? [.concurrent] : []) + (isLast ? [.failedToSave] : [])
            return try await issuer.grant(account, active, repetitions: why)
        case .endSession:
            try await revoker.revoke(.one(presented.session), reason: .tokenReused)
            environment.log.warning(
                "A used refresh token was presented again; its session is ended.",
                metadata: ["session": "\(presented.session.text)"])
            throw AuthorityRefusal.refreshTokenAlreadyUsed.error
        case .refuse: throw AuthorityRefusal.refreshTokenNotFound.error
        }
    }
}
