// SPDX-License-Identifier: Apache-2.0
import Farewell

/// Departures that an earlier process began, and has not finished.
extension FarewellDevice {
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
            return try await resume(found)
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
    private func resume(_ found: Departure) async throws -> Bool {
        guard case .deletion(let state, let intent) = found.course else { return true }
        let free = try await journal.request.takeToLeave()
        if free == nil, let known = await status(found, intent), known.progress != nil {
            // The request has arrived, while the process that sent it still waits for the answer.
            return try await clearAccepted(found, known)
        }
        let held: DeviceClaim.Holder
        if let free { held = free } else { held = try await journal.request.waitToLeave() }
        defer { held.release() }
        let now = try journal.read()
        guard now == found else {
            // Another process has recorded the answer, or has repeated the request.
            held.release()
            guard let now else { return true }
            return try await finish(now)
        }
        var departure = found
        let known = await status(departure, intent)
        if let known, known.progress != nil { return try await clearAccepted(departure, known, held) }
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
        return await !hasRepeated(departure, session, held)
    }

    /// Records that the deletion is accepted, and clears the device.
    ///
    /// - Returns: false, as `finish`.
    private func clearAccepted(
        _ found: Departure, _ answer: DeletionAnswer, _ request: DeviceClaim.Holder? = nil
    ) async throws -> Bool {
        var departure = found
        await accept(&departure, answer)
        request?.release()
        let held = try await journal.claim.waitToLeave()
        defer { held.release() }
        // If several callers learn of it at once, the first clears the device.
        if !isFinished { _ = await clear(departure, held) }
        return false
    }

    /// Sends the same request again; returns whether the device is cleared by it, or must wait for an answer.
    private func hasRepeated(
        _ begun: Departure, _ session: DeviceSession, _ held: DeviceClaim.Holder
    ) async -> Bool {
        var departure = begun
        isQuiet = true
        stand(.signedIn(session), saying: nil)
        do {
            let answer = try await ask(&departure, session)
            held.release()
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
            do { try journal.write(begun) } catch { environment.log(.of(error)) }
            let pending = FarewellError(
                "device.deletion-pending", .tryAgain, "A deletion waits for the server's answer.")
            standUnknown(pending)
            return true
        }
    }
}
