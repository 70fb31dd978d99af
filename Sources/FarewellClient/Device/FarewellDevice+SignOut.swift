// SPDX-License-Identifier: Apache-2.0
public import Farewell
import Foundation

extension FarewellDevice {
    /// Signs out. When this returns, the user's data on the device is deleted, whether or not the server was reached.
    ///
    /// A second call during the work returns the same result; `others` is work of its own, and delays no sign-out.
    /// - Parameters:
    ///   - scope: `others` ends the user's other sessions and changes nothing here.
    ///   - timeout: How long to wait for the server's answer once the device is clean.
    /// - Throws: the server's error, if the policy is to keep the user signed in, and for `others`.
    @discardableResult
    public func signOut(
        _ scope: SignOutScope = .local, timeout: Duration = .milliseconds(400)
    ) async throws -> SignOutResult {
        if scope == .others { return try await endOthers() }
        if let leaving {
            return try await leaving.task.value.answering(scope, after: leaving.scope)
        }
        // A deletion in progress also signs the user out; if it fails, the sign-out follows now.
        if let deleting {
            _ = try? await deleting.value
            if let leaving { return try await leaving.task.value.answering(scope, after: leaving.scope) }
        }
        let work = Task { try await leave(scope, timeout) }
        leaving = (scope, work)
        defer {
            if leaving?.task == work { leaving = nil }
            keepUp(isTried: true)
        }
        return try await work.value
    }

    private func endOthers() async throws -> SignOutResult {
        if let endingOthers { return try await endingOthers.value }
        let work = Task {
            look()
            if case .signedOut = standing { return SignOutResult(device: WipeReport([]), server: .nothingToTell) }
            _ = try await tellFirst(.others)
            return SignOutResult(device: WipeReport([]), server: .told)
        }
        endingOthers = work
        defer { if endingOthers == work { endingOthers = nil } }
        return try await work.value
    }

    private func leave(_ scope: SignOutScope, _ timeout: Duration) async throws -> SignOutResult {
        look()
        guard let session = standing.session else {
            if case .signedOut = standing {
                return SignOutResult(device: WipeReport([]), server: .nothingToTell)
            }
            // The session cannot be read, but it must end here.
            return try await depart(nil, .byYou, scope, wipes: .signOut).result(.unconfirmed)
        }
        if provider.policy == .keepSignedIn { return try await leaveOnceTold(session, scope) }
        if let order = provider.revocation(of: session, scope: scope) {
            let done = try await depart(session, .byYou, scope, wipes: .signOut, order)
            let deliveries = beginDelivery()
            let isTold = await first(within: timeout) { await deliveries.isReceived(done.departure) }
            if isTold == true { return done.result(.told) }
            return done.result(unwritten.contains { $0.id == done.departure } ? .unconfirmed : .pending)
        }
        // Nothing may be stored for a later report: the server learns of the sign-out now or never.
        let telling = tell(session, scope)
        let done = try await depart(session, .byYou, scope, wipes: .signOut)
        let isTold = await first(within: timeout) { await telling.value }
        return done.result(isTold == true ? .told : .unconfirmed)
    }

    /// - Returns: whether the server has carried it out; false if the session was over already.
    func tellFirst(_ scope: SignOutScope) async throws -> Bool {
        let provider = provider
        do {
            try await perform { session in try await provider.signOut(session, scope: scope) }
            return true
        } catch ProviderFailure.ended where scope != .others {
            return false
        } catch let failure as ProviderFailure {
            throw failure.error
        } catch {
            guard scope != .others, case .signedOut = standing else { throw error }
            return false
        }
    }

    /// Has the server end a session by its own tokens, beside the departure, for backends without tickets.
    ///
    /// - Returns: The work, and whether the session has ended for certain.
    @discardableResult
    func tell(_ session: DeviceSession, _ scope: SignOutScope) -> Task<Bool, Never> {
        let provider = provider
        let nonce = environment.makeIdentifier().text
        let endBackgroundTime = environment.keepAwake("Sign-out at the server")
        return Task {
            defer { endBackgroundTime() }
            return await Self.hasEnded(session, scope, nonce, by: provider)
        }
    }

