// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

extension FarewellDevice {
    /// Signs a user in: `ask` gets a session from the backend, this device keeps it.
    ///
    /// If another user is signed in, they are signed out first; retained data of another user is cleared before this
    /// one is shown as signed in.
    /// - Throws: `ProviderFailure.error`; `device.storage` and others if the session could not be kept: then no user is
    ///   signed in, and the server learns that the session has ended.
    @discardableResult
    public func signIn(
        _ ask: @Sendable () async throws(ProviderFailure) -> ProviderAnswer<DeviceSession>
    ) async throws -> DeviceSession {
        let answer: ProviderAnswer<DeviceSession>
        do {
            answer = try await ask()
        } catch {
            throw error.error
        }
        serverTime.learn(answer.serverTime, at: environment.elapsed())
        do {
            try await keep(answer.value)
        } catch {
            // The device does not have the session, so the server need not keep it.
            if standing.session?.id != answer.value.id { await giveBack(answer.value) }
            throw error
        }
        // The user's earlier session is in the outbox.
        keepUp(isTried: false)
        return answer.value
    }

    /// Keeps a session that the backend has just issued, once the device holds no other user's session or data.
    private func keep(_ session: DeviceSession) async throws {
        let before = storedSession
        let former = try await endFormer(for: session)
        let isReadable = try await finishInterrupted()
        let held = try await journal.claim.wait()
        defer { held.release() }
        if let now = storedSession, ![before, former, session.id].contains(now) {
            // Another sign-in was faster, and its session is in use: it ends first.
            held.release()
            return try await keep(session)
        }
        if !isReadable {
            // The interrupted departure cannot be read any more: everything is cleared before another user is shown.
            guard await isCleared() else { throw Self.notClean }
            try previousUser.forget()
            try journal.remove()
        } else if let left = try journal.read() {
            // The remaining data is the user's own, or another user's and must be cleared. A deletion whose answer
            // never came has cleared nothing yet; the next step does.
            guard !left.isDecided || previousUser.isSame(as: session.user) else {
                throw FarewellError(
                    "device.not-clean", .tryAgain, "The sign-out of the previous user is not complete on this device.",
                    remedy: "Read the report of the sign-out.")
            }
            try journal.remove()
        }
        switch previousUser.owner(for: session.user) {
        case .same: break
        case .another: guard await isCleared() else { throw Self.notClean }
        case .noUser: guard try await areOutlivingSecretsCleared() else { throw Self.notClean }
        }
        if isOfAnother(than: session.user) {
            guard await wipe.wipe(.deletion, .memory).isClean else { throw Self.notClean }
        }
        guard held.isHeld else { throw DeviceClaim.busy }
        try previousUser.remember(session.user)
        let lead = serverTime.lead(environment)
        let record = try await vault.overwrite { SessionRecord(generation: $0, session: session, lead: lead) }
        isQuiet = false
        adopt(written: record, saying: .signedIn(session))
    }

    /// The name of the session in the token store; `nil` if that is unknown.
    private var storedSession: String? {
        if case .record(let record) = vault.read() { record?.session?.id } else { nil }
    }

    /// Ends the session that a new one replaces.
    ///
    /// - Returns: the name of the user's own former session, which stays in use until the new one is stored.
    private func endFormer(for session: DeviceSession) async throws -> String? {
        look()
        guard let old = standing.session else { return nil }
        guard old.user.id == session.user.id else {
            _ = try await signOut()
            return nil
        }
        // The same user again: their old session is over, their data stays.
        if let order = provider.revocation(ofUnused: old), old.id != session.id {
            try await outbox.put(
                .init(
                    id: environment.makeIdentifier().uuidString, provider: provider.name, revocation: order,
                    replaced: old.id))
        }
        return old.id
    }

    /// Clears the data of any user; whether none is left. An extension does not know what the app holds.
    private func isCleared() async -> Bool {
        let report = await wipe.wipe(.deletion)
        if report.isClean { person = nil }
        return report.isClean && !environment.isExtension
    }

    /// Clears the secrets that a removed installation has left in a place that outlives it, such as the Keychain. Which
    /// user that was is unknown, so also those that a sign-out keeps for its user's next sign-in.
    private func areOutlivingSecretsCleared() async throws -> Bool {
        guard vault.isForeign else { return true }
        let secrets = wipe.groups.joined().filter { $0 is SecretParticipant }
        return try await WipeRegistry(secrets, pause: environment.pause).wipe(.deletion).isClean
    }

    private static let notClean = FarewellError(
        "device.not-clean", .tryAgain, "Data of the previous user could not be removed from this device.")

    /// Finishes a departure that was interrupted; whether the journal could be read.
    private func finishInterrupted() async throws -> Bool {
        let interrupted: Departure?
        do {
            interrupted = try journal.read()
        } catch let error as FarewellError where error.family == .ours {
            environment.log(error)
            return false
        }
        if let interrupted { _ = try await finish(interrupted) }
        return true
    }

    /// Proves the identity of the signed-in user again, for acts that need a recent sign-in.
    ///
    /// - Throws: `device.another-person` if another user signed in: nothing has changed, and their new session is
    ///   ended.
    @discardableResult
    public func reauthenticate(
        _ ask: @Sendable () async throws(ProviderFailure) -> ProviderAnswer<DeviceSession>
    ) async throws -> DeviceSession {
        let before = try await session
        let answer: ProviderAnswer<DeviceSession>
        do {
            answer = try await ask()
        } catch {
            throw error.error
        }
        guard answer.value.user.id == before.user.id else {
            await giveBack(answer.value)
            throw FarewellError(
                "device.another-person", .yoursToFix, "Another user signed in; nothing was changed.",
                remedy: "Sign in as the user of this account.")
        }
        return try await signIn { () async throws(ProviderFailure) in answer }
    }

    /// Updates the data of the signed-in user, such as a new address.
    public func update(_ user: DeviceUser) async throws {
        guard let session = standing.session, session.user.id == user.id else { throw Self.signedOut }
        let stored = try await vault.change { current -> (SessionRecord?, SessionRecord?) in
            guard var current, let kept = current.session, kept.id == session.id else { return (nil, nil) }
            current.session = DeviceSession(
                id: kept.id, user: user, accessToken: kept.accessToken, refreshToken: kept.refreshToken,
                signOutTicket: kept.signOutTicket, expiresAt: kept.expiresAt, lifetime: kept.lifetime)
            current.generation += 1
            return (current, current)
        }
        if let stored { adopt(written: stored, saying: .userUpdated(user)) }
    }
}
