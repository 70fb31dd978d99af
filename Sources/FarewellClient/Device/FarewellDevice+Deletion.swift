// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

extension FarewellDevice {
    /// Deletes the account of the signed-in user, then all their data on this device (CF-1).
    ///
    /// The order: the server, while the token is valid; the subscription service, if it answers; the session; the data
    /// on the device. Then no user is signed in, and the event `userDeleted` follows.
    /// - Parameters:
    ///   - timeout: How long to wait for the server to finish; an accepted deletion continues without the device.
    ///   - proof: The server's token for a fresh proof of identity (`IdentityConfirmation.stepUp`); it is sent with
    ///     this request and not stored.
    ///   - progress: Called with what the server reports meanwhile.
    /// - Throws: an error if the server did not accept the request: nothing has changed, and the user is signed in. The
    ///   family shows whether trying again may help; `device.recent-sign-in-needed` requires `reauthenticate` first.
    public func deleteAccount(
        timeout: Duration = .seconds(60), proof: Token? = nil,
        progress: @escaping @Sendable (DeletionProgress) -> Void = { _ in }
    ) async throws -> DeletionResult {
        if let deleting { return try await deleting.value }
        let work = Task { try await delete(timeout, proof, progress) }
        deleting = work
        defer {
            if deleting == work { deleting = nil }
            keepUp(isTried: true)
        }
        return try await work.value
    }

    /// Whether an account is being deleted at this moment. Other deletions by the app do not count.
    public var isDeletingAccount: Bool { deleting != nil }

    private func delete(
        _ timeout: Duration, _ proof: Token?, _ progress: @escaping @Sendable (DeletionProgress) -> Void
    ) async throws -> DeletionResult {
        let endBackgroundTime = environment.keepAwake("Deletion of the account")
        defer { endBackgroundTime() }
        let session = try await session
        var departure: Departure
        if let earlier = try journal.read(), earlier.sessionID == session.id,
            case .deletion(.unanswered, var intent) = earlier.course
        {
            // Requested before, and never answered: the same request, under the same key.
            intent.proof = proof
            departure = earlier
            departure.course = .deletion(.intended, intent)
        } else {
            let intent = DeletionIntent(
                key: environment.makeIdentifier().text,
                ticket: Token(try DeviceCrypto.makeSecret(count: 32).withUnsafeBytes { Base64URL.text($0) }),
                proof: proof)
            departure = Departure(
                id: environment.makeIdentifier().text, sessionID: session.id,
                reason: .accountDeleted, course: .deletion(.intended, intent))
        }
        // The request is recorded before it is sent, so that its answer cannot be lost.
        try journal.write(departure)
        await observe(departure.step)
        let answer = try await ask(&departure, session)
        return try await completed(departure, answer, timeout, progress)
    }

    // MARK: The server

    /// Sends the request and records its outcome.
    ///
    /// - Throws: when the deletion was not accepted, or may not have been.
    private func ask(_ departure: inout Departure, _ session: DeviceSession) async throws -> DeletionAnswer {
        guard case .deletion(_, let intent) = departure.course else { throw Self.signedOut }
        let provider = provider
        let arrived = Guarded<DeletionAnswer?>(nil)
        var failure: any Error = ProviderFailure.refused(Self.notAccepted)
        do {
            try await perform { session in
                // Bound to the session of the request, even if another user is signed in by now.
                let answer = try await provider.requestDeletion(of: session, intent)
                arrived.withLock { $0 = answer }
            }
        } catch {
            failure = error
        }
        // An answer that arrived counts, whichever user is signed in by now.
        guard let answer = arrived.withLock({ $0 }), answer.progress != nil else {
            return try await resolve(&departure, after: failure)
        }
        await accept(&departure, answer)
        return answer
    }

    /// There is no clear answer: the ticket shows whether the server received the request. Until that is known nothing
    /// changes.
    private func resolve(_ departure: inout Departure, after error: any Error) async throws -> DeletionAnswer {
        guard case .deletion(let state, let intent) = departure.course else { throw error }
        var isKnown = false
        if case .some(.refused) = error as? ProviderFailure { isKnown = true }
        if case .some(.forbidden) = error as? ProviderFailure { isKnown = true }
        if case .some(.recentSignInNeeded) = error as? ProviderFailure { isKnown = true }
        if !isKnown {
            switch await status(departure, intent) {
            case .some(let answer) where answer.progress != nil:
                await accept(&departure, answer)
                return answer
            case nil:
                if state == .intended { await move(&departure, .loseAnswer) }
                throw Self.shown(error)
            default: break
            }
        }
        await move(&departure, .refuse)
        environment.log(.of(Self.shown(error)))
        throw Self.shown(error)
    }