    /// Ends a session by its own tokens; if its access token is not accepted any more, by a new one, which is not kept.
    ///
    /// - Returns: whether the server has ended it in this scope, for certain.
    private static func hasEnded(
        _ session: DeviceSession, _ scope: SignOutScope, _ nonce: String, by provider: any SessionProvider
    ) async -> Bool {
        do {
            try await provider.signOut(session, scope: scope)
            return true
        } catch .ended {
            return scope == .local
        } catch .unauthorised {
            // An SDK would keep the new tokens as its own.
            guard !(provider is CustomProvider) else { return false }
        } catch {
            return false
        }
        do {
            let renewed = try await provider.renew(session, nonce: nonce).value
            try await provider.signOut(renewed, scope: scope)
            return true
        } catch .ended {
            return scope == .local
        } catch {
            return false
        }
    }

    /// Ends a session that the server, or another signal, has ended: clears this device by the same steps.
    func end(_ session: DeviceSession, _ reason: SignOutReason) async {
        let occasion: WipeOccasion = reason == .accountDeleted ? .deletion : .signOut
        do {
            _ = try await depart(session, reason, wipes: occasion, isRenewing: true)
        } catch {
            // The next call meets the same end.
            environment.log(.of(error))
        }
    }

    // MARK: The steps

    struct Done: Sendable {
        /// The departure; `nil` if there was none to carry out.
        var departure: String?
        var report = WipeReport([])
        var problems: [FarewellError] = []
        /// Whether the app must still clear its own data, because this process is one of its extensions.
        var isLeftToApp = false

        /// Whether this device holds nothing of the user any more.
        var isClean: Bool { report.isClean && !isLeftToApp }

        func result(_ server: SignOutResult.Server) -> SignOutResult {
            SignOutResult(device: report, server: server, problems: problems)
        }
    }

    func depart(
        _ session: DeviceSession?, _ reason: SignOutReason, _ scope: SignOutScope = .local,
        wipes occasion: WipeOccasion?, _ order: SessionRevocation? = nil, isRenewing: Bool = false
    ) async throws -> Done {
        if !isRenewing { renewal?.task.cancel() }
        let endBackgroundTime = environment.keepAwake("Sign-out")
        defer { endBackgroundTime() }
        let held = try await journal.claim.waitToLeave()
        defer { held.release() }
        if let session, case .record(let record) = vault.read(), record?.session?.id != session.id {
            // Another process has ended it already, or another user has signed in.
            look(isFirst: true)
            return Done()
        }
        stopCalls()
        return await carryOut(
            Departure(
                id: environment.makeIdentifier().text, sessionID: session?.id, reason: reason, scope: scope,
                course: .signOut(.intended, wipes: occasion, order)), held)
    }

    /// Cancels what still works for the leaving user.
    func stopCalls() {
        calls.values.forEach { $0() }
        exporting?.cancel()
        exporting = nil
        endingOthers = nil
    }

    /// Goes from state to state until nothing is left to do now. Failures of this device stop nothing: they are kept.
    func carryOut(_ begun: Departure, _ held: DeviceClaim.Holder) async -> Done {
        var done = Done()
        guard case .signOut(var state, let occasion, let order) = begun.course else { return done }
        done.departure = begun.id
        var departure = begun
        // From here on no caller gets a token, whatever the result of the steps.
        departed.insert(departure.sessionID)
        stand(.signedOut(departure.reason), saying: nil)
        await record(departure, &done)
        while true {
            guard held.isHeld else { return await givenUp(&done) }
            let event: SignOutState.Event
            switch state.action {
            case .queueRevocation:
                if let order {
                    await trying(&done) {
                        try await queue(.init(id: departure.id, provider: provider.name, revocation: order))
                    }
                }
                event = .queue
            case .clearTokens:
                event = await trying(&done) { try await clearTokens(departure) } ? .clearTokens : .failTokens
            case .wipe:
                async let isLeft: Void = leaveSubscriptions(at: occasion)
                if let occasion { done.report = await wipe.wipe(occasion) }
                await isLeft
                if occasion != nil { leaveToApp(&done) }
                let isOver = occasion == .deletion ? await hasForgotten(&done) : done.isClean
                event = isOver ? .wipe : .findLeftovers
            case .wait, .forget:
                if state.action == .forget { await trying(&done) { try journal.remove() } }
                stand(.signedOut(departure.reason), saying: .signedOut(departure.reason))
                return done
            }
            guard let next = state.after(event) else { return done }
            state = next
            departure.course = .signOut(state, wipes: occasion, order)
            await record(departure, &done)
        }
    }

