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
    ///   family shows whether trying again may help; `device.recent-sign-in-needed` requires `reauthenticate` first,
    ///   and `device.busy` means that another process of the app is sending the request. `device.signed-out` if another
    ///   process has signed the user out, or deleted the account, meanwhile.
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
        _ = try await self.session
        // No other process sends a request with a key of its own meanwhile.
        let held = try await journal.request.wait()
        defer { held.release() }
        let session = try await self.session
        let earlier = try journal.read()
        if let earlier, earlier.isDecided, !earlier.isOfLaterSession(than: session.id) {
            held.release()
            return try await followed(earlier, timeout, progress)
        }
        var departure = try requested(earlier, session, proof)
        // The request is recorded before it is sent, so that its answer cannot be lost.
        try journal.write(departure)
        await observe(departure.step)
        let answer: DeletionAnswer
        do {
            answer = try await ask(&departure, session)
        } catch {
            forgetRequest(departure)
            throw error
        }
        held.release()
        return try await completed(departure, answer, timeout, progress)
    }

    /// The deletion to request: an earlier one that has no answer, under the same key, or a new one.
    private func requested(_ earlier: Departure?, _ session: DeviceSession, _ proof: Token?) throws -> Departure {
        if var departure = earlier, departure.sessionID == session.id,
            case .deletion(_, var intent) = departure.course
        {
            intent.proof = proof
            departure.course = .deletion(.intended, intent)
            return departure
        }
        let intent = DeletionIntent(
            key: environment.makeIdentifier().text,
            ticket: Token(try DeviceCrypto.makeSecret(count: 32).withUnsafeBytes { Base64URL.text($0) }), proof: proof)
        return Departure(
            id: environment.makeIdentifier().text, sessionID: session.id, reason: .accountDeleted,
            course: .deletion(.intended, intent))
    }

    /// Completes a departure of this session that another process has begun, and that nothing stops any more.
    ///
    /// - Throws: `device.signed-out` after a sign-out.
    private func followed(
        _ earlier: Departure, _ timeout: Duration, _ progress: @escaping @Sendable (DeletionProgress) -> Void
    ) async throws -> DeletionResult {
        guard case .deletion(let state, let intent) = earlier.course else {
            _ = try await finish(earlier)
            throw Self.signedOut
        }
        var departure = earlier
        departure.course = .deletion(state.after(.retry) ?? state, intent)
        let accepted = DeletionAnswer.underway(DeletionProgress(id: intent.serverID, state: "accepted"))
        return try await completed(departure, accepted, timeout, progress)
    }

    /// The user sees that the request has failed: if the journal could not be changed, such as on a full disk, it may
    /// not stay there as one that the next launch sends again. A file can be removed where none can be written.
    private func forgetRequest(_ departure: Departure) {
        do {
            guard let kept = try journal.read(), kept.id == departure.id, case .deletion(.intended, _) = kept.course
            else { return }
            try journal.remove()
        } catch {
            environment.log(.of(error))
        }
    }

    // MARK: The server

    /// Sends the request and records its outcome.
    ///
    /// - Throws: when the deletion was not accepted, or may not have been.
    func ask(_ departure: inout Departure, _ session: DeviceSession) async throws -> DeletionAnswer {
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
    func status(_ departure: Departure, _ intent: DeletionIntent) async -> DeletionAnswer? {
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

    /// Records that the server has accepted the deletion. If that cannot be written, the deletion goes on all the same,
    /// because nothing can undo it: `recordAccepted` and each later step write it again. Until then the journal has the
    /// request, so that a launch reads its state by the ticket.
    func accept(_ departure: inout Departure, _ answer: DeletionAnswer) async {
        guard case .deletion(let state, var intent) = departure.course else { return }
        intent.serverID = answer.progress?.id ?? intent.serverID
        departure.course = .deletion(state.after(.accept) ?? state, intent)
        do {
            if try journal.read()?.isOfLaterSession(than: departure.sessionID) != true { try journal.write(departure) }
        } catch {
            environment.log(.of(error))
        }
        await observe(departure.step)
    }

    /// Records an accepted deletion whose request is still in the journal.
    private func recordAccepted(_ departure: Departure) {
        do {
            guard let kept = try journal.read(), kept.id == departure.id, !kept.isDecided else { return }
            try journal.write(departure)
        } catch {
            environment.log(.of(error))
        }
    }

    /// Records what else has become of the request; another departure in the journal stays.
    func move(_ departure: inout Departure, _ event: DeletionState.Event) async {
        guard case .deletion(let state, let intent) = departure.course, let next = state.after(event) else { return }
        departure.course = .deletion(next, intent)
        do {
            let kept = try journal.read()
            if kept == nil || kept?.id == departure.id {
                if next.action == .forget { try journal.remove() } else { try journal.write(departure) }
            }
        } catch {
            environment.log(.of(error))
        }
        await observe(departure.step)
    }

    private static let notAccepted = FarewellError(
        "device.deletion-refused", .yoursToFix, "The server did not accept the deletion.")

    private static func shown(_ error: any Error) -> any Error { (error as? ProviderFailure)?.error ?? error }

    /// Waits for the server to be done, for at most `timeout`, then clears the device.
    func completed(
        _ departure: Departure, _ accepted: DeletionAnswer, _ timeout: Duration,
        _ progress: @escaping @Sendable (DeletionProgress) -> Void
    ) async throws -> DeletionResult {
        guard case .deletion(_, let intent) = departure.course else { throw Self.signedOut }
        var answer = accepted
        let begin = environment.elapsed()
        var questions = 0
        while case .underway(let now) = answer, now.graceUntil == nil, environment.elapsed() - begin < timeout {
            progress(now)
            recordAccepted(departure)
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
        let done = await cleared(departure)
        var isDone = false
        if case .done = answer { isDone = true }
        // The receipt comes last: clearing the device does not wait for it.
        if isDone { last.receipt = await receipt(of: departure) }
        return DeletionResult(server: last, isDone: isDone, device: done.report, problems: done.problems)
    }

    private func cleared(_ departure: Departure) async -> Done {
        do {
            let held = try await journal.claim.waitToLeave()
            defer { held.release() }
            return await clear(departure, held)
        } catch {
            // The account is gone all the same: the user leaves now, and the device is cleared as soon as it can be.
            let problem = FarewellError.of(error)
            environment.log(problem)
            isClearingDue = true
            stopCalls()
            renewal?.task.cancel()
            departed.insert(departure.sessionID)
            stand(.signedOut(.accountDeleted), saying: .signedOut(.accountDeleted))
            return Done(problems: [problem])
        }
    }

    /// The receipt, if the server offers one and answers within ten seconds.
    private func receipt(of departure: Departure) async -> DeletionReceipt? {
        guard case .deletion(_, let intent) = departure.course else { return nil }
        let provider = provider
        return await first(within: .seconds(10)) { try? await provider.receipt(intent) } ?? nil
    }
}