    /// The state of the deletion; `nil` if it is unknown now.
    private func status(_ departure: Departure, _ intent: DeletionIntent) async -> DeletionAnswer? {
        do {
            return try await provider.deletionStatus(intent)
        } catch {
            guard error.error.code == CustomProvider.cannotTellCode else { return nil }
            // This backend does not report it: the reason why the session ended is the only evidence.
            return departure.sessionID.flatMap { endings[$0] }.map { reason in
                reason == .accountDeleted ? .done(DeletionProgress(state: "done")) : .unknown
            }
        }
    }

    private func accept(_ departure: inout Departure, _ answer: DeletionAnswer) async {
        guard case .deletion(let state, var intent) = departure.course else { return }
        intent.serverID = answer.progress?.id ?? intent.serverID
        departure.course = .deletion(state.after(.accept) ?? state, intent)
        try? journal.write(departure)
        await observe(departure.step)
    }

    private func move(_ departure: inout Departure, _ event: DeletionState.Event) async {
        guard case .deletion(let state, let intent) = departure.course, let next = state.after(event) else { return }
        departure.course = .deletion(next, intent)
        do {
            if next.action == .forget { try journal.remove() } else { try journal.write(departure) }
        } catch {
            environment.log(.of(error))
        }
        await observe(departure.step)
    }

    private static let notAccepted = FarewellError(
        "device.deletion-refused", .yoursToFix, "The server did not accept the deletion.")

    private static func shown(_ error: any Error) -> any Error { (error as? ProviderFailure)?.error ?? error }

    /// Waits for the server to be done, for at most `timeout`, then clears the device.
    private func completed(
        _ departure: Departure, _ accepted: DeletionAnswer, _ timeout: Duration,
        _ progress: @escaping @Sendable (DeletionProgress) -> Void
    ) async throws -> DeletionResult {
        guard case .deletion(_, let intent) = departure.course else { throw Self.signedOut }
        var answer = accepted
        let begin = environment.elapsed()
        var questions = 0
        while case .underway(let now) = answer, now.graceUntil == nil, environment.elapsed() - begin < timeout {
            progress(now)
            questions += 1
            try? await environment.sleep(RetryPolicy.questions.delay(afterFailures: questions))
            do {
                let next = try await provider.deletionStatus(intent)
                if next.progress != nil { answer = next }
            } catch {
                // If the backend does not report the state, its acceptance is the last known one.
                if error.error.code == CustomProvider.cannotTellCode { break }
            }
        }
        var last = answer.progress ?? DeletionProgress(state: "accepted")
        progress(last)
        let done = try await cleared(departure)
        var isDone = false
        if case .done = answer { isDone = true }
        // The receipt comes last: clearing the device does not wait for it.
        if isDone { last.receipt = await receipt(of: departure) }
        return DeletionResult(server: last, isDone: isDone, device: done.report, problems: done.problems)
    }

    private func cleared(_ departure: Departure) async throws -> Done {
        let held = try await journal.claim.waitToLeave()
        defer { held.release() }
        return await clear(departure, held)
    }

    /// The receipt, if the server offers one and answers within ten seconds.
    private func receipt(of departure: Departure) async -> DeletionReceipt? {
        guard case .deletion(_, let intent) = departure.course else { return nil }
        let provider = provider
        return await first(within: .seconds(10)) { try? await provider.receipt(intent) } ?? nil
    }

    // MARK: This device

    /// The steps from `accepted` on. Only forwards: a failed step is recorded and tried again at the next launch.
    func clear(_ begun: Departure, _ held: DeviceClaim.Holder) async -> Done {
        var done = Done()
        guard case .deletion(var state, let intent) = begun.course, state.isAccepted else { return done }
        if isTaken(since: begun) {
            // A later sign-in has cleared the device already; the present session and data belong to that user.
            if (try? journal.read())?.id == begun.id { await trying(&done) { try journal.remove() } }
            look(isFirst: true)
            return done
        }
        var departure = begun
        stopCalls()
        renewal?.task.cancel()
        departed.insert(departure.sessionID)
        stand(.signedOut(.accountDeleted), saying: nil)
        while true {
            guard held.isHeld else { return await givenUp(&done) }
            let event: DeletionState.Event
            switch state.action {
            case .request, .resolve: return done
            case .leaveSubscriptions:
                if let subscriptions { await leave(subscriptions, within: .seconds(5)) }
                event = .leaveSubscriptions
            case .clearTokens:
                _ = await wipe.wipe(.deletion, .memory)
                let isClear = await trying(&done) { try await clearTokens(departure, removingAll: true) }
                event = isClear ? .clearTokens : .failTokens
            case .purge:
                done.report = await wipe.wipe(.deletion)
                leaveToApp(&done)
                // While something of the user is left, no other user may sign in.
                if done.isClean { await trying(&done) { try lastPerson.forget() } }
                event = done.isClean ? .purge : .findLeftovers
            case .wait, .forget:
                if state.action == .forget { await trying(&done) { try journal.remove() } }
                stand(.signedOut(.accountDeleted), saying: .userDeleted)
                return done
            }
            guard let next = state.after(event) else { return done }
            state = next
            departure.course = .deletion(state, intent)
            await record(departure, &done)
        }
    }