    /// Logs out of the subscription service at a sign-out, where the app wants that.
    private func leaveSubscriptions(at occasion: WipeOccasion?) async {
        guard let subscriptions, let occasion, leavesSubscriptions.happens(on: occasion) else { return }
        await leave(subscriptions, within: .milliseconds(300))
    }

    /// This process stood still for so long that another one has taken over, and finishes by the journal.
    func givenUp(_ done: inout Done) async -> Done {
        done.problems.append(
            FarewellError("device.taken-over", .tryAgain, "Another process of this app is finishing the sign-out."))
        look(isFirst: true)
        return done
    }

    /// Removes the tokens of this departure's session; those of a later session stay.
    func clearTokens(_ departure: Departure, removingAll: Bool = false) async throws {
        if case .record(let record) = vault.read() {
            if let session = record?.session {
                if let id = departure.sessionID, session.id != id { return }
                // The session could not be read at the sign-out: now the server can be informed.
                if departure.sessionID == nil {
                    if let order = provider.revocation(of: session, scope: departure.scope) {
                        try await queue(.init(id: departure.id, provider: provider.name, revocation: order))
                    } else {
                        tell(session, departure.scope)
                    }
                }
            }
            if record?.session != nil || record?.ending != departure.reason {
                try await replaceTokens(departure.reason)
            }
        } else if vault.isForeign {
            // The tokens of another installation, or of this extension's app, belong to another session and stay.
            return
        } else {
            try await replaceTokens(departure.reason)
        }
        if removingAll { try await vault.remove() }
        // Where the store has moved, no copy of the tokens may stay behind.
        try (vault.store as? any MovingTokenStore)?.removeEarlier()
        seen = vault.changes
        guard case .record(let left) = vault.read(), left?.session == nil else {
            throw FarewellError("device.tokens-left", .tryAgain, "The token store still has a session.")
        }
    }

    /// Replaces the tokens by the reason. A full disk refuses that, and not a removal: only the reason is lost
    /// then, which the other processes of the app read.
    private func replaceTokens(_ reason: SignOutReason) async throws {
        do {
            _ = try await vault.overwrite { SessionRecord(generation: $0, ending: reason) }
        } catch {
            environment.log(.of(error))
            try await vault.remove()
        }
    }

    func record(_ departure: Departure, _ done: inout Done) async {
        await trying(&done) { try journal.write(departure) }
        await observe(departure.step)
    }

    /// Does the work, or keeps the error; returns whether it was done.
    @discardableResult
    func trying(_ done: inout Done, _ work: () async throws -> Void) async -> Bool {
        do {
            try await work()
            return true
        } catch {
            let problem = FarewellError.of(error)
            environment.log(problem)
            done.problems.append(problem)
            return false
        }
    }

    // MARK: Waiting

    /// The result of `work`, if it arrives in time; `work` continues in any case.
    func first<Value: Sendable>(
        within timeout: Duration, _ work: @escaping @Sendable () async -> Value
    ) async -> Value? { await first(within: timeout, by: environment.sleep, work) }

    /// The same, with `sleep` to measure the time.
    func first<Value: Sendable>(
        within timeout: Duration, by sleep: @escaping @Sendable (Duration) async throws -> Void,
        _ work: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let (answers, answer) = AsyncStream.makeStream(of: Value?.self)
        let working = Task { _ = answer.yield(await work()) }
        let timer = Task {
            try? await sleep(timeout)
            answer.yield(nil)
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            for await first in answers { return first }
            return nil
        } onCancel: {
            working.cancel()
            answer.finish()
        }
    }
}
