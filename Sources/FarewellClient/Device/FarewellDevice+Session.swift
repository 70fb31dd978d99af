// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

extension FarewellDevice {
    /// A session whose access token is valid now, renewed if necessary.
    ///
    /// - Throws: `device.signed-out`; `device.offline` and others of the family *try again* if a renewal was necessary
    ///   and failed: the user stays signed in.
    public var session: DeviceSession {
        get async throws {
            look()
            switch standing {
            case .signedOut: throw Self.signedOut
            case .unknown(let error): throw error
            case .signedIn(let session):
                let now = serverTime.now(environment)
                guard SessionFreshness.of(session, at: now) == .stale else { return session }
                do {
                    return try await renewed(from: session)
                } catch let failure as ProviderFailure {
                    if case .unavailable = failure, session.expiresAt > now { return session }
                    throw failure.error
                }
            }
        }
    }

    /// Runs a call with a valid token; if the server does not accept it, renews once and runs the call once more.
    ///
    /// A call reports this by throwing `ProviderFailure.unauthorised`. Sign-out cancels running calls, and the result
    /// of a call that was not cancelled in time is dropped.
    /// - Throws: the error of the call; `device.sign-in-again` if a new token was not accepted either.
    public func perform<Result: Sendable>(
        _ call: @escaping @Sendable (DeviceSession) async throws -> Result
    ) async throws -> Result {
        let first = try await session
        do {
            return try await tracked(first, call)
        } catch ProviderFailure.unauthorised {
            let second: DeviceSession
            do {
                second = try await renewed(from: first)
            } catch let failure as ProviderFailure {
                throw failure.error
            }
            do {
                return try await tracked(second, call)
            } catch ProviderFailure.unauthorised {
                throw FarewellError(
                    "device.sign-in-again", .yoursToFix, "The server no longer accepts this sign-in.",
                    remedy: "Ask the user to sign in again.")
            }
        }
    }

    private func tracked<Result: Sendable>(
        _ session: DeviceSession, _ call: @escaping @Sendable (DeviceSession) async throws -> Result
    ) async throws -> Result {
        let id = environment.makeIdentifier()
        let task = Task { try await call(session) }
        calls[id] = { task.cancel() }
        defer { calls[id] = nil }
        let result = try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
        // Another process may have signed the user out.
        look()
        guard standing.session?.id == session.id else { throw Self.signedOut }
        return result
    }

    // MARK: Renewing

    /// The session after `old`, renewed by this process, once for all its callers, or by another process.
    ///
    /// - Throws: `ProviderFailure`.
    func renewed(from old: DeviceSession) async throws -> DeviceSession {
        look()
        guard let current = standing.session, current.id == old.id else { throw Self.signedOut }
        if current.accessToken != old.accessToken { return current }
        // One of a former session may still be on its way.
        if let renewal, renewal.session == current.id { return try await renewal.task.value }
        let work = Task { try await renew(current) }
        renewal = (current.id, work)
        defer { if renewal?.task == work { renewal = nil } }
        do {
            return try await work.value
        } catch {
            // The end of the session may be the answer that an earlier deletion waits for.
            if endings[current.id] != nil, !isQuiet { await settle() }
            throw error
        }
    }

    private func renew(_ held: DeviceSession) async throws -> DeviceSession {
        var looks = 0
        while true {
            let nonce = environment.makeIdentifier().text
            let claim = try await vault.change { [environment] record in
                let claim = RenewalClaim.decide(
                    record, held: held, now: environment.now(), nonce: nonce, asker: ProcessNumber.own,
                    isAlive: ProcessNumber.mayBeAlive)
                if case .claimed(let record) = claim { return (record, claim) }
                return (nil, claim)
            }
            switch claim {
            case .wait:
                looks += 1
                try await environment.sleep(RetryPolicy.renewals.delay(afterFailures: looks))
            case .newer:
                look(isFirst: true)
                guard let session = standing.session, session.id == held.id else { throw Self.signedOut }
                if session.accessToken != held.accessToken { return session }
            case .claimed(let record):
                seen = vault.changes
                if let session = try await ask(held, record) { return session }
            }
        }
    }

    /// Asks the server; `nil` if another process was faster.
    private func ask(_ held: DeviceSession, _ claimed: SessionRecord) async throws -> DeviceSession? {
        guard let session = claimed.session, let nonce = claimed.renewal?.nonce else { return nil }
        let answer: ProviderAnswer<DeviceSession>
        do {
            answer = try await provider.renew(session, nonce: nonce)
        } catch .ended(let reason) {
            guard try await isStill(nonce) else { return nil }
            // A requested deletion finds out in its own way, and has its own end.
            if case .deletion = try journal.read()?.course {
                endings[session.id] = reason
                throw ProviderFailure.ended(reason)
            }
            await end(session, reason)
            throw ProviderFailure.ended(reason)
        } catch {
            // The answer may have been lost on the way: the nonce stays, so that asking again is asking the same.
            try? await vault.change { current in
                guard var current, current.renewal?.nonce == nonce else { return (nil, ()) }
                current.renewal?.until = nil
                current.generation += 1
                return (current, ())
            }
            throw error
        }
        serverTime.learn(answer.serverTime, at: environment.elapsed())
        let lead = serverTime.lead(environment)
        let stored = try await vault.change { current -> (SessionRecord?, SessionRecord?) in
            // Signed out meanwhile, or renewed by another process: a late answer changes nothing.
            guard let current, current.session?.id == session.id, current.renewal?.nonce == nonce else {
                return (nil, nil)
            }
            let record = SessionRecord(generation: current.generation + 1, session: answer.value, lead: lead)
            return (record, record)
        }
        guard let stored else { return nil }
        adopt(written: stored, saying: .tokenRefreshed(answer.value))
        return answer.value
    }

    /// Whether the renewal of this name is still the latest of the session.
    private func isStill(_ nonce: String) async throws -> Bool {
        try await vault.change { current in (nil, current?.renewal?.nonce == nonce) }
    }

    // MARK: Always

    /// Keeps the session fresh and delivers pending messages to the server, until the task is cancelled.
    ///
    /// Optional: `session` renews before use, and `launch()` does the rest. With it, no call waits for a renewal.
    public func run() async {
        var failures = 0
        while !Task.isCancelled {
            look()
            beginDelivery()
            await settle()
            var pause = 30.0
            if case .signedIn(let session) = standing {
                let due = SessionFreshness.untilAgeing(session, at: serverTime.now(environment))
                if due > 0 {
                    pause = min(pause, due)
                } else {
                    let next = try? await renewed(from: session)
                    let now = serverTime.now(environment)
                    // A session that is due again at once, such as one without a lifetime, is no reason to hurry.
                    if let next, SessionFreshness.untilAgeing(next, at: now) > 0 {
                        failures = 0
                        continue
                    }
                    failures += 1
                    pause =
                        RetryPolicy.calls.delay(afterFailures: failures, chance: environment.chance()) / .seconds(1)
                }
            }
            do { try await environment.sleep(.seconds(pause)) } catch { return }
        }
    }
}