    /// Logs out of the subscription service. If it fails or does not answer, the device is still cleared.
    func leave(_ subscriptions: any SubscriptionService, within timeout: Duration) async {
        let log = environment.log
        let hasAnswered = await first(within: timeout) {
            do { try await subscriptions.logOut() } catch { log(.of(error)) }
            return true
        }
        if hasAnswered == nil { log(Self.noAnswer) }
    }

    private static let noAnswer = FarewellError(
        "device.subscriptions", .tryAgain, "The subscription service did not answer the log-out.")

    /// Whether another session is on this device by now.
    private func isTaken(since departure: Departure) -> Bool {
        guard case .record(let record) = vault.read(), let session = record?.session else { return false }
        return session.id != departure.sessionID
    }

    // MARK: After a crash

    /// Whether the journal can be read and holds no departure.
    private var isFinished: Bool {
        do { return try journal.read() == nil } catch { return false }
    }

    /// Continues the departure in the journal.
    ///
    /// - Returns: whether it is known now which user is signed in.
    func finish(_ found: Departure) async throws -> Bool {
        var departure = found
        if isLeftToApp(found) { return false }
        let isSignOut = if case .signOut = found.course { true } else { false }
        let endBackgroundTime = environment.keepAwake(isSignOut ? "Sign-out" : "Deletion of the account")
        defer { endBackgroundTime() }
        switch found.course {
        case .signOut(let state, let occasion, let order):
            let held = try await journal.claim.waitToLeave()
            defer { held.release() }
            guard try journal.read() == found else { return true }
            // The tokens are still here: the server may not have heard of it before the process ended.
            if order == nil, found.isRequestedHere, case .record(let record) = vault.read(),
                let session = record?.session, session.id == found.sessionID
            {
                tell(session, found.scope)
            }
            if let again = state.after(.retry) { departure.course = .signOut(again, wipes: occasion, order) }
            _ = await carryOut(departure, held)
            return false
        case .deletion(.intended, _), .deletion(.unanswered, _):
            return try await resume(&departure)
        case .deletion(let state, let intent):
            let held = try await journal.claim.waitToLeave()
            defer { held.release() }
            guard try journal.read() == found else { return true }
            if let again = state.after(.retry) { departure.course = .deletion(again, intent) }
            _ = await clear(departure, held)
            return false
        }
    }

    /// The process ended before the answer was recorded. The same request is sent again under the same key; for a
    /// request whose failure the user has seen, only the state is read.
    private func resume(_ departure: inout Departure) async throws -> Bool {
        guard case .deletion(let state, let intent) = departure.course else { return true }
        let known = await status(departure, intent)
        if let known, known.progress != nil {
            await accept(&departure, known)
            let held = try await journal.claim.waitToLeave()
            defer { held.release() }
            // If several callers learn of it at once, the first clears the device.
            if !isFinished { _ = await clear(departure, held) }
            return false
        }
        if state == .unanswered {
            if known != nil { await move(&departure, .refuse) }
            return true
        }
        let reading = vault.read()
        // While the tokens are locked the request waits; it is sent again once they can be read.
        if case .unknown(let error) = reading, error.family == .tryAgain { return true }
        guard case .record(let record) = reading, let session = record?.session, session.id == departure.sessionID
        else {
            if known != nil { await move(&departure, .refuse) }
            return true
        }
        return await !hasRepeated(departure, session)
    }

    /// Sends the same request again; returns whether the device is cleared by it, or must wait for an answer.
    private func hasRepeated(_ begun: Departure, _ session: DeviceSession) async -> Bool {
        var departure = begun
        isQuiet = true
        stand(.signedIn(session), saying: nil)
        do {
            let answer = try await ask(&departure, session)
            isQuiet = false
            _ = try await completed(departure, answer, .zero) { _ in }
            return true
        } catch {
            isQuiet = false
            // Meanwhile the user has signed out, or another user has signed in.
            guard standing.session?.id == session.id else { return false }
            stand(.unknown(Self.notLaunched), saying: nil)
            if (error as? FarewellError)?.code != "device.offline" { unclearAnswers[begun.id, default: 0] += 1 }
            // After about a minute without a clear answer the user enters the app again, sees the account, and may
            // repeat the request under the same key.
            let isPatient = unclearAnswers[begun.id, default: 0] <= Self.mostMisses
            guard (try? journal.read()) != nil, isPatient else { return false }
            // The user has seen no failure: the journal keeps the request.
            try? journal.write(begun)
            let pending = FarewellError(
                "device.deletion-pending", .tryAgain, "A deletion waits for the server's answer.")
            standUnknown(pending)
            return true
        }
    }
}
